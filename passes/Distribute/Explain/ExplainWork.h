// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What would divide work that devices repeat: annotations (DivideWork.h), a
// stage of ZeRO, another mesh; each is tried.
#ifndef ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINWORK_H
#define ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINWORK_H

#include "passes/Distribute/Explain/ExplainTrials.h"

namespace zcc::dist {

struct WorkAdvice {
  // Of the op that most of the repeated work is of.
  mlir::Location place;
  // Options to add; "" if none was found that makes it less by a fifth.
  std::string options;
  double repeats = 1;  // with them: operations, over those of the model
  std::string changes; // of seconds and bytes, by estimate
};
// Of a module of phase `step` after buildMeshPipeline(). `named`: whether the
// user named the axes, so that others may be proposed. Nothing if the step
// cannot be distributed so, or its plan pins it.
std::optional<WorkAdvice>
adviseWork(mlir::ModuleOp module, const DistributeOptions &options, bool named);

} // namespace zcc::dist

#endif
