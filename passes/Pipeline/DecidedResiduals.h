// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decisions on single residuals, as a plan's file has them. They name an op by
// its name and its number among the forward pass's ops of that name.
#ifndef ZCC_PASSES_PIPELINE_DECIDEDRESIDUALS_H
#define ZCC_PASSES_PIPELINE_DECIDEDRESIDUALS_H

#include "passes/Pipeline/Fates.h"

namespace zcc {

// Returns the decision for each forward value that backward tasks read, once
// the step was cut. Gathered parameters are left out, because they have choices
// of their own; so are values that are next to free, because they are always
// computed again.
std::vector<planning::PlanDecision> tellDecisions(const Fates &fates);

} // namespace zcc

#endif
