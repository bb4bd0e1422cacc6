// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Derivatives of elementwise ops. If a derivative can be computed from the
// result (tanh, exp, rsqrt, ...), it uses the result, because the forward pass
// probably keeps that anyway.
#include "dialects/Train/Gradients.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace zcc::train {

// These are 2 / sqrt(pi) and sqrt(pi) / 2.
static constexpr double twoOverSqrtPi = 1.12837916709551257390;
static constexpr double sqrtPiOverTwo = 0.88622692545275801365;

double identityOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::multiply:
    return 1;
  case ReduceKind::maximum:
    return -std::numeric_limits<double>::infinity();
  case ReduceKind::minimum:
    return std::numeric_limits<double>::infinity();
  default:
    return 0;
  }
}

Value widen(OpBuilder &b, Value g, Type elementType) {
  Location loc = g.getLoc();
  if (auto op = g.getDefiningOp<ConvertOp>();
      op && tensorType(op.getOperand()).getElementType() == elementType)
    return op.getOperand();
  if (auto op = g.getDefiningOp<ReshapeOp>())
    return reshape(b, loc, widen(b, op.getOperand(), elementType), shapeOf(g));
  if (auto op = g.getDefiningOp<TransposeOp>())
    return transpose(b, loc, widen(b, op.getOperand(), elementType),
                     op.getPermutation());
  if (auto op = g.getDefiningOp<PadOp>();
      op && getSplat(op.getValue()) == 0.0) {
    Value zero = splat(b, loc, RankedTensorType::get({}, elementType), 0);
    return PadOp::create(b, loc, RankedTensorType::get(shapeOf(g), elementType),
                         widen(b, op.getOperand(), elementType), zero,
                         op.getLow(), op.getHigh(), op.getInterior());
  }
  // A narrow sum is added in f32 and rounded once; here it is not rounded.
  if (auto op = g.getDefiningOp<ReduceOp>();
      op && op.getKind() == ReduceKind::add)
    return reduce(b, loc, convert(b, loc, op.getOperand(), elementType),
                  op.getDims(), ReduceKind::add);
  return convert(b, loc, g, elementType);
}

// ---------------------------------------------------------------- one operand

#define ZCC_UNARY(OP, EXPRESSION)                                              \
  void OP::buildGradient(OpBuilder &builder, ValueRange gradients,             \
                         SmallVectorImpl<Value> &out) {                        \
    Arithmetic m{builder, getLoc()};                                           \
    Value g = gradients[0], x = getOperand(), y = getResult();                 \
    (void)x, (void)y;                                                          \
    out[0] = EXPRESSION;                                                       \
  }

ZCC_UNARY(ShardingConstraintOp,
          isa<BlockArgument>(x)
              ? g
              : Value(ShardingConstraintOp::create(
                    m.b, m.loc, g.getType(), g, getSharding(), getReplicated())))
// JAX's derivative at 0 is 1, PyTorch's 0.
ZCC_UNARY(AbsOp, m.select(m.cmp(x, CompareDirection::GE, m.zero(x)), g, m.neg(g)))
ZCC_UNARY(NegOp, m.neg(g))
ZCC_UNARY(Expm1Op, m.mul(g, m.add(y, m.constant(y, 1))))
ZCC_UNARY(LogOp, m.div(g, x))
ZCC_UNARY(Log1pOp, m.div(g, m.add(x, m.constant(x, 1))))
// This is (1 - y)(1 + y) rather than 1 - y^2, which loses all digits of a
// narrow type near saturation.
ZCC_UNARY(TanhOp, m.mul(g, m.mul(m.sub(m.constant(y, 1), y),
                                 m.add(m.constant(y, 1), y))))
ZCC_UNARY(LogisticOp, m.mul(g, m.mul(y, m.sub(m.constant(y, 1), y))))
ZCC_UNARY(SqrtOp, m.div(m.scaled(g, 0.5), y))
ZCC_UNARY(RsqrtOp, m.mul(m.scaled(g, -0.5), m.mul(m.mul(y, y), y)))
ZCC_UNARY(CbrtOp, m.div(g, m.scaled(m.mul(y, y), 3)))
ZCC_UNARY(SinOp, m.mul(g, CosOp::create(m.b, m.loc, x)))
ZCC_UNARY(CosOp, m.neg(m.mul(g, SinOp::create(m.b, m.loc, x))))
ZCC_UNARY(TanOp, m.mul(g, m.add(m.mul(y, y), m.constant(y, 1))))
ZCC_UNARY(ErfOp, m.mul(m.scaled(g, twoOverSqrtPi), m.exp(m.neg(m.mul(x, x)))))
ZCC_UNARY(ErfcOp, m.mul(m.scaled(g, -twoOverSqrtPi), m.exp(m.neg(m.mul(x, x)))))
ZCC_UNARY(ErfInvOp, m.mul(m.scaled(g, sqrtPiOverTwo), m.exp(m.mul(y, y))))
#undef ZCC_UNARY

