// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sharding pass decides before it touches the IR: where every op's
// factors are sharded, and which values stay partial. Plain functions on a
// block of ops, in any order.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_PROPAGATION_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_PROPAGATION_H

#include "passes/Distribute/Place/OpKeys.h"
#include "passes/Distribute/Place/StateChoice.h"
#include "passes/Distribute/Place/Units.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>
#include <memory>

namespace zcc::dist {

// Per op its factor rule and the shards of its factors.
struct OpSharding {
  const train::FactorRule &rule; // who made it keeps it
  FactorPlacement factors;
  // Decided by somebody else: an annotation, or the layout of the state that
  // the op updates.
  bool fixed = false;
  // Of the update: neither propagated from nor counted as a neighbor, so that
  // the step is the same whatever the layout of state.
  bool update = false;

  // Placements that the op demands of an operand and yields for a result,
  // partial only over its own Reduce factors.
  Placement operand(const MeshAxes &mesh, unsigned i) const;
  Placement result(const MeshAxes &mesh, unsigned i) const;
  // Whether one of them has its dims as `placement` does.
  bool isAt(const train::FactorRule::Tensor &tensor,
            const Placement &placement) const;
  // The reduction under which result `i` is partial over an axis; nullopt if it
  // is not.
  std::optional<train::ReduceKind> partialOver(unsigned axis, unsigned i) const;
  bool uses(unsigned axis) const;
};

// Whether a value has the same dims as a tensor of one op and of another.
bool sameDims(const OpSharding &a, const train::FactorRule::Tensor &ofA,
              const OpSharding &b, const train::FactorRule::Tensor &ofB);

struct ShardingOrigins;

struct StepSharding {
  // Shared by copies of the step.
  std::shared_ptr<std::deque<train::FactorRule>> rules;
  std::shared_ptr<const OpKeys> keys;                // decide between equals
  llvm::DenseMap<mlir::Operation *, OpSharding> ops; // those with factor rules
  // Where arguments live.
  llvm::DenseMap<mlir::Value, Placement> arguments;
  // What propagation starts from: an argument without the axes over which it is
  // only stored (ZeRO).
  llvm::DenseMap<mlir::Value, Placement> seeds;
  // Arguments to which propagation may give axes that do not shard the batch.
  llvm::DenseSet<mlir::Value> open;
  // Axes that an annotation keeps off an argument.
  llvm::DenseMap<mlir::Value, AxisList> without;
  // What the terminator and ops without factor rules take; whole where absent.
  llvm::DenseMap<mlir::OpOperand *, Placement> demands;
  // Of a gradient its parameter: it is wanted where that lives, without the
  // axes over which state is only stored.
  llvm::DenseMap<mlir::Value, mlir::Value> parameterOf;
  AxisList batchAxes; // those that shard the batch
  AxisList stateAxes; // those over which state may be split
  // Of each parameter; and the stage of what is none.
  llvm::DenseMap<mlir::Value, StateChoice> states;
  int stage = 0;
  bool exact = false; // gradients are accumulated before anything else
  const StateChoice *stateOf(mlir::Value parameter) const {
    auto it = states.find(parameter);
    return it == states.end() ? nullptr : &it->second;
  }
  // Whether the gradient crosses the network before it is accumulated, in
  // shards of it then.
  bool sumsFirst(mlir::Value gradient) const {
    const StateChoice *own = stateOf(parameterOf.lookup(gradient));
    return !exact && (own ? own->stage : stage) >= 2;
  }
  // Values that have the sequence as a dim, and which; where it may be sharded
  // over `sequenceAxes` if that moves no more bytes.
  llvm::DenseMap<mlir::Value, unsigned> sequenceDims;
  AxisList sequenceAxes;
  std::shared_ptr<ShardingOrigins> origins; // null unless somebody asks
};

// Rules of the ops of the block; nothing is sharded.
void collectRules(mlir::Block &block, StepSharding &step);

// Carries the seeds along the factors of all ops of the block.
void propagate(mlir::Block &block, const MeshAxes &mesh, const Units &units,
               StepSharding &step);

// Values that are partial when they are computed: over which axes, and over
// which of them their users take them so; they are reduced over the others at
// once.
struct Partials {
  struct Entry {
    AxisList axes, kept; // ascending
    train::ReduceKind kind = train::ReduceKind::add;
  };
  llvm::DenseMap<mlir::Value, Entry> values;
  // Whole operands that are made partial because the others are: a device other
  // than the first of the axes gives zero.
  llvm::DenseMap<mlir::OpOperand *, AxisList> made;
};
// Without `keep` values are reduced where they are computed, over devices.
Partials placePartials(mlir::Block &block, const MeshAxes &mesh,
                       const StepSharding &step, bool keep = true);

// Where sums over an axis are scattered, before anything else carries the axis
// there: parts that are added up anyway are scattered once, as their sum, where
// that is strictly less to send.
struct ScatteredSums {
  llvm::SmallVector<mlir::Value> values; // in the order of the block
  // Ops that take parts of sums and leave parts: they do not carry the axis.
  llvm::DenseSet<mlir::Operation *> adders;
};
// `canScatter`: others would be reduced as a whole.
ScatteredSums placeScatters(mlir::Block &block, const MeshAxes &mesh,
                            const StepSharding &step, unsigned axis,
                            llvm::function_ref<bool(mlir::Value)> canScatter);

// Whether the result of `op` is a part of its value, to be combined by `kind`,
// when the operands for which `isPartial` holds are parts of theirs and the
// others are whole.
bool passesPartial(mlir::Operation *op, train::ReduceKind kind,
                   llvm::function_ref<bool(unsigned)> isPartial);

} // namespace zcc::dist

#endif
