// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Applies if gradients of weights are tasks of their own. The backward task of
// a stage and chunk has computed values again that the task of weights'
// gradients reads, too. Chooses which of them it hands over to that task, and
// which that task computes once more.
#ifndef ZCC_PASSES_PIPELINE_HANDOVER_H
#define ZCC_PASSES_PIPELINE_HANDOVER_H

#include "planning/CostModel.h"
#include "planning/ScheduleProblem.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/StepTasks.h"

namespace zcc {

// Counts the microbatches for which a stage holds results of its backward task
// until the task of weights' gradients has read them.
class HeldMicrobatches {
public:
  HeldMicrobatches() = default;
  // Takes the order of tasks from the rows, or from the schedule if there are
  // no rows.
  HeldMicrobatches(dist::MeshOp mesh, const planning::NamedSchedule &schedule,
                   const ActionRows &actions);

  double untilWeights(const StepTask &weights) const;

private:
  planning::ScheduleProblem problem;
  std::vector<planning::ActionTable> tables;
};

// Returns the ops whose results are handed over. A value that the weights' task
// reads is held longer, which costs `price` seconds a byte, whether the
// backward pass computed it again or not. To compute it again costs the seconds
// of its ops. The least sum of both is a minimum cut. `wish`: the fates of
// values of the forward pass. Only values that are not to be stored may be
// handed over; all others are as cheap to make as to read. `wrong` is set to
// what is wrong with the answer, if anything is.
llvm::DenseSet<mlir::Operation *>
chooseHandOver(const StepTasks &tasks, const StepTask &backward,
               const StepTask &weights, FateWish wish, dist::MeshOp mesh,
               const planning::CostModel &model, double price,
               std::string &wrong);

} // namespace zcc

#endif
