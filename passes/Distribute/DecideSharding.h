// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where every value of a step lives, given a mesh and what the user said: seeds
// (Roles.h), propagation, the layout of state (StateLayout.h), partial values.
// Reads the IR and writes nothing but marks of conversions.
#ifndef ZCC_PASSES_DISTRIBUTE_DECIDESHARDING_H
#define ZCC_PASSES_DISTRIBUTE_DECIDESHARDING_H

#include "passes/Distribute/Roles.h"

namespace zcc::dist {

// What was chosen, of a module: a dictionary of `shard` (as --shard takes them),
// `shard_sequence`, `zero`, `zero_axes` and `text` (for people).
inline constexpr llvm::StringLiteral planAttrName = "dist.plan";
// All plans that were looked at: dictionaries of `text`, `zero`, `microbatches`,
// `compute`, `communication` (seconds) and `bytes` (of a device), estimates.
inline constexpr llvm::StringLiteral consideredAttrName = "dist.considered";

struct ShardingRequest {
  SeedRequest seeds;
  int zero = -1; // -1: 1 where there is an axis for it
  llvm::ArrayRef<std::string> zeroAxes; // empty: all that shard the batch
  llvm::ArrayRef<std::string> disable;  // names of optimizations
};

// The options that placement reads, of somebody who keeps them.
struct ShardingOptions {
  std::vector<std::string> notBatched, shard, zeroAxes, disable;
  bool shardSequence = true;
  int zero = -1;

  // What was chosen, where the options are silent.
  void addPlan(mlir::ModuleOp module);
  ShardingRequest request() const;
};

struct DecidedSharding {
  StepSharding step;
  Partials partials;
  int zero = 0;
};

// Rules of the ops of a function, and multiples in which dims are padded;
// neither depends on the mesh.
struct StepRules {
  explicit StepRules(mlir::func::FuncOp func);
  StepSharding step; // nothing is sharded; updates are fixed
  Units units;
};

// Of the step; any other function is left whole. Reports errors.
mlir::FailureOr<DecidedSharding>
decideSharding(mlir::func::FuncOp func, const MeshAxes &mesh,
               const StepRules &rules, const ShardingRequest &request);

// On an op: a text "AXIS+AXIS/EXTENT" a factor; on an argument: one a dim, its
// sharding without the axes over which it is only stored.
inline constexpr llvm::StringLiteral pinAttrName = "dist.pinned";

// Writes down how the ops and arguments of the step are sharded, for
// decideSharding to take instead of propagating.
void pinSharding(mlir::func::FuncOp func, const MeshAxes &mesh,
                 const StepSharding &step);
void unpinSharding(mlir::func::FuncOp func);

// What follows once `step.ops` and `step.seeds` are decided.
mlir::LogicalResult finishSharding(mlir::func::FuncOp func,
                                   const MeshAxes &mesh,
                                   const ShardingRequest &request,
                                   DecidedSharding &decided);

} // namespace zcc::dist

#endif
