// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds annotations that divide work which devices repeat. They shard dims that
// are no batch, but that most of a step's work runs along: nodes and edges of a
// graph, points of a cloud, channels of a convolution net.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_DIVIDEWORK_H
#define ZCC_COMPILER_PLANNER_SEARCH_DIVIDEWORK_H

#include "passes/Distribute/Place/DecideSharding.h"
#include "passes/Distribute/Place/DimClasses.h"

namespace zcc::planner {

// Operations that all devices together do of a step whose sharding is decided.
struct WorkSum {
  double model = 0, padding = 0, repeated = 0;
  // The operations beyond those of the model.
  double extra() const { return padding + repeated; }
};
WorkSum sumWork(mlir::func::FuncOp step, const distribute::MeshAxes &mesh,
                const distribute::StepSharding &decided);

class WorkDivider {
public:
  // `rules` must outlive the divider.
  WorkDivider(mlir::func::FuncOp step, const distribute::StepRules &rules);

  // Decides the sharding of a plan; fails where there is none. It is called for
  // each trial.
  using Decide =
      llvm::function_ref<mlir::FailureOr<distribute::DecidedSharding>(
          const planning::Plan &)>;
  // Returns annotations to add to `plan`, whose sharding is `decided`. They
  // shard one class of dims over one axis at a time. The class that most of the
  // repeated work runs along is tried first, and kept if the step does less
  // work with it. Returns none if nothing is gained.
  std::vector<planning::PlanAnnotation>
  find(const planning::Plan &plan, const distribute::MeshAxes &mesh,
       const distribute::DecidedSharding &decided, Decide decide);

private:
  // A dim of an argument, and a glob that names this argument and all that are
  // like it.
  struct Dim {
    std::string glob;
    mlir::BlockArgument argument;
    unsigned dim;
  };
  struct Target {
    std::string name; // of the whole axis
    // The parts of the axis.
    distribute::AxisList axes;
  };
  // Returns the axis along which most work is repeated; nothing if that is
  // little.
  std::optional<Target> findAxis(const distribute::MeshAxes &mesh,
                                 const distribute::StepSharding &decided);
  // Returns the classes of dims that the work repeated over the target runs
  // along, each with the arguments that have such a dim. The arguments are
  // inputs, or parameters if no input has the dim.
  std::vector<llvm::SmallVector<Dim>>
  findDims(const distribute::MeshAxes &mesh,
           const distribute::StepSharding &decided, const Target &target);

  // Returns a glob of the argument's name. `isAlike` returns true if another
  // argument may have the same annotation.
  std::string globOf(mlir::BlockArgument argument,
                     llvm::function_ref<bool(mlir::BlockArgument)> isAlike);

  mlir::func::FuncOp step;
  distribute::DimClasses classes;
};

} // namespace zcc::planner

#endif
