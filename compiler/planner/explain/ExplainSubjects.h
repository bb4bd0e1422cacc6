// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the texts about arguments and ops for StepExplainer.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINSUBJECTS_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINSUBJECTS_H

#include "compiler/planner/explain/ExplainMoves.h"

namespace zcc::planner {

// Explains a parameter or an input. `arguments` are the parts of a stack, or
// one.
std::string explainArguments(const ExplainedStep &step,
                             StepAlternatives &alternatives,
                             llvm::StringRef name,
                             llvm::ArrayRef<mlir::BlockArgument> arguments);

// Explains ops of the line `name`, each given with its number there. Ops that
// are sharded alike for the same reasons are told once.
std::string
explainOps(const ExplainedStep &step, StepAlternatives &alternatives,
           llvm::StringRef name,
           llvm::ArrayRef<std::pair<mlir::Operation *, unsigned>> ops);

} // namespace zcc::planner

#endif
