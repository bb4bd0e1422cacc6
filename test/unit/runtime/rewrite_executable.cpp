// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executable as JSON, and back, for tests that change one:
//   rewrite_executable FILE          prints all but its code
//   rewrite_executable FILE TO ...   for each name reads a line of such JSON
//   from
//                                    standard input and writes it with FILE's
//                                    code and its own checksum

#include "Files.h"

#include "runtime/format/ExecutableFile.h"
#include "runtime/format/executable.pb.h"

#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <iostream>

using namespace zcc::rt;

static int fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 2;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return fail("usage: rewrite_executable FILE [TO...]");
  format::Executable executable;
  std::string error = readExecutable(argv[1], executable);
  if (!error.empty())
    return fail(error);
  auto codes = executable.codes();
  if (argc == 2) {
    executable.clear_codes();
    std::string json;
    auto status =
        google::protobuf::util::MessageToJsonString(executable, &json);
    if (!status.ok())
      return fail(status.ToString());
    std::cout << json << "\n";
    return 0;
  }
  for (int i = 2; i < argc; ++i) {
    std::string json, bytes;
    if (!std::getline(std::cin, json))
      return fail("a line of JSON is missing");
    executable.Clear();
    auto status =
        google::protobuf::util::JsonStringToMessage(json, &executable);
    if (!status.ok())
      return fail(status.ToString());
    *executable.mutable_codes() = codes;
    error = serializeExecutable(executable, bytes);
    if (!error.empty())
      return fail(error);
    test::writeFile(argv[i], bytes);
  }
  return 0;
}