// Returns the quotient y / s of a softmax, in which s is a sum over y,
// broadcast; null if there is none. Looks through a rounding of y to a narrow
// type.
static DivOp findSoftmax(ExpOp exp) {
  auto isSumOf = [](Value sum, Value v) {
    while (Operation *op = sum.getDefiningOp()) {
      if (isa<BroadcastOp, ReshapeOp>(op)) {
        sum = op->getOperand(0);
        continue;
      }
      auto reduce = dyn_cast<ReduceOp>(op);
      return reduce && reduce.getKind() == ReduceKind::add &&
             reduce.getOperand() == v;
    }
    return false;
  };
  SmallVector<Value> forms{exp.getResult()};
  for (size_t i = 0; i < forms.size(); ++i)
    for (Operation *user : forms[i].getUsers()) {
      if (isa<ConvertOp>(user) && forms.size() < 8)
        forms.push_back(user->getResult(0));
      auto div = dyn_cast<DivOp>(user);
      if (div && div.getType() == exp.getType() && div.getLhs() == forms[i] &&
          isSumOf(div.getRhs(), forms[i]))
        return div;
    }
  return {};
}

// In a softmax p = y / s, so y = p s. Later ops read p, and s is small, so y
// need not be kept.
void ExpOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                          SmallVectorImpl<Value> &out) {
  Arithmetic m{builder, getLoc()};
  Value y = getResult();
  if (DivOp softmax = findSoftmax(*this))
    y = m.mul(softmax.getResult(), softmax.getRhs());
  out[0] = m.mul(gradients[0], y);
}

void ConvertOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  if (!isFloat(getOperand()) || !isFloat(getResult()))
    return;
  auto from = cast<FloatType>(tensorType(getOperand()).getElementType());
  auto to = cast<FloatType>(tensorType(getResult()).getElementType());
  // This may be the narrow copy of a master weight: its gradient stays as wide
  // as it was computed. Activations' cotangents have the type of the value.
  bool master =
      isa<BlockArgument>(getOperand()) && from.getWidth() > to.getWidth();
  out[0] = master ? widen(builder, gradients[0], from)
                  : convert(builder, getLoc(), gradients[0], from);
}

// ---------------------------------------------------------------- two and
// three operands

void AddOp::buildGradient(OpBuilder &, ValueRange gradients,
                          SmallVectorImpl<Value> &out) {
  out[0] = out[1] = gradients[0];
}

void SubOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                          SmallVectorImpl<Value> &out) {
  out[0] = gradients[0];
  out[1] = NegOp::create(builder, getLoc(), gradients[0]);
}

void MulOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                          SmallVectorImpl<Value> &out) {
  Arithmetic m{builder, getLoc()};
  out[0] = m.mul(gradients[0], getRhs());
  out[1] = m.mul(gradients[0], getLhs());
}

// This is d(a/b)/db = -(1/b)(a/b), by the result, so that the numerator need
// not be kept.
void DivOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                          SmallVectorImpl<Value> &out) {
  Arithmetic m{builder, getLoc()};
  out[0] = m.div(gradients[0], getRhs());
  out[1] = m.neg(m.mul(out[0], getResult()));
}

