// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shardings of a step while they are decided, before the IR is touched: for
// each op the shards of its factors, for each argument where it is stored, and
// which values stay partial. Deciding (Place) fills this in, estimates read it.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_STEPSHARDING_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_STEPSHARDING_H

#include "passes/Distribute/Sharding/DimUnits.h"
#include "passes/Distribute/Sharding/OpKeys.h"
#include "passes/Distribute/Sharding/StateChoice.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>
#include <memory>

namespace zcc::distribute {

// An op's factor rule, and the shards of its factors.
struct OpSharding {
  const train::FactorRule &rule; // owned by whoever made it
  FactorPlacement factors;
  // True if an annotation decided it, or the layout of the state that the op
  // updates.
  bool fixed = false;
  // True for ops of the update. Nothing is propagated from them and they count
  // as no neighbors, so that the step is the same whatever the layout of state.
  bool update = false;

  // The placements that the op demands of an operand and yields for a result.
  // They are partial only over its own Reduce factors.
  Placement operand(const MeshAxes &mesh, unsigned i) const;
  Placement result(const MeshAxes &mesh, unsigned i) const;
  // Returns true if one of its tensors has the dims of `placement`.
  bool isAt(const train::FactorRule::Tensor &tensor,
            const Placement &placement) const;
  // Returns the reduction under which result `i` is partial over an axis;
  // nullopt if it is not.
  std::optional<train::ReduceKind> partialOver(unsigned axis, unsigned i) const;
  bool uses(unsigned axis) const;
};

// Returns true if a value has the same dims as a tensor of one op and as a
// tensor of another.
bool sameDims(const OpSharding &a, const train::FactorRule::Tensor &ofA,
              const OpSharding &b, const train::FactorRule::Tensor &ofB);

struct ShardingOrigins;

struct StepSharding {
  // The rules, which copies of the step share.
  std::shared_ptr<std::deque<train::FactorRule>> rules;
  std::shared_ptr<const OpKeys> keys;                // decide between equals
  llvm::DenseMap<mlir::Operation *, OpSharding> ops; // those with factor rules
  // The placements in which arguments are stored.
  llvm::DenseMap<mlir::Value, Placement> arguments;
  // The placements that propagation starts from. They lack the axes over which
  // an argument is only stored (ZeRO).
  llvm::DenseMap<mlir::Value, Placement> seeds;
  // Arguments to which propagation may give axes that do not shard the batch.
  llvm::DenseSet<mlir::Value> open;
  // For an argument, the axes that an annotation keeps off it.
  llvm::DenseMap<mlir::Value, AxisList> without;
  // The placements that the terminator and ops without factor rules take; whole
  // if absent.
  llvm::DenseMap<mlir::OpOperand *, Placement> demands;
  // The uses, by the terminator, of values that leave the step as an array
  // (OutputKind::Array): in the dims in which they are computed.
  llvm::DenseSet<mlir::OpOperand *> arrays;
  // For a gradient, its parameter. The gradient is wanted where the parameter
  // lives, without the axes over which state is only stored.
  llvm::DenseMap<mlir::Value, mlir::Value> parameterOf;
  AxisList batchAxes; // those that shard the batch
  AxisList stateAxes; // those over which state may be split
  // The state of each parameter. `stage` is for gradients of no parameter in
  // it.
  llvm::DenseMap<mlir::Value, StateChoice> states;
  int stage = 0;
  bool exact = false; // gradients are accumulated before anything else
  const StateChoice *stateOf(mlir::Value parameter) const {
    auto it = states.find(parameter);
    return it == states.end() ? nullptr : &it->second;
  }
  // Returns true if the gradient crosses the network before it is accumulated.
  // Then it is accumulated in shards.
  bool sumsFirst(mlir::Value gradient) const {
    const StateChoice *own = stateOf(parameterOf.lookup(gradient));
    return !exact && (own ? own->stage : stage) >= 2;
  }
  // For a value that has the sequence as a dim, that dim. It may be sharded
  // over `sequenceAxes` if that moves no more bytes.
  llvm::DenseMap<mlir::Value, unsigned> sequenceDims;
  AxisList sequenceAxes;
  std::shared_ptr<ShardingOrigins> origins; // null unless somebody asks
};

// Values that are partial when they are computed. `axes`: the axes over which
// they are. `kept`: those over which their users take them so; over the others
// they are reduced at once.
struct Partials {
  struct Entry {
    AxisList axes, kept; // ascending
    train::ReduceKind kind = train::ReduceKind::add;
  };
  llvm::DenseMap<mlir::Value, Entry> values;
  // Whole operands that are made partial because the other operands are: only
  // the first device of the axes keeps its value, the others give zero.
  llvm::DenseMap<mlir::OpOperand *, AxisList> made;
};

// Collects the rules of the block's ops; nothing is sharded yet.
void collectRules(mlir::Block &block, StepSharding &step);

} // namespace zcc::distribute

#endif
