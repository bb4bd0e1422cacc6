// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Closes the phase `sharded`. Knows nothing of how shardings were chosen.
// Established, op by op:
// - every argument and result has a sharding of the mesh, of its rank, that
// uses an axis once and divides its extents;
// - the operands and results of an op agree on the axes of each factor; factors
// that must be whole are;
// - a result is partial over the axes of the op's Reduce factors, and over
// those of operands that the op passes on;
// - a reshard's ends are the shardings of its operand and result; what leaves
// the step is whole.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Propagation.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_VERIFYSHARDED
#include "passes/Distribute/Passes.h.inc"

namespace {
using train::FactorRule;

struct Checker {
  const MeshAxes &mesh;
  DenseMap<Value, Placement> placements;

  // Takes down where `v` lives.
  template <typename Emit>
  LogicalResult record(Value v, ShardingAttr attr, Emit emit) {
    std::optional<Placement> placement = mesh.fromAttr(attr);
    if (!placement)
      return emit()
             << "sharding " << attr
             << " names an axis that the mesh lacks, or an unknown reduction";
    ArrayRef<int64_t> shape = train::shapeOf(v);
    if (placement->dims.size() != shape.size())
      return emit() << "sharding " << attr << " has " << placement->dims.size()
                    << " dims, the value has " << shape.size();
    SmallVector<int> used(mesh.size(), 0);
    for (auto [d, axes] : llvm::enumerate(placement->dims)) {
      for (unsigned axis : axes)
        ++used[axis];
      if (shape[d] % mesh.shards(axes) != 0)
        return emit() << "not yet: dim " << d << " of extent " << shape[d]
                      << " over " << mesh.shards(axes)
                      << " shards, which do not divide it evenly";
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
    // What the factors get from all tensors, checked by writing every tensor
    // down again.
    FactorAxes axes(rule.factors.size());
    auto collect = [&](Value v, const FactorRule::Tensor &tensor) {
      FactorAxes own(rule.factors.size());
      if (!mesh.toFactors(rule, tensor, placements[v].dims, own))
        return false;
      for (auto [factor, list] : llvm::enumerate(own))
        if (axes[factor].empty())
          axes[factor] = list;
      return true;
    };
    auto agrees = [&](Value v, const FactorRule::Tensor &tensor) {
      return mesh.toDims(rule, tensor, axes) == placements[v].dims;
    };
    for (bool collecting : {true, false}) {
      for (auto [i, v] : llvm::enumerate(op->getOperands()))
        if (collecting ? !collect(v, rule.operands[i])
                       : !agrees(v, rule.operands[i]))
          return op->emitOpError("operand ")
                 << i << " has the sharding " << mesh.toAttr(placements[v])
                 << ", which the factor rule and the other shardings do not "
                    "permit";
      for (auto [i, v] : llvm::enumerate(op->getResults()))
        if (collecting ? !collect(v, rule.results[i])
                       : !agrees(v, rule.results[i]))
          return op->emitOpError("result ")
                 << i << " has the sharding " << mesh.toAttr(placements[v])
                 << ", which the factor rule and the other shardings do not "
                    "permit";
    }
    Placement expected; // its partial axes
    for (auto [factor, list] : llvm::zip_equal(rule.factors, axes)) {
      if (list.empty())
        continue;
      if (factor.kind == FactorRule::Kind::Replicate)
        return op->emitOpError("a dim of extent ")
               << factor.size << " must be whole, but is sharded over "
               << mesh.nameAttr(list);
      if (factor.kind == FactorRule::Kind::Reduce) {
        expected.partial.append(list);
        expected.reduction = factor.reduction;
      }
    }
    return checkPartial(op, axes, expected);
  }

  LogicalResult checkPartial(Operation *op, const FactorAxes &axes,
                             Placement expected) {
    AxisList passed;
    for (Value operand : op->getOperands())
      for (unsigned axis : placements[operand].partial)
        if (!llvm::is_contained(passed, axis))
          passed.push_back(axis);
    for (unsigned axis : passed) {
      std::optional<train::ReduceKind> kind;
      bool agree = llvm::none_of(axes, [&](const AxisList &list) {
        return llvm::is_contained(list, axis);
      });
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
    for (auto [i, v] : llvm::enumerate(op->getResults())) {
      Placement with = placements[v];
      with.partial = expected.partial;
      with.reduction = expected.reduction;
      if (with != placements[v])
        return op->emitOpError("result ")
               << i << " has the sharding " << mesh.toAttr(placements[v])
               << ", expected " << mesh.toAttr(with);
    }
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
      if (mesh.toAttr(from) != reshard.getFrom())
        return op->emitOpError("from ")
               << reshard.getFrom() << ", but the operand has "
               << mesh.toAttr(from);
      if (mesh.toAttr(to) != reshard.getTo())
        return op->emitOpError("to ")
               << reshard.getTo() << ", but the result has " << mesh.toAttr(to);
      for (unsigned axis : to.partial)
        if (!llvm::is_contained(from.partial, axis))
          return op->emitOpError("cannot make a whole value partial over '")
                 << mesh.nameOf(axis) << "'";
      return success();
    }
    if (auto shardable = dyn_cast<train::ShardableOpInterface>(op))
      return checkRule(op, shardable.getFactorRule());
    for (auto [i, v] : llvm::enumerate(op->getOperands()))
      if (Placement whole{DimAxes(rankOf(v)), AxisList()};
          placements[v] != whole)
        return op->emitOpError("operand ")
               << i << " must be whole, but has the sharding "
               << mesh.toAttr(placements[v]);
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
        if (failed(checker.check(&op)))
          return signalPassFailure();
    }
  }
};
} // namespace
} // namespace zcc
