// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is told of a whole step, for `--explain plan`.
#ifndef ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINROLES_H
#define ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINROLES_H

#include "passes/Distribute/Explain/ExplainedStep.h"

namespace zcc::dist {

// What the roles of axes decided.
std::string explainRoles(const ExplainedStep &step);
// The estimate of the step, and what other options would change.
std::string explainOptions(ExplainedStep &step);

} // namespace zcc::dist

#endif
