// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What became of values of the forward pass that the backward pass reads, and
// what the other choice would have cost, for explanations.
#ifndef ZCC_PASSES_PIPELINE_TELLRESIDUALS_H
#define ZCC_PASSES_PIPELINE_TELLRESIDUALS_H

#include "planning/CostModel.h"
#include "passes/Pipeline/CompressResiduals.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/StepTasks.h"

namespace zcc {

struct ToldResidual {
  enum class Fate {
    Kept,
    Between, // kept: it lies between repeated blocks, which cut the step
    Again    // computed again by the backward pass
  };
  Fate fate = Fate::Kept;
  // Of its results that are kept, or would be: a device's, of a microbatch.
  double bytes = 0;
  // The other choice for this op, all others as they are, more than now: bytes
  // as above, seconds of a step. Computed again: with what it reads and is not
  // there. Kept: what runs again for it alone runs no more.
  struct Other {
    double bytes = 0, seconds = 0;
  };
  std::optional<Other> other; // nullopt: there is none
};

class ResidualTeller {
public:
  // Decides for a step of phase `partitioned` as SplitTasks does with these
  // options; the module is changed. Reports errors.
  static std::unique_ptr<ResidualTeller> create(mlir::ModuleOp partitioned,
                                                const PipelineOptions &options);

  // Ops of the forward pass, in order.
  llvm::SmallVector<mlir::Operation *> getForward() const {
    return tasks.getForward();
  }
  // Nullopt: the backward pass does not read it, it is next to free to compute
  // again, or it is of a gathered parameter, which has choices of its own.
  std::optional<ToldResidual> tell(mlir::Operation *op) const;
  // What may be kept for which seconds, both of a microbatch; what is kept.
  const ResidualBudget &getBudget() const { return budget; }
  bool hasBackward() const;
  double getMicrobatches() const { return microbatches; }

private:
  ResidualTeller(mlir::func::FuncOp step, dist::MeshOp mesh,
                 const planning::Machine &machine)
      : tasks(step), mesh(mesh), model(machine, mesh.getDevices()) {}

  // The task of the backward pass that has it, kept or again; null if none.
  const StepTask *findReader(mlir::Operation *op, bool &again) const;
  ToldResidual::Other runAgain(mlir::Operation *op, const StepTask &task) const;
  ToldResidual::Other keepInstead(mlir::Operation *op,
                                  const StepTask &task) const;

  StepTasks tasks;
  dist::MeshOp mesh;
  planning::CostModel model;
  ResidualForms forms;
  ResidualBudget budget;
  double microbatches = 1;
  llvm::DenseSet<mlir::Value> between;
};

} // namespace zcc

#endif
