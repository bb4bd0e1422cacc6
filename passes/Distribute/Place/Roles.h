// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What propagation starts from: annotations of the user, and what the names of
// mesh axes mean.
//
//   micro    divides the batch over time
//   data     shards the batch (and state, see StateLayout.h)
//   expert   shards experts, and everywhere else the batch
//   tensor   shards dims of the model, chosen by what the reductions over them
//            would move (Megatron's plan on a transformer); between its
//            sums the sequence, where that moves no more
//   context  shards the sequence
//
// Any other axis is only what annotations say.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_ROLES_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_ROLES_H

#include "compiler/planning/Plan.h"
#include "passes/Distribute/Place/Batch.h"

namespace zcc::dist {

// What lives otherwise than the user and the roles say: to see what that costs.
struct SeedOverrides {
  llvm::DenseMap<mlir::Value, Placement> arguments;
  llvm::DenseMap<mlir::Operation *, FactorPlacement> ops;
};

struct SeedRequest {
  llvm::ArrayRef<std::string> notBatched; // inputs without a batch
  llvm::ArrayRef<planning::PlanAnnotation> shard;
  bool wholeSequence =
      false; // else over `tensor` too, where that costs nothing
  const SeedOverrides *instead = nullptr;
  bool pinned = false; // a plan says more than the seeds do
};

// Experts: dims that are batching both of a product and of the parameter that
// it reads as `operand`.
struct ExpertDim {
  mlir::Value operand;
  unsigned dim;
  mlir::BlockArgument parameter;
};
llvm::SmallVector<ExpertDim> findExperts(mlir::func::FuncOp func);

// Fills `seeds`, `open`, `batchAxes` and the fixed ops of the step. Reports
// errors at the argument or op.
llvm::LogicalResult placeSeeds(mlir::func::FuncOp func, const MeshAxes &mesh,
                               const Units &units, const BatchChoice &batch,
                               const SeedRequest &request,
                               StepSharding &step);

} // namespace zcc::dist

#endif
