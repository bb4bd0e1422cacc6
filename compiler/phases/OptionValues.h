// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that say a part of the plan, parsed: once, when they are given.
#ifndef ZCC_COMPILER_PHASES_OPTIONVALUES_H
#define ZCC_COMPILER_PHASES_OPTIONVALUES_H

#include "planning/PlanValues.h"

namespace zcc {

/// Takes the values of option `name` into the plan, if they are for it. Returns
/// an error message, or "".
std::string takePlanOption(const std::string &name,
                           const std::vector<std::string> &values,
                           planning::Plan &plan);

} // namespace zcc

#endif
