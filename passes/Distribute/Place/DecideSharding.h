// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where every value of a step lives, given a mesh and what the user said: seeds
// (Roles.h), propagation, the layout of state (StateLayout.h), partial values.
// Reads the IR and writes nothing but marks of conversions.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_DECIDESHARDING_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_DECIDESHARDING_H

#include "passes/Distribute/Place/Roles.h"

namespace zcc::dist {

// What was chosen, of a module: a dictionary of `shard` (as --shard takes
// them), `shard_sequence`, `zero`, `zero_axes`, `state` (as --state takes them)
// and `text` (for people).
inline constexpr llvm::StringLiteral planAttrName = "dist.plan";
// All plans that were looked at: dictionaries of `text`, `zero`,
// `microbatches`, `compute`, `communication` (seconds) and `bytes` (of a
// device), estimates.
inline constexpr llvm::StringLiteral consideredAttrName = "dist.considered";

// How a plan places single arguments and ops (pinAttrName).
struct ShardingPins {
  struct Pin {
    mlir::ArrayAttr shards;
    mlir::LocationAttr at; // in the plan's file; null: there is none
  };
  llvm::DenseMap<mlir::Value, Pin> arguments;
  llvm::DenseMap<mlir::Operation *, Pin> ops;
  bool empty() const { return arguments.empty() && ops.empty(); }
};
// Takes them out of the function.
ShardingPins takePins(mlir::func::FuncOp func);

struct ShardingRequest {
  SeedRequest seeds;
  // Null: those of the function, which are taken out of it. Where seeds are
  // overridden they do not count.
  const ShardingPins *pins = nullptr;
  int zero = -1;                        // -1: 1 where there is an axis for it
  llvm::ArrayRef<std::string> zeroAxes; // empty: all that shard the batch
  llvm::ArrayRef<std::string> state;    // of single parameters (StateChoice.h)
  bool exact = false;
  llvm::ArrayRef<std::string> disable; // names of optimizations
};

// The options that placement reads, of somebody who keeps them.
struct ShardingOptions {
  std::vector<std::string> notBatched, shard, zeroAxes, state, disable;
  bool shardSequence = true, exact = false;
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
mlir::FailureOr<DecidedSharding> decideSharding(mlir::func::FuncOp func,
                                                const MeshAxes &mesh,
                                                const StepRules &rules,
                                                const ShardingRequest &request);

// On an op: a text "AXIS+AXIS/EXTENT" a factor; on a parameter or input: one a
// dim, its sharding without the axes over which it is only stored.
inline constexpr llvm::StringLiteral pinAttrName = "dist.pinned";
// Beside it, where it stands in the plan's file.
inline constexpr llvm::StringLiteral pinPlaceAttrName = "dist.pinned_at";

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
