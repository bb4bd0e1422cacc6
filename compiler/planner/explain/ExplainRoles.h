// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts of `--explain plan` about a whole step.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINROLES_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINROLES_H

#include "compiler/planner/explain/ExplainedStep.h"

namespace zcc::planner {

// Tells which shardings the roles of axes decided.
std::string explainRoles(const ExplainedStep &step);
// Returns what the search found when it simulated a plan, in words; "" if it
// did not.
using TellSimulated = std::string(const planning::Plan &);
// Tells the estimate of the step, and how other options would change it.
std::string explainOptions(ExplainedStep &step,
                           llvm::function_ref<TellSimulated> simulated);

} // namespace zcc::planner

#endif