// `wins` says when the operand is strictly the extremum. Equal operands get
// half each.
static void buildExtremumGradient(Operation *op, OpBuilder &builder,
                                  CompareDirection wins, Value g,
                                  SmallVectorImpl<Value> &out) {
  Arithmetic m{builder, op->getLoc()};
  Value x = op->getOperand(0), y = op->getOperand(1);
  // The importer marks maximum(x, 0) of a function named relu, whose derivative
  // at 0 is 0. It is computed from the result, which the next op keeps anyway.
  if (op->hasAttr(reluAttrName))
    for (unsigned i : {0, 1})
      if (Value zero = op->getOperand(1 - i); getSplat(zero) == 0.0) {
        out[i] = m.select(m.cmp(op->getResult(0), wins, zero), g, m.zero(g));
        return;
      }
  Value tied = op->hasAttr(reluAttrName)
                   ? m.zero(g)
                   : m.select(m.cmp(x, CompareDirection::EQ, y),
                              m.scaled(g, 0.5), m.zero(g));
  out[0] = m.select(m.cmp(x, wins, y), g, tied);
  out[1] = m.select(m.cmp(y, wins, x), g, tied);
}
void MaxOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                          SmallVectorImpl<Value> &out) {
  buildExtremumGradient(*this, builder, CompareDirection::GT, gradients[0],
                        out);
}
void MinOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                          SmallVectorImpl<Value> &out) {
  buildExtremumGradient(*this, builder, CompareDirection::LT, gradients[0],
                        out);
}

void PowOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                          SmallVectorImpl<Value> &out) {
  Arithmetic m{builder, getLoc()};
  Value g = gradients[0], x = getLhs(), n = getRhs(), y = getResult();
  if (std::optional<double> exponent = getSplat(n)) {
    double e = *exponent;
    if (e == 0)
      return;
    if (e == 1)
      out[0] = g;
    else if (e == 2)
      out[0] = m.mul(g, m.scaled(x, 2));
    else if (e == 3)
      out[0] = m.mul(g, m.scaled(m.mul(x, x), 3));
    else if (e == 0.5)
      out[0] = m.div(m.scaled(g, 0.5), y);
    else
      out[0] = m.mul(
          g, m.scaled(PowOp::create(builder, getLoc(), x, m.constant(x, e - 1)),
                      e));
    return;
  }
  // The power x^0 is 1 also at x = 0, and 0^n does not depend on n.
  Value exponentIsZero = m.cmp(n, CompareDirection::EQ, m.zero(n));
  Value less =
      m.select(exponentIsZero, m.constant(n, 1), m.sub(n, m.constant(n, 1)));
  out[0] = m.mul(g, m.mul(n, PowOp::create(builder, getLoc(), x, less)));
  Value base =
      m.select(m.cmp(x, CompareDirection::EQ, m.zero(x)), m.constant(x, 1), x);
  out[1] = m.mul(g, m.mul(LogOp::create(builder, getLoc(), base), y));
}

// The remainder is x - trunc(x / y) y, with the quotient constant.
void RemOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                          SmallVectorImpl<Value> &out) {
  Arithmetic m{builder, getLoc()};
  Value quotient = m.div(getLhs(), getRhs());
  Value floor = FloorOp::create(builder, getLoc(),
                                AbsOp::create(builder, getLoc(), quotient));
  out[0] = gradients[0];
  out[1] = m.neg(m.mul(
      gradients[0], m.mul(SignOp::create(builder, getLoc(), quotient), floor)));
}

void Atan2Op::buildGradient(OpBuilder &builder, ValueRange gradients,
                            SmallVectorImpl<Value> &out) {
  Arithmetic m{builder, getLoc()};
  Value y = getLhs(), x = getRhs();
  Value scaled = m.div(gradients[0], m.add(m.mul(x, x), m.mul(y, y)));
  out[0] = m.mul(scaled, x);
  out[1] = m.neg(m.mul(scaled, y));
}

void SelectOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                             SmallVectorImpl<Value> &out) {
  Arithmetic m{builder, getLoc()};
  Value zero = m.zero(gradients[0]);
  out[1] = m.select(getPred(), gradients[0], zero);
  out[2] = m.select(getPred(), zero, gradients[0]);
}

void ClampOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                            SmallVectorImpl<Value> &out) {
  Arithmetic m{builder, getLoc()};
  Value g = gradients[0], zero = m.zero(g), low = getLow(), high = getHigh(),
        x = getOperand();
  auto both = [&](Value p, Value q) { return m.logicalAnd(p, q); };
  auto greater = [&](Value p, Value q) {
    return m.cmp(p, CompareDirection::GT, q);
  };
  out[0] = m.select(both(greater(low, x), greater(high, low)), g, zero);
  out[1] = m.select(both(greater(x, low), greater(high, x)), g, zero);
  out[2] = m.select(greater(x, high), g, zero);
}

} // namespace zcc::train
