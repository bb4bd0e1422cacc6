// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells for explanations whether a value of the forward pass that the backward
// pass reads is kept or computed again, and what the other choice would cost.
#ifndef ZCC_PASSES_PIPELINE_TELLRESIDUALS_H
#define ZCC_PASSES_PIPELINE_TELLRESIDUALS_H

#include "passes/Pipeline/Decisions.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/ResidualFormats.h"
#include "passes/Pipeline/StepTasks.h"
#include "planning/CostModel.h"

namespace zcc {

struct ToldResidual {
  planning::Fate fate = planning::Fate::Kept; // or Recomputed
  // It is kept because it lies between repeated blocks, which cut the step.
  bool liesBetween = false;
  // Bytes of the results that are kept or would be, of a device and microbatch.
  double bytes = 0;
  // The cost of the other choice for this op, with all other choices as they
  // are, as a difference to now: bytes of a device and microbatch, seconds of a
  // step. If the op is now kept, the cost includes ops that must run again for
  // it. If it now runs again, ops that run again for it alone run no more.
  struct Other {
    double bytes = 0, seconds = 0;
  };
  std::optional<Other> other; // nullopt: there is no other choice
};

class ResidualTeller {
public:
  // Decides for a step of phase `partitioned` as SplitTasks does with these
  // options. The module is changed. Returns null after reporting an error.
  static std::unique_ptr<ResidualTeller> create(mlir::ModuleOp partitioned,
                                                const PipelineOptions &options);

  // Returns the ops of the forward pass, in order.
  llvm::SmallVector<mlir::Operation *> getForward() const {
    return tasks.getForward();
  }
  // Returns nullopt if the backward pass does not read the op, if it is next to
  // free to compute again, or if it belongs to a gathered parameter, which has
  // choices of its own.
  std::optional<ToldResidual> tell(mlir::Operation *op) const;
  // Returns what is kept, and the choices of bytes and seconds, of a
  // microbatch.
  const MemoryDecisions &getDecisions() const { return decided; }
  bool hasBackward() const;
  double getMicrobatches() const { return microbatches; }

private:
  ResidualTeller(mlir::func::FuncOp step, dist::MeshOp mesh,
                 const planning::Machine &machine)
      : tasks(step), mesh(mesh), model(machine, mesh.getDevices()) {}

  // Returns the first backward task that reads the op's results or computes it
  // again (`again`); null if none does.
  const StepTask *findReader(mlir::Operation *op, bool &again) const;
  ToldResidual::Other runAgain(mlir::Operation *op, const StepTask &task) const;
  ToldResidual::Other keepInstead(mlir::Operation *op,
                                  const StepTask &task) const;

  StepTasks tasks;
  dist::MeshOp mesh;
  planning::CostModel model;
  ResidualFormats formats;
  MemoryDecisions decided;
  double microbatches = 1;
  llvm::DenseSet<mlir::Value> between;
};

} // namespace zcc

#endif
