// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Closes the phase `sharded`. It knows nothing of how shardings were chosen. It
// checks, op by op:
// - every argument and result has a sharding of the mesh, of its rank, that
// uses an axis once and divides its extents, with their padding;
// - the operands and results of an op agree on the axes of each factor; factors
// that must be whole are; a dim read by windows moves with one other factor;
// - a result is partial over the axes of the op's Reduce factors, and over
// those of operands that the op passes on;
// - a folded sequence is split over as many devices, and its stripes are equal;
// - an op's stage and chunk, if it has them, exist in the mesh;
// - a reshard's ends are the shardings of its operand and result; values that
// leave the step are whole.
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Place/Propagation.h"
#include "passes/Distribute/Sharding/SequenceFolder.h"
#include "passes/Distribute/Sharding/Window.h"

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_VERIFYSHARDED
#include "passes/Distribute/Passes.h.inc"

namespace {
using train::FactorRule;

struct Checker {
  const MeshAxes &mesh;
  DenseMap<Value, Placement> placements;

  ShardingAttr text(Value v) {
    return mesh.toAttr(placements[v], train::shapeOf(v));
  }

  // Notes where `v` lives.
  template <typename Emit>
  LogicalResult record(Value v, ShardingAttr attr, Emit emit) {
    ArrayRef<int64_t> shape = train::shapeOf(v);
    if (attr.getDims().size() != shape.size())
      return emit() << "sharding " << attr << " has " << attr.getDims().size()
                    << " dims, the value has " << shape.size();
    std::optional<Placement> placement = mesh.fromAttr(attr, shape);
    if (!placement)
      return emit()
             << "sharding " << attr
             << " names an axis that the mesh lacks, or an unknown reduction";
    SmallVector<int> used(mesh.size(), 0);
    for (auto [d, axes] : llvm::enumerate(placement->dims)) {
      for (unsigned axis : axes)
        ++used[axis];
      int64_t extent = placement->extents[d];
      if (extent < shape[d] || extent % mesh.shards(axes) != 0 ||
          (axes.empty() && extent != shape[d]))
        return emit() << "dim " << d << " of extent " << shape[d]
                      << " is padded to " << extent << ", which "
                      << mesh.shards(axes) << " shards do not divide";
    }
    for (unsigned axis : placement->partial)
      ++used[axis];
    for (auto [axis, times] : llvm::enumerate(used))
      if (times > 1)
        return emit() << "sharding " << attr << " uses axis '"
                      << mesh.nameOf(axis) << "' " << times << " times";
    placements[v] = *placement;
    return success();
  }

  LogicalResult checkRule(Operation *op, const FactorRule &rule) {
    // Collect the factors' shards from all tensors. They are checked by writing
    // every tensor down again.
    FactorPlacement factors = wholeFactors(rule);
    auto collect = [&](Value v, const FactorRule::Tensor &tensor) {
      FactorPlacement own = wholeFactors(rule);
      if (!mesh.toFactors(rule, tensor, placements[v], own))
        return false;
      for (auto [factor, shards] : llvm::enumerate(own))
        if (factors[factor].axes.empty())
          factors[factor] = shards;
      return true;
    };
    auto agrees = [&](Value v, const FactorRule::Tensor &tensor) {
      std::optional<Placement> placement = mesh.toDims(rule, tensor, factors);
      return placement && placement->dims == placements[v].dims &&
             placement->extents == placements[v].extents;
    };
    for (bool collecting : {true, false}) {
      for (auto [i, v] : llvm::enumerate(op->getOperands()))
        if (collecting ? !collect(v, rule.operands[i])
                       : !agrees(v, rule.operands[i]))
          return op->emitOpError("operand ")
                 << i << " has the sharding " << text(v)
                 << ", which the factor rule and the other shardings do not "
                    "permit";
      for (auto [i, v] : llvm::enumerate(op->getResults()))
        if (collecting ? !collect(v, rule.results[i])
                       : !agrees(v, rule.results[i]))
          return op->emitOpError("result ")
                 << i << " has the sharding " << text(v)
                 << ", which the factor rule and the other shardings do not "
                    "permit";
    }
    for (auto [factor, own] : llvm::zip_equal(rule.factors, factors))
      if (!own.axes.empty() && factor.kind == FactorRule::Kind::Replicate)
        return op->emitOpError("a dim of extent ")
               << factor.size << " must be whole, but is sharded over "
               << mesh.nameAttr(own.axes);
    for (auto [f, own] : llvm::enumerate(factors))
      for (unsigned axis : own.axes)
        if (mesh.isTemporal(axis) && rule.needsNeighbors(f))
          return op->emitOpError("a dim of extent ")
                 << rule.factors[f].size << " is split over microbatches ('"
                 << mesh.nameOf(axis)
                 << "'), but needs elements of other microbatches";
    if (!windowsFit(mesh, rule, factors))
      return op->emitOpError(
          "a dim is read by windows that move with two split dims, expected "
          "one");
    OpSharding sharding{rule, factors};
    for (OpResult v : op->getResults())
      if (failed(checkPartial(v, sharding)))
        return failure();
    return success();
  }

