// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One walk goes in program order, and one backwards for dead ops. Each op sees
// operands that are simple already.
#include "dialects/Train/Train.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
#define GEN_PASS_DEF_SIMPLIFYGRAPH
#include "passes/Import/Passes.h.inc"

namespace {
/// Makes a constant. A splat becomes a scalar that is broadcast, which shards
/// like any other value.
Value constant(OpBuilder &b, Location loc, DenseElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!value.isSplat() || type.getRank() == 0)
    return train::ConstantOp::create(b, loc, type, value);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value x =
      train::ConstantOp::create(b, loc, scalar, value.resizeSplat(scalar));
  return train::broadcast(b, loc, x, type.getShape(), {});
}

/// Returns number `i` of a constant of integers or floats, as bits.
APInt bitsAt(DenseElementsAttr value, int64_t i) {
  return isa<FloatType>(value.getElementType())
             ? APFloat(*(value.value_begin<APFloat>() + i)).bitcastToAPInt()
             : *(value.value_begin<APInt>() + i);
}

/// A constant whose elements are the sums of a start and, for each dim, a step
/// times the index.
struct Ramp {
  struct Term {
    int64_t dim;
    APInt step; // as bits, like the start
  };
  Type element;
  SmallVector<Term> terms;
  APInt start;

  /// Returns nullopt if the constant is no ramp, or arithmetic on its elements
  /// would not give its bits.
  static std::optional<Ramp> of(DenseElementsAttr value) {
    auto type = cast<RankedTensorType>(value.getType());
    Type element = type.getElementType();
    if (!element.isIntOrFloat() || element.isInteger(1) || value.isSplat() ||
        type.getNumElements() == 0)
      return std::nullopt;
    Ramp ramp{element, {}, bitsAt(value, 0)};
    int64_t stride = type.getNumElements();
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      stride /= extent;
      if (extent == 1)
        continue;
      std::optional<APInt> step = ramp.subtract(bitsAt(value, stride));
      // Any two numbers have a step.
      if (!step || (extent == 2 && !step->isZero() && *step != ramp.number(1)))
        return std::nullopt;
      if (!step->isZero())
        ramp.terms.push_back({static_cast<int64_t>(dim), *step});
    }
    if (ramp.terms.empty()) // all are the first one, or none follows
      return std::nullopt;
    SmallVector<int64_t> index(type.getRank(), 0);
    for (int64_t i = 0, n = type.getNumElements(); i < n; ++i) {
      if (ramp.at(index) != bitsAt(value, i))
        return std::nullopt;
      for (int64_t d = type.getRank() - 1;
           d >= 0 && ++index[d] == type.getDimSize(d); --d)
        index[d] = 0;
    }
    return ramp;
  }

  Value build(OpBuilder &b, Location loc, RankedTensorType type) const {
    auto spread = [&](const APInt &bits) {
      return constant(b, loc, DenseElementsAttr::get(type, attribute(bits)));
    };
    Value sum;
    for (const Term &term : terms) {
      Value x = train::IotaOp::create(b, loc, type, Value(),
                                      b.getI64IntegerAttr(term.dim));
      if (term.step != number(1))
        x = train::MulOp::create(b, loc, type, x, spread(term.step));
      sum = sum ? train::AddOp::create(b, loc, type, sum, x) : x;
    }
    return start.isZero()
               ? sum
               : train::AddOp::create(b, loc, type, sum, spread(start));
  }

private:
  static constexpr auto nearest = APFloat::rmNearestTiesToEven;

  APFloat toFloat(const APInt &bits) const {
    return APFloat(cast<FloatType>(element).getFloatSemantics(), bits);
  }
  Attribute attribute(const APInt &bits) const {
    if (isa<FloatType>(element))
      return FloatAttr::get(element, toFloat(bits));
    return IntegerAttr::get(element, bits);
  }
  /// Returns the number closest to `x`.
  APInt number(int64_t x) const {
    auto type = dyn_cast<FloatType>(element);
    if (!type)
      return APInt(element.getIntOrFloatBitWidth(), x, /*isSigned=*/true,
                   /*implicitTrunc=*/true);
    APFloat f(type.getFloatSemantics());
    f.convertFromAPInt(APInt(64, x), /*IsSigned=*/true, nearest);
    return f.bitcastToAPInt();
  }
  /// Returns x - start; nullopt if that is not exact.
  std::optional<APInt> subtract(const APInt &x) const {
    if (!isa<FloatType>(element))
      return x - start;
    APFloat f = toFloat(x);
    if (f.subtract(toFloat(start), nearest) != APFloat::opOK)
      return std::nullopt;
    return f.bitcastToAPInt();
  }
  /// Returns what build() computes at `index`; nullopt if a float is rounded.
  std::optional<APInt> at(ArrayRef<int64_t> index) const {
    if (!isa<FloatType>(element)) {
      APInt sum = start;
      for (const Term &term : terms)
        sum += term.step * number(index[term.dim]);
      return sum;
    }
    std::optional<APFloat> sum;
    auto add = [&](const APFloat &x) {
      if (!sum)
        sum = x;
      else if (sum->add(x, nearest) != APFloat::opOK)
        return false;
      return true;
    };
    for (const Term &term : terms) {
      APFloat x(cast<FloatType>(element).getFloatSemantics());
      if (x.convertFromAPInt(APInt(64, index[term.dim]), /*IsSigned=*/true,
                             nearest) != APFloat::opOK ||
          x.multiply(toFloat(term.step), nearest) != APFloat::opOK || !add(x))
        return std::nullopt;
    }
    if (!start.isZero() && !add(toFloat(start)))
      return std::nullopt;
    return sum->bitcastToAPInt();
  }
};

