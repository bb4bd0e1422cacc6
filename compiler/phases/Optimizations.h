// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of the optimizations that --disable and --exact switch off.
#ifndef ZCC_COMPILER_PHASES_OPTIMIZATIONS_H
#define ZCC_COMPILER_PHASES_OPTIMIZATIONS_H

#include "compiler/phases/Options.h"
#include <string>
#include <vector>

namespace zcc {

struct OptimizationInfo {
  const char *name;
  bool reorders; // reorders floating-point sums: off under --exact
  const char *help;
};

const std::vector<OptimizationInfo> &getOptimizationTable();

/// Checks the names of --disable. Returns an error message, or "".
std::string checkDisabled(const Options &options);

/// Returns the optimizations that are off: those of --disable, and under
/// --exact all that reorder.
std::vector<std::string> getDisabled(const Options &options);

} // namespace zcc

#endif
