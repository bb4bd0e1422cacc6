// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the seeds that propagation starts from: the annotations of the user,
// and the roles that the names of mesh axes stand for.
//
//   micro    divides the batch over time
//   data     shards the batch (and state, see StateLayout.h)
//   expert   shards experts, and everywhere else the batch
//   tensor   shards dims of the model, chosen by what the reductions over them
//            would move (Megatron's plan on a transformer); between its
//            sums the sequence, where that moves no more
//   context  shards the sequence
//
// Any other axis shards only what annotations say.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_ROLES_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_ROLES_H

#include "planning/Plan.h"
#include "passes/Distribute/Place/Batch.h"

namespace zcc::distribute {

// Placements that overrule the user and the roles, to see what they cost.
struct SeedOverrides {
  llvm::DenseMap<mlir::Value, Placement> arguments;
  llvm::DenseMap<mlir::Operation *, FactorPlacement> ops;
};

struct SeedRequest {
  llvm::ArrayRef<std::string> notBatched; // inputs without a batch
  llvm::ArrayRef<planning::PlanAnnotation> shard;
  llvm::ArrayRef<unsigned> expertAxes; // shard experts besides `expert`
  bool wholeSequence =
      false; // else over `tensor` too, where that costs nothing
  const SeedOverrides *instead = nullptr;
  bool pinned = false; // a plan pins more than the seeds say
};

// Experts are dims that are batching in a product and also in the parameter
// that it reads as `operand`.
struct ExpertDim {
  mlir::Value operand;
  unsigned dim;
  mlir::BlockArgument parameter;
};
llvm::SmallVector<ExpertDim> findExperts(mlir::func::FuncOp func);

// Fills in `seeds`, `open`, `batchAxes` and the fixed ops of the step. Reports
// errors at the argument or op.
llvm::LogicalResult placeSeeds(mlir::func::FuncOp func, const MeshAxes &mesh,
                               const DimUnits &units, const BatchChoice &batch,
                               const SeedRequest &request, StepSharding &step);

} // namespace zcc::distribute

#endif
