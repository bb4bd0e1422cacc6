// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the machine that this runs on.
#ifndef ZCC_TOOLS_ZCC_CALIBRATE_CALIBRATE_H
#define ZCC_TOOLS_ZCC_CALIBRATE_CALIBRATE_H

#include "planning/Machine.h"
#include <functional>
#include <string>

namespace zcc::calibrate {

struct CalibrateOptions {
  std::string name; // of the machine; "": what the system says
  bool quick = false;
  std::function<void(const std::string &)> progress;
};

/// Fills `machine`. Errors are messages; "" otherwise.
std::string calibrate(const CalibrateOptions &options,
                      planning::Machine &machine);

} // namespace zcc::calibrate

#endif
