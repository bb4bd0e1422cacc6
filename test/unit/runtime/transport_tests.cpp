// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the tests of transports in a process that a launcher started as one of
// several. Every process runs all tests; one that fails fails the run. Usage:
// transport_tests [TRANSPORT], with a name that --ranks accepts.

#include "Ranks.h"
#include "runtime/core/Error.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace zcc::rt;

int main(int argc, char **argv) {
  ::testing::InitGoogleTest(&argc, argv);
  try {
    GetVariable get = [](const char *name) { return getenv(name); };
    std::string ranks = argc > 1 ? argv[1] : findRanks(get);
    if (ranks == "local") {
      std::fprintf(stderr, "error: not started as one of several\n");
      return 2;
    }
    Processes processes(ranks, get, 10, [](const std::string &) {});
    processes.start();
    processes.setSpins(100);
    zcc::rt::test::world = &processes;
    int status = RUN_ALL_TESTS();
    if (status != 0) {
      processes.reportFailure(Status::Failed, "tests failed");
      _exit(status);
    }
    processes.finish();
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    _exit(1);
  }
}