/// Returns the value of a constant, or of a broadcast scalar constant.
DenseElementsAttr getSpreadConstant(Value v) {
  if (auto broadcast = v.getDefiningOp<train::BroadcastOp>())
    if (DenseElementsAttr scalar = getConstant(broadcast.getOperand());
        scalar && scalar.isSplat())
      return scalar.resizeSplat(cast<RankedTensorType>(v.getType()));
  return getConstant(v);
}

Value simplify(train::ShardingConstraintOp op, OpBuilder &) {
  // The same constraint twice is one.
  auto inner = op.getOperand().getDefiningOp<train::ShardingConstraintOp>();
  return inner && inner.getSharding() == op.getSharding() &&
                 inner.getReplicated() == op.getReplicated()
             ? inner.getResult()
             : Value();
}

Value simplify(train::BroadcastOp op, OpBuilder &b) {
  Value x = op.getOperand();
  if (x.getType() == op.getType())
    return x;
  auto inner = x.getDefiningOp<train::BroadcastOp>();
  if (!inner)
    return {};
  if (inner.getOperand().getType() == op.getType())
    return inner.getOperand();
  SmallVector<int64_t> dims;
  for (int64_t d : inner.getDims())
    dims.push_back(op.getDims()[d]);
  return train::broadcast(b, op.getLoc(), inner.getOperand(), shapeOf(op),
                          dims);
}

Value simplify(train::ReshapeOp op, OpBuilder &b) {
  Value x = op.getOperand();
  if (auto inner = x.getDefiningOp<train::ReshapeOp>())
    x = inner.getOperand();
  if (x.getType() == op.getType())
    return x;
  return x == op.getOperand() ? Value()
                              : train::reshape(b, op.getLoc(), x, shapeOf(op));
}

Value simplify(train::TransposeOp op, OpBuilder &b) {
  auto inner = op.getOperand().getDefiningOp<train::TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> permutation;
  for (int64_t d : op.getPermutation())
    permutation.push_back(inner.getPermutation()[d]);
  return train::transpose(b, op.getLoc(), inner.getOperand(), permutation);
}

Value simplify(train::ReduceOp op, OpBuilder &b) {
  // A reduction over extents of 1 combines nothing. A sum is left alone: it
  // makes 0 of -0.
  if (op.getKind() == train::ReduceKind::add ||
      llvm::any_of(op.getDims(),
                   [&](int64_t d) { return shapeOf(op.getOperand())[d] != 1; }))
    return {};
  return train::reshape(b, op.getLoc(), op.getOperand(), shapeOf(op));
}

/// If one operand of a maximum (minimum) is the least (greatest) value of its
/// type, returns the other.
template <typename Extreme> Value otherThanExtreme(Extreme op, int sign) {
  if (isExtreme(op.getLhs(), sign))
    return op.getRhs();
  return isExtreme(op.getRhs(), sign) ? op.getLhs() : Value();
}
Value simplify(train::MaxOp op, OpBuilder &) {
  return otherThanExtreme(op, -1);
}
Value simplify(train::MinOp op, OpBuilder &) { return otherThanExtreme(op, 1); }

// This holds for integers only: for floats -0 + 0 is 0.
Value simplify(train::AddOp op, OpBuilder &) {
  if (train::isFloat(op))
    return {};
  if (isZero(op.getRhs()))
    return op.getLhs();
  return isZero(op.getLhs()) ? op.getRhs() : Value();
}
Value simplify(train::SubOp op, OpBuilder &) {
  return !train::isFloat(op) && isZero(op.getRhs()) ? op.getLhs() : Value();
}

