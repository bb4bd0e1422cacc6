// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of the forward pass is computed again so that what is kept for the
// backward pass is few bytes.
#ifndef ZCC_PASSES_PIPELINE_CHOOSERESIDUALS_H
#define ZCC_PASSES_PIPELINE_CHOOSERESIDUALS_H

#include "compiler/planning/CostModel.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/StepTasks.h"
#include "passes/Train/Globs.h"
#include "passes/Train/ResidualGraph.h"

namespace zcc {

// Of what the backward pass reads and could compute again. Parameters have
// choices of their own, and what is next to free is no matter.
class ResidualChoice {
public:
  // The quickest way to keep at most so many bytes a microbatch, or the
  // fewest that there are. `tasks`: assigned. Seconds are of one of the devices
  // of `mesh`.
  ResidualChoice(const StepTasks &tasks, dist::MeshOp mesh,
                 const planning::CostModel &model, double bytes);

  Keep wish(mlir::Operation *op) const;
  // What is kept.
  double getBytes() const { return chosen.bytes; }
  // What could be chosen.
  const std::vector<planning::RecomputationFrontier::Point> &
  getFrontier() const {
    return frontier.getPoints();
  }

private:
  ResidualGraph graph;
  planning::RecomputationFrontier frontier;
  planning::Recomputation chosen;
};

// Finds what tasks read of earlier ones: as `remat` and `globs` (RematWishes.h)
// say; where `limit` has a number of bytes, the quickest within it. Fills the
// rest of `limit`.
void chooseReads(StepTasks &tasks, dist::MeshOp mesh,
                 const planning::Machine &machine, llvm::StringRef remat,
                 Globs &globs, ResidualBudget &limit);

// What backward tasks read of forward tasks, in bytes; parameters apart.
double countResiduals(const StepTasks &tasks);

// What of a step's backward pass only repeats an op of the forward pass reads
// that op's results.
void mergeCopies(mlir::func::FuncOp step);

} // namespace zcc

#endif
