// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a transport leaves memory alone after a run failed. Rank 0 waits
// for a message when rank 1 fails; rank 1 sends it after rank 0 gave up.

#include "runtime/core/Error.h"
#include "runtime/launch/Processes.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace zcc::rt;

namespace {

constexpr std::ptrdiff_t bytes = 1 << 20;
constexpr uint64_t tag = 3;

void pause(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// Rank 0 writes this file once it has given up. Only the port tells runs
/// apart.
std::filesystem::path signalFile() {
  const char *port = getenv("MASTER_PORT");
  return std::filesystem::temp_directory_path() /
         text("zcc-teardown-", port ? port : "");
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ZCC_FREES_MEMORY 1 // a write to it would end the process
#endif
#endif

const char *receiver(Transport &transport) {
  auto memory = std::make_unique<std::vector<char>>(bytes, 'a');
  try {
    transport.receive(1, tag, memory->data(), bytes);
    return "the message came";
  } catch (const Aborted &) {
  }
  std::fill(memory->begin(), memory->end(), 'b');
#ifdef ZCC_FREES_MEMORY
  memory.reset();
#endif
  std::ofstream(signalFile()) << "given up";
  pause(1000);
  if (memory && std::count(memory->begin(), memory->end(), 'b') != bytes)
    return "memory of a message was written after it was given up";
  return nullptr;
}

const char *sender(Processes &processes, Transport &transport) {
  pause(200); // rank 0 waits
  (void)processes.reportFailure(Status::Failed, "rank 1 fails");
  for (int i = 0; !std::filesystem::exists(signalFile()); ++i) {
    if (i == 300)
      return "rank 0 did not give up";
    pause(10);
  }
  std::vector<char> data(bytes, 'c');
  try {
    transport.send(0, tag, data.data(), bytes);
  } catch (const Error &) {
    // It may know of its failure.
  }
  pause(500);
  return nullptr;
}

} // namespace

int main(int argc, char **argv) {
  try {
    Processes processes(
        argc > 1 ? argv[1] : "env",
        [](const char *name) { return getenv(name); }, 10,
        [](const std::string &) {});
    processes.start();
    processes.setSpins(0);
    std::filesystem::remove(signalFile());
    processes.channel().gather("");
    ThreadPool pool(1, SpinPolicy{0});
    std::unique_ptr<Transport> transport = processes.connect(pool);
    const char *problem = processes.rank() == 0 ? receiver(*transport)
                                                : sender(processes, *transport);
    if (problem)
      std::fprintf(stderr, "error: rank %d: %s\n", processes.rank(), problem);
    _exit(problem ? 1 : 0);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    _exit(1);
  }
}