/// `neutral`: the value of a predicate that leaves the other one as it is.
template <typename Logical> Value simplifyLogical(Logical op, bool neutral) {
  if (!tensorType(op).getElementType().isInteger(1))
    return {};
  for (auto [x, other] : {std::pair<Value, Value>(op.getLhs(), op.getRhs()),
                          std::pair<Value, Value>(op.getRhs(), op.getLhs())})
    if (auto known = dyn_cast_or_null<IntegerAttr>(getSplatAttr(x)))
      return known.getValue().isOne() == neutral ? other : x;
  return {};
}
Value simplify(train::AndOp op, OpBuilder &) {
  return simplifyLogical(op, true);
}
Value simplify(train::OrOp op, OpBuilder &) {
  return simplifyLogical(op, false);
}

Value simplify(train::SelectOp op, OpBuilder &) {
  if (op.getOnTrue() == op.getOnFalse())
    return op.getOnTrue();
  auto t = dyn_cast_or_null<IntegerAttr>(getSplatAttr(op.getOnTrue()));
  auto f = dyn_cast_or_null<IntegerAttr>(getSplatAttr(op.getOnFalse()));
  if (t && f && t.getType().isInteger(1) && t.getValue().isOne() &&
      f.getValue().isZero())
    return op.getPred();
  if (auto known = dyn_cast_or_null<IntegerAttr>(getSplatAttr(op.getPred())))
    return known.getValue().isOne() ? op.getOnTrue() : op.getOnFalse();
  return {};
}

/// A product with a number, without a sum (an einsum with ones), repeats and
/// scales the other operand. Only the sign of a zero may differ.
Value simplify(train::DotGeneralOp op, OpBuilder &b) {
  if (!op.getLhsContracting().empty())
    return {};
  bool isLeft = train::getSplat(op.getLhs()).has_value();
  Value number = isLeft ? op.getLhs() : op.getRhs(),
        other = isLeft ? op.getRhs() : op.getLhs();
  if (!train::getSplat(number))
    return {};
  // The result has batching dims, free dims of lhs, and free dims of rhs.
  ArrayRef<int64_t> batching =
      isLeft ? op.getRhsBatching() : op.getLhsBatching();
  int64_t rank = shapeOf(other).size(),
          next = isLeft ? int64_t(shapeOf(op).size()) - rank +
                              int64_t(batching.size())
                        : int64_t(batching.size());
  SmallVector<int64_t> order(batching), dims;
  for (size_t d = 0; d < batching.size(); ++d)
    dims.push_back(d);
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(batching, d)) {
      order.push_back(d);
      dims.push_back(next++);
    }
  Location loc = op.getLoc();
  double scale = *train::getSplat(number);
  Type type = tensorType(op).getElementType();
  // A double does not hold all larger integers.
  constexpr double mostExact = int64_t(1) << 53;
  if (isa<IntegerType>(type) && std::abs(scale) >= mostExact)
    return {};
  if (scale != 1 && (tensorType(number).getElementType() != type ||
                     tensorType(other).getElementType() != type))
    return {};
  Value moved = train::transpose(b, loc, other, order);
  moved = train::convert(b, loc, moved, type);
  if (shapeOf(moved) != shapeOf(op))
    moved = train::broadcast(b, loc, moved, shapeOf(op), dims);
  return scale == 1
             ? moved
             : train::MulOp::create(
                   b, loc, moved, train::splat(b, loc, moved.getType(), scale));
}

/// Returns a value with the same bits as the op's result, which may be built
/// before the op; null if there is no simpler one.
Value simplify(Operation *op, OpBuilder &b) {
  if (op->getNumResults() != 1)
    return {};
  if (isa<train::ConstantOp>(op)) {
    DenseElementsAttr value = getConstant(op->getResult(0));
    return value && value.isSplat() && value.getType().getRank() > 0
               ? constant(b, op->getLoc(), value)
               : Value();
  }
  if (!isa<train::BroadcastOp>(op)) {
    SmallVector<DenseElementsAttr> operands;
    for (Value v : op->getOperands())
      operands.push_back(getSpreadConstant(v));
    if (DenseElementsAttr folded = foldOp(op, operands))
      return constant(b, op->getLoc(), folded);
  }
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<train::ShardingConstraintOp, train::BroadcastOp, train::ReshapeOp,
            train::TransposeOp, train::ReduceOp, train::MaxOp, train::MinOp,
            train::AddOp, train::SubOp, train::AndOp, train::OrOp,
            train::SelectOp, train::DotGeneralOp>(
          [&](auto known) { return simplify(known, b); })
      .Default(Value());
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
    // The constants that are left are used as they are. An iota shards like any
    // other value.
    for (auto op :
         llvm::make_early_inc_range(block.getOps<train::ConstantOp>()))
      if (DenseElementsAttr value = getConstant(op))
        if (std::optional<Ramp> ramp = Ramp::of(value)) {
          OpBuilder b(op);
          op.replaceAllUsesWith(ramp->build(
              b, op.getLoc(), cast<RankedTensorType>(value.getType())));
          op.erase();
        }
  }
};
} // namespace
} // namespace zcc
