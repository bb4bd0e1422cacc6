// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dims that most of a step's work runs along although they are no batch: nodes
// and edges of a graph, points of a cloud, channels of a convolution net. Where
// devices do the same work, these are annotations that would divide it.
#ifndef ZCC_PASSES_DISTRIBUTE_CHOOSE_DIVIDEWORK_H
#define ZCC_PASSES_DISTRIBUTE_CHOOSE_DIVIDEWORK_H

#include "passes/Distribute/Place/DecideSharding.h"
#include "passes/Distribute/Place/DimClasses.h"

namespace zcc::dist {

// What all devices together do of a step that is decided.
struct WorkSum {
  double model = 0, padding = 0, repeated = 0;
  // More than the model's.
  double extra() const { return padding + repeated; }
};
WorkSum sumWork(mlir::func::FuncOp step, const MeshAxes &mesh,
                const StepSharding &decided);

class WorkDivider {
public:
  // `rules` outlive it.
  WorkDivider(mlir::func::FuncOp step, const StepRules &rules);

  // The sharding of a plan; failure where there is none. Called for each trial.
  using Decide = llvm::function_ref<mlir::FailureOr<DecidedSharding>(
      const planning::Plan &)>;
  // Annotations to add to `plan`, of which `decided` is: one class of dims over
  // one axis at a time, that which most of the repeated work runs along first,
  // kept where the step then does less. None where nothing is gained.
  std::vector<planning::PlanAnnotation> find(const planning::Plan &plan,
                                             const MeshAxes &mesh,
                                             const DecidedSharding &decided,
                                             Decide decide);

private:
  // Dim of what the glob names: an argument, or all that are like it.
  struct Dim {
    std::string glob;
    mlir::BlockArgument argument;
    unsigned dim;
  };
  struct Target {
    std::string name; // of an axis, all parts of it
    AxisList axes;
  };
  // The axis along which most is repeated; nothing if that is little.
  std::optional<Target> findAxis(const MeshAxes &mesh,
                                 const StepSharding &decided);
  // Classes of dims along which work runs that is repeated over the axes, and
  // arguments that have them: inputs, or parameters where no input has.
  std::vector<llvm::SmallVector<Dim>> findDims(const MeshAxes &mesh,
                                               const StepSharding &decided,
                                               const Target &target);

  // `isAlike`: whether the same may be said of another argument.
  std::string globOf(mlir::BlockArgument argument,
                     llvm::function_ref<bool(mlir::BlockArgument)> isAlike);

  mlir::func::FuncOp step;
  DimClasses classes;
};

} // namespace zcc::dist

#endif
