// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of the forward pass is computed again so that what is kept for the
// backward pass is few bytes.
#ifndef ZCC_PASSES_PIPELINE_CHOOSERESIDUALS_H
#define ZCC_PASSES_PIPELINE_CHOOSERESIDUALS_H

#include "compiler/planning/CostModel.h"
#include "compiler/planning/Recomputation.h"
#include "passes/Pipeline/StepTasks.h"
#include <memory>

namespace zcc {

// What the backward pass reads of the forward pass and could compute again.
// What lies between repeated blocks stays, so that only one block is computed
// again at a time; so do parameters, which have choices of their own, and what
// is next to free is no matter.
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
    return frontier->getPoints();
  }

private:
  planning::RecomputationProblem problem;
  std::unique_ptr<planning::RecomputationFrontier> frontier;
  planning::Recomputation chosen;
  llvm::DenseMap<mlir::Operation *, size_t> number; // of ops of the problem
  llvm::DenseSet<mlir::Operation *> stays;
};

// What backward tasks read of forward tasks, in bytes; parameters apart.
double countResiduals(const StepTasks &tasks);

// Where the backward pass of a step does an op of the forward pass once more
// (what differentiation finds next to free to compute again), it reads the
// op's results instead.
void mergeCopies(mlir::func::FuncOp step);

} // namespace zcc

#endif