  // Checks that a result is partial over the op's own sums and over what the op
  // passes on.
  LogicalResult checkPartial(OpResult v, const OpSharding &sharding) {
    Operation *op = v.getOwner();
    Placement expected = sharding.result(mesh, v.getResultNumber());
    AxisList passed;
    for (Value operand : op->getOperands())
      for (unsigned axis : placements[operand].partial)
        if (!llvm::is_contained(passed, axis))
          passed.push_back(axis);
    for (unsigned axis : passed) {
      std::optional<train::ReduceKind> kind;
      bool agree = !sharding.uses(axis);
      auto isPartial = [&](unsigned i) {
        return llvm::is_contained(placements[op->getOperand(i)].partial, axis);
      };
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        if (isPartial(i)) {
          train::ReduceKind own = placements[op->getOperand(i)].reduction;
          agree &= !kind || *kind == own;
          kind = own;
        }
      if (!agree || !passesPartial(op, *kind, isPartial))
        return op->emitOpError("takes operands that are partial over '")
               << mesh.nameOf(axis) << "', which it cannot";
      expected.partial.push_back(axis);
      expected.reduction = *kind;
    }
    llvm::sort(expected.partial);
    if (expected != placements[v])
      return op->emitOpError("result ")
             << v.getResultNumber() << " has the sharding " << text(v)
             << ", expected " << mesh.toAttr(expected, train::shapeOf(v));
    return success();
  }

  // Checks that every device has a pair of stripes of a folded sequence.
  LogicalResult checkFolded(Operation *op) {
    Attribute attr = op->getAttr(foldedAttrName);
    if (!attr)
      return success();
    auto devices = dyn_cast<IntegerAttr>(attr);
    if (!devices || !isa<train::AttentionOp, train::AttentionGradientOp>(op) ||
        !op->hasAttr(ringAttrName))
      return op->emitOpError("expected '")
             << foldedAttrName << "' to be the devices of a ring, found "
             << attr;
    const Placement &query = placements[op->getOperand(0)],
                    &key = placements[op->getOperand(1)];
    unsigned d = query.dims.size() - 3;
    int64_t extent = train::shapeOf(op->getOperand(0))[d],
            shards = mesh.shards(query.dims[d]);
    if (shards != devices.getInt() || query.dims[d] != key.dims[d] ||
        extent % (2 * shards) != 0)
      return op->emitOpError("expected a sequence of ")
             << extent << " elements that is folded over " << devices.getInt()
             << " devices to be split over as many, found " << shards;
    return success();
  }

  LogicalResult check(Operation *op) {
    auto shardings = op->getAttrOfType<ArrayAttr>(shardingsAttrName);
    if (op->getNumResults() &&
        (!shardings || shardings.size() != op->getNumResults()))
      return op->emitOpError("expected ")
             << op->getNumResults() << " shardings in '" << shardingsAttrName
             << "', found " << (shardings ? shardings.size() : 0);
    for (OpResult v : op->getResults()) {
      unsigned i = v.getResultNumber();
      auto attr = dyn_cast<ShardingAttr>(shardings[i]);
      if (!attr)
        return op->emitOpError("expected a sharding for result ")
               << i << ", found " << shardings[i];
      if (failed(record(v, attr, [&]() {
            return op->emitOpError("result ") << i << ": ";
          })))
        return failure();
    }
    if (auto reshard = dyn_cast<ReshardOp>(op)) {
      Placement from = placements[reshard.getOperand()],
                to = placements[reshard.getResult()];
      if (text(reshard.getOperand()) != reshard.getFrom())
        return op->emitOpError("from ")
               << reshard.getFrom() << ", but the operand has "
               << text(reshard.getOperand());
      if (text(reshard.getResult()) != reshard.getTo())
        return op->emitOpError("to ") << reshard.getTo()
                                      << ", but the result has "
                                      << text(reshard.getResult());
      for (unsigned axis : to.partial)
        if (!llvm::is_contained(from.partial, axis) &&
            to.reduction != train::ReduceKind::add)
          return op->emitOpError("cannot make a whole value partial over '")
                 << mesh.nameOf(axis) << "'";
      return success();
    }
    if (failed(checkFolded(op)))
      return failure();
    if (auto shardable = dyn_cast<train::ShardableOpInterface>(op))
      return checkRule(op, shardable.getFactorRule());
    // State leaves the step as it is stored; VerifyTasks compares it.
    if (isa<ObserveOp, func::ReturnOp>(op)) {
      for (auto [i, v] : llvm::enumerate(op->getOperands()))
        if (!placements[v].partial.empty())
          return op->emitOpError("operand ")
                 << i << " is partial: " << text(v);
      return success();
    }
    for (auto [i, v] : llvm::enumerate(op->getOperands()))
      if (placements[v] != Placement(train::shapeOf(v)))
        return op->emitOpError("operand ")
               << i << " must be whole, but has the sharding "
               << text(v);
    return success();
  }
};

struct VerifySharded : impl::VerifyShardedBase<VerifySharded> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp meshOp = getMesh(module);
    if (!meshOp) {
      module.emitError("the module has no dist.mesh");
      return signalPassFailure();
    }
    MeshAxes mesh(meshOp);
    for (func::FuncOp func : module.getOps<func::FuncOp>()) {
      Checker checker{mesh, DenseMap<Value, Placement>()};
      for (BlockArgument argument : func.getArguments()) {
        auto emit = [&]() {
          return emitError(argument.getLoc(), "argument ")
                 << argument.getArgNumber() << ": ";
        };
        auto attr = func.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(),
                                                        shardingAttrName);
        if (!attr) {
          emit() << "has no '" << shardingAttrName << "'";
          return signalPassFailure();
        }
        if (failed(checker.record(argument, attr, emit)))
          return signalPassFailure();
      }
      for (Operation &op : func.getBody().front())
        if (failed(verifyStage(&op, meshOp)) || failed(checker.check(&op)))
          return signalPassFailure();
    }
  }
};
} // namespace
} // namespace zcc
