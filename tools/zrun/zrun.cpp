// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zrun: runs an executable of zcc. Exit status: 0 done, 1 a failure while
// running, 2 bad usage or input.

#include "runtime/core/Error.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/executable.pb.h"
#include "tools/zrun/Options.h"
#include "tools/zrun/Session.h"

#include <csignal>
#include <cstdio>
#include <new>

using namespace zcc::rt;

int main(int argc, char **argv) {
  // Failing writes are errors with a text, not signals.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  auto report = [](const char *message, Status status) {
    std::fflush(stdout);
    std::fprintf(stderr, "error: %s\n", message);
    return static_cast<int>(status);
  };
  try {
    std::optional<Options> options = parseOptions(argc, argv);
    if (!options)
      return 0;
    format::Executable executable;
    std::string error = readExecutable(options->executable, executable);
    if (!error.empty())
      return report(error.c_str(), Status::BadInput);
    if (options->check)
      describe(executable, options->executable);
    else
      runSession(executable, *options);
    return 0;
  } catch (const Error &error) {
    return report(error.what(), error.status);
  } catch (const std::bad_alloc &) {
    return report("out of memory", Status::Failed);
  } catch (const std::exception &error) {
    return report(error.what(), Status::Failed);
  }
}
