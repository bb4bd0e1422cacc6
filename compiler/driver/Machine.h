// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that zcc runs on, from static facts: nothing is timed, so that two compilations agree.
#ifndef ZCC_COMPILER_DRIVER_MACHINE_H
#define ZCC_COMPILER_DRIVER_MACHINE_H

#include <string>

namespace zcc {
struct Machine {
  std::string name;       // e.g. "Intel(R) Xeon(R) Processor, 2 cores"
  unsigned cores = 1;
  double memoryBytes = 0; // of the node
};
// Reads /proc and asks the system.
Machine getHostMachine();
} // namespace zcc

#endif
