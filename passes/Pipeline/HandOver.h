// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where gradients of weights are tasks of their own: of what the backward task
// of a stage and chunk computed again what it hands over to them, and what they
// compute once more.
#ifndef ZCC_PASSES_PIPELINE_HANDOVER_H
#define ZCC_PASSES_PIPELINE_HANDOVER_H

#include "planning/CostModel.h"
#include "planning/ScheduleProblem.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/StepTasks.h"

namespace zcc {

// Of how many microbatches a stage holds at most what its backward task made,
// until that of weights' gradients has read it. Of one where the schedule is
// not known.
class HeldMicrobatches {
public:
  HeldMicrobatches() = default;
  // By rows, or where there are none by the schedule of that name.
  HeldMicrobatches(dist::MeshOp mesh, llvm::StringRef schedule,
                   const ActionRows &actions);

  double untilWeights(const StepTask &weights) const;

private:
  planning::ScheduleProblem problem;
  std::vector<planning::ActionTable> tables;
};

// Ops whose results are handed over. A value that the weights' task reads, made
// again or not, is held for a while longer, which costs `price` seconds a byte;
// to compute it again costs what the ops take: the least of both is a minimum
// cut. `wish`: what is kept of the forward pass; only what it refuses may be
// handed over, all else is as cheap to make as to read.
llvm::DenseSet<mlir::Operation *>
chooseHandOver(const StepTasks &tasks, const StepTask &backward,
               const StepTask &weights,
               llvm::function_ref<Keep(mlir::Operation *)> wish,
               dist::MeshOp mesh, const planning::CostModel &model,
               double price);

} // namespace zcc

#endif
