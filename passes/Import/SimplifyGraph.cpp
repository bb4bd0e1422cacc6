// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One walk in program order, then one backwards for dead ops. Each op sees
// operands that are simple already.
#include "dialects/Train/Train.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
#define GEN_PASS_DEF_SIMPLIFYGRAPH
#include "passes/Import/Passes.h.inc"

namespace {
/// A constant; one that is the same everywhere is a scalar, broadcast, which
/// shards like any other value.
Value constant(OpBuilder &b, Location loc, DenseElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!value.isSplat() || type.getRank() == 0)
    return train::ConstantOp::create(b, loc, type, value);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value x =
      train::ConstantOp::create(b, loc, scalar, value.resizeSplat(scalar));
  return train::broadcast(b, loc, x, type.getShape(), {});
}

/// The value of a constant, of a broadcast scalar too.
DenseElementsAttr getSpreadConstant(Value v) {
  if (auto broadcast = v.getDefiningOp<train::BroadcastOp>())
    if (DenseElementsAttr scalar = getConstant(broadcast.getOperand());
        scalar && scalar.isSplat())
      return scalar.resizeSplat(cast<RankedTensorType>(v.getType()));
  return getConstant(v);
}

/// A value that is the same bits as the op's result, maybe built before the op;
/// null if there is none that is simpler.
Value simplify(Operation *op, OpBuilder &b) {
  Location loc = op->getLoc();
  if (op->getNumResults() != 1)
    return {};
  if (isa<train::ConstantOp>(op)) {
    DenseElementsAttr value = getConstant(op->getResult(0));
    return value && value.isSplat() && value.getType().getRank() > 0
               ? constant(b, loc, value)
               : Value();
  }
  if (!isa<train::BroadcastOp>(op)) {
    SmallVector<DenseElementsAttr> operands;
    for (Value v : op->getOperands())
      operands.push_back(getSpreadConstant(v));
    if (DenseElementsAttr folded = foldOp(op, operands))
      return constant(b, loc, folded);
  }

  // What is asked for twice.
  if (auto constraint = dyn_cast<train::ShardingConstraintOp>(op)) {
    auto inner =
        constraint.getOperand().getDefiningOp<train::ShardingConstraintOp>();
    return inner && inner.getSharding() == constraint.getSharding() &&
                   inner.getReplicated() == constraint.getReplicated()
               ? inner.getResult()
               : Value();
  }
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    Value x = broadcast.getOperand();
    if (x.getType() == broadcast.getType())
      return x;
    auto inner = x.getDefiningOp<train::BroadcastOp>();
    if (!inner)
      return {};
    SmallVector<int64_t> dims;
    for (int64_t d : inner.getDims())
      dims.push_back(broadcast.getDims()[d]);
    if (inner.getOperand().getType() == broadcast.getType())
      return inner.getOperand();
    return train::broadcast(b, loc, inner.getOperand(), shapeOf(broadcast),
                            dims);
  }
  if (auto reshape = dyn_cast<train::ReshapeOp>(op)) {
    Value x = reshape.getOperand();
    if (auto inner = x.getDefiningOp<train::ReshapeOp>())
      x = inner.getOperand();
    if (x.getType() == reshape.getType())
      return x;
    return x == reshape.getOperand()
               ? Value()
               : train::reshape(b, loc, x, shapeOf(reshape));
  }
  if (auto transpose = dyn_cast<train::TransposeOp>(op)) {
    auto inner = transpose.getOperand().getDefiningOp<train::TransposeOp>();
    if (!inner)
      return {};
    SmallVector<int64_t> permutation;
    for (int64_t d : transpose.getPermutation())
      permutation.push_back(inner.getPermutation()[d]);
    return train::transpose(b, loc, inner.getOperand(), permutation);
  }
  if (auto reduce = dyn_cast<train::ReduceOp>(op)) {
    // Over extents of 1 nothing is combined. A sum is left alone: it makes 0 of
    // -0.
    bool exact = reduce.getKind() != train::ReduceKind::add;
    if (exact && llvm::all_of(reduce.getDims(), [&](int64_t d) {
          return shapeOf(reduce.getOperand())[d] == 1;
        }))
      return train::reshape(b, loc, reduce.getOperand(), shapeOf(reduce));
    return {};
  }
  if (isa<train::MaxOp, train::MinOp>(op)) {
    int sign = isa<train::MaxOp>(op) ? -1 : 1;
    for (unsigned i : {0, 1})
      if (isExtreme(op->getOperand(i), sign))
        return op->getOperand(1 - i);
    return {};
  }
  if (isa<train::AddOp, train::SubOp>(op) &&
      !train::isFloat(op->getResult(0))) {
    if (isZero(op->getOperand(1)))
      return op->getOperand(0);
    return isa<train::AddOp>(op) && isZero(op->getOperand(0))
               ? op->getOperand(1)
               : Value();
  }
  if (isa<train::AndOp, train::OrOp>(op) &&
      tensorType(op->getResult(0)).getElementType().isInteger(1)) {
    bool isAnd = isa<train::AndOp>(op);
    for (unsigned i : {0, 1})
      if (auto known =
              dyn_cast_or_null<IntegerAttr>(getSplatAttr(op->getOperand(i))))
        return known.getValue().isOne() == isAnd ? op->getOperand(1 - i)
                                                 : op->getOperand(i);
    return {};
  }
  if (auto select = dyn_cast<train::SelectOp>(op)) {
    if (select.getOnTrue() == select.getOnFalse())
      return select.getOnTrue();
    auto t = dyn_cast_or_null<IntegerAttr>(getSplatAttr(select.getOnTrue()));
    auto f = dyn_cast_or_null<IntegerAttr>(getSplatAttr(select.getOnFalse()));
    if (t && f && t.getType().isInteger(1) && t.getValue().isOne() &&
        f.getValue().isZero())
      return select.getPred();
    if (auto known =
            dyn_cast_or_null<IntegerAttr>(getSplatAttr(select.getPred())))
      return known.getValue().isOne() ? select.getOnTrue()
                                      : select.getOnFalse();
  }
  return {};
}

struct SimplifyGraph : impl::SimplifyGraphBase<SimplifyGraph> {
  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry)
      return;
    Block &block = entry.getBody().front();
    for (Operation &op :
         llvm::make_early_inc_range(block.without_terminator())) {
      OpBuilder b(&op);
      Value simple = simplify(&op, b);
      if (!simple)
        continue;
      op.getResult(0).replaceAllUsesWith(simple);
      op.erase();
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
} // namespace zcc
