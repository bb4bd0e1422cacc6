// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses options that set a part of the plan, once, when they are given.
#ifndef ZCC_COMPILER_PHASES_OPTIONVALUES_H
#define ZCC_COMPILER_PHASES_OPTIONVALUES_H

#include "planning/PlanValues.h"
#include <optional>
#include <string>
#include <vector>

namespace zcc {

/// Sets the part of the plan that option `name` is for, if any. Returns an
/// error message, or "".
std::string takePlanOption(const std::string &name,
                           const std::vector<std::string> &values,
                           planning::Plan &plan);

/// Returns the decay of averages, a number in [0, 1); nothing if the text is
/// none.
std::optional<double> parseDecay(const std::string &text);

} // namespace zcc

#endif
