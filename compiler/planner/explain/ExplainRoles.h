// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts of `--explain plan` about a whole step.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINROLES_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINROLES_H

#include "compiler/planner/explain/ExplainedStep.h"

namespace zcc::planner {

// Tells which shardings the roles of axes decided.
std::string explainRoles(const ExplainedStep &step);
// Tells the estimate of the step, and how other options would change it.
std::string explainOptions(ExplainedStep &step);

} // namespace zcc::planner

#endif
