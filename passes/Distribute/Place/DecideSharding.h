// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides where every value of a step lives, given a mesh and the user's
// options: seeds (Roles.h), propagation, the layout of state (StateLayout.h),
// partial values. Reads the IR and writes only marks on conversions.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_DECIDESHARDING_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_DECIDESHARDING_H

#include "passes/Distribute/Place/PlanPins.h"
#include "passes/Distribute/Place/Roles.h"

namespace zcc::distribute {

struct ShardingRequest {
  // Its mesh and microbatches are ignored: those of the MeshAxes beside it
  // count.
  const planning::Plan *plan;
  llvm::ArrayRef<std::string> notBatched; // inputs without a batch
  llvm::ArrayRef<std::string> disable;    // names of optimizations
  bool exact = false;
  // Pins; null: those of the plan. They hold where seeds are not overridden.
  const ShardingPins *pins = nullptr;
  const SeedOverrides *instead = nullptr;
};

// Returns the axes of the plan's mesh, after the axis of the microbatches.
MeshAxes makeAxes(mlir::ModuleOp module, const planning::Plan &plan);

struct DecidedSharding {
  StepSharding step;
  Partials partials;
  int zero = 0;
};

// The rules of a function's ops, and the multiples to which dims are padded.
// Neither depends on the mesh. Deciding by them only reads the function, so
// that several meshes can be decided in parallel.
struct StepRules {
  // Marks the conversions that partial sums may go through; none if `disable`
  // contains "narrow-sums".
  explicit StepRules(mlir::func::FuncOp func,
                     llvm::ArrayRef<std::string> disable = {});
  StepSharding step; // nothing is sharded; updates are fixed
  DimUnits units;
  BatchChoice batch;
};

// Decides the shardings of the step. Any other function is left whole. Reports
// errors.
mlir::FailureOr<DecidedSharding> decideSharding(mlir::func::FuncOp func,
                                                const MeshAxes &mesh,
                                                const StepRules &rules,
                                                const ShardingRequest &request);

// Decides the rest once `step.ops` and `step.seeds` are decided.
mlir::LogicalResult finishSharding(mlir::func::FuncOp func,
                                   const MeshAxes &mesh,
                                   const ShardingRequest &request,
                                   DecidedSharding &decided);

} // namespace zcc::distribute

#endif
