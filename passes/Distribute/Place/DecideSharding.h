// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where every value of a step lives, given a mesh and what the user said: seeds
// (Roles.h), propagation, the layout of state (StateLayout.h), partial values.
// Reads the IR and writes nothing but marks of conversions.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_DECIDESHARDING_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_DECIDESHARDING_H

#include "passes/Distribute/Place/PlanPins.h"
#include "passes/Distribute/Place/Roles.h"

namespace zcc::dist {

struct ShardingRequest {
  // Its mesh and microbatches are those of the MeshAxes beside it.
  const planning::Plan *plan;
  llvm::ArrayRef<std::string> notBatched; // inputs without a batch
  llvm::ArrayRef<std::string> disable;    // names of optimizations
  bool exact = false;
  // Null: those of the plan. They hold where seeds are not overridden.
  const ShardingPins *pins = nullptr;
  const SeedOverrides *instead = nullptr;
};

// Of the plan's mesh, after the microbatches.
MeshAxes makeAxes(mlir::ModuleOp module, const planning::Plan &plan);

struct DecidedSharding {
  StepSharding step;
  Partials partials;
  int zero = 0;
};

// Rules of the ops of a function, and multiples in which dims are padded;
// neither depends on the mesh. What is decided by them only reads the function:
// many meshes may be side by side.
struct StepRules {
  // Marks conversions that parts of sums may go through; `disable`:
  // "narrow-sums" if none may.
  explicit StepRules(mlir::func::FuncOp func,
                     llvm::ArrayRef<std::string> disable = {});
  StepSharding step; // nothing is sharded; updates are fixed
  Units units;
  BatchChoice batch;
};

// Of the step; any other function is left whole. Reports errors.
mlir::FailureOr<DecidedSharding> decideSharding(mlir::func::FuncOp func,
                                                const MeshAxes &mesh,
                                                const StepRules &rules,
                                                const ShardingRequest &request);

// What follows once `step.ops` and `step.seeds` are decided.
mlir::LogicalResult finishSharding(mlir::func::FuncOp func,
                                   const MeshAxes &mesh,
                                   const ShardingRequest &request,
                                   DecidedSharding &decided);

} // namespace zcc::dist

#endif
