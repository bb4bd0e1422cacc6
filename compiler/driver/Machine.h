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
  double peakFlops = 0;   // f32 multiply-adds of all cores at the nominal clock, counted as two; 0: unknown
};
// Reads /proc and asks the system.
Machine getHostMachine();
} // namespace zcc

#endif
