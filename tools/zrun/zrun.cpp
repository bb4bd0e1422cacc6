// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zrun: runs an executable of zcc. Exit status: 0 done, 1 a failure while
// running, 2 bad usage or input.

#include "runtime/core/Error.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/executable.pb.h"
#include "tools/zrun/Launch.h"
#include "tools/zrun/Options.h"
#include "tools/zrun/Plot.h"
#include "tools/zrun/Session.h"

#include <csignal>
#include <cstdio>
#include <new>
#include <unistd.h>

using namespace zcc::rt;

namespace {

int report(const std::string &message, Status status) {
  std::fflush(stdout);
  if (!message.empty())
    std::fprintf(stderr, "error: %s\n", message.c_str());
  return static_cast<int>(status);
}

/// The one place where exceptions end. `failed` is told status and message; no
/// message where another rank holds the reason.
template <typename Body, typename Failed>
int guarded(Body body, Failed failed) {
  try {
    body();
    return 0;
  } catch (const Error &error) {
    return failed(error.status, error.what());
  } catch (const Aborted &) {
    return failed(Status::Failed, "");
  } catch (const std::bad_alloc &) {
    return failed(Status::Failed, "out of memory");
  } catch (const std::exception &error) {
    return failed(Status::Failed, error.what());
  }
}

void run(const Options &options, Processes *processes) {
  if (processes)
    processes->start();
  format::Executable executable;
  std::string error = readExecutable(options.executable, executable);
  if (!error.empty())
    badInput(error);
  if (options.check)
    return describe(executable, options);
  if (processes)
    checkAgreement(*processes, options);
  runSession(executable, options, processes);
}

} // namespace

int main(int argc, char **argv) {
  // Failing writes are errors with a text, not signals.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::optional<Options> options;
  std::unique_ptr<Processes> processes;
  auto failAlone = [](Status status, const std::string &message) {
    return report(message, status);
  };
  int status = guarded(
      [&] {
        options = parseOptions(argc, argv);
        if (options && !options->check && !options->runsNothing())
          processes = launchProcesses(*options);
      },
      failAlone);
  if (status != 0 || !options)
    return status;
  if (!options->plot.empty())
    return guarded([&] { plotLogs(*options); }, failAlone);
  if (options->runsNothing())
    return guarded([&] { transferCheckpoint(*options); }, failAlone);
  if (!processes)
    return guarded([&] { run(*options, nullptr); }, failAlone);
  status = guarded([&] { run(*options, processes.get()); },
                   [&](Status failed, const std::string &message) {
                     auto [text, status] =
                         processes->reportFailure(failed, message);
                     return report(text, status);
                   });
  processes.reset();
  if (status == 0)
    return 0;
  // Libraries that wait for peers in their destructors would wait for long.
  std::fflush(stdout);
  _exit(status);
}
