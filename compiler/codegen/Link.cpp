// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links with lld as a library. lld reads and writes files, so objects pass
// through a folder of temporary files, which is removed at the end.
#include "compiler/codegen/Link.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;

namespace zcc {

FailureOr<std::string> linkShared(ArrayRef<std::string> objects,
                                  std::string &error) {
  SmallString<128> folder;
  if (std::error_code ec =
          llvm::sys::fs::createUniqueDirectory("zcc-kernels", folder)) {
    error = "cannot make a temporary folder: " + ec.message();
    return failure();
  }
  auto pathOf = [&](const llvm::Twine &name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  };
  auto run = [&]() -> FailureOr<std::string> {
    std::string output = pathOf("kernels.so");
    // -z separate-code would pad a small file to several pages.
    std::vector<std::string> words = {
        "ld.lld",      "-shared",         "-o",          output,
        "--threads=1", "--build-id=none", "-z",          "defs",
        "-z",          "noseparate-code", "--strip-all", "-z",
        "noexecstack", "--hash-style=gnu"};
    for (auto [i, object] : llvm::enumerate(objects)) {
      std::string path = pathOf("k" + llvm::Twine(i) + ".o");
      std::error_code ec;
      llvm::raw_fd_ostream file(path, ec);
      if (!ec) {
        file << object;
        file.close();
        ec = file.error();
      }
      if (ec) {
        file.clear_error();
        error = "cannot write a temporary file: " + ec.message();
        return failure();
      }
      words.push_back(path);
    }
    std::vector<const char *> arguments;
    for (const std::string &w : words)
      arguments.push_back(w.c_str());
    std::string messages;
    {
      // lld keeps its state in globals, so calls must not overlap.
      static std::mutex mutex;
      std::lock_guard<std::mutex> lock(mutex);
      llvm::raw_string_ostream stream(messages);
      lld::Result result = lld::lldMain(arguments, llvm::nulls(), stream,
                                        {{lld::Gnu, &lld::elf::link}});
      if (result.retCode != 0) {
        error = messages;
        return failure();
      }
    }
    auto buffer = llvm::MemoryBuffer::getFile(output, false, false);
    if (!buffer) {
      error = "cannot read the linked kernels: " + buffer.getError().message();
      return failure();
    }
    return (*buffer)->getBuffer().str();
  };
  FailureOr<std::string> linked = run();
  llvm::sys::fs::remove_directories(folder);
  return linked;
}

} // namespace zcc
