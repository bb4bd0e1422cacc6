// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Advises how to divide work that devices repeat. It tries annotations
// (DivideWork.h), a stage of ZeRO, and other meshes.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINWORK_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINWORK_H

#include "compiler/planner/explain/ExplainTrials.h"

namespace zcc::planner {

struct WorkAdvice {
  // The place of the op that repeats the most work.
  mlir::Location place;
  // The options to add; "" if none was found that reduces the repeated work by
  // a fifth.
  std::string options;
  double repeats = 1;  // with the options: operations, over those of the model
  std::string changes; // of seconds and bytes, as estimated
};
// Advises for a module of phase `step` after buildMeshPipeline(). `named`: the
// user named the axes, so that others may be proposed. Nothing if the step
// cannot be distributed so. Proposes no options if the plan pins every op.
std::optional<WorkAdvice>
adviseWork(mlir::ModuleOp module, const DistributeOptions &options, bool named);

} // namespace zcc::planner

#endif
