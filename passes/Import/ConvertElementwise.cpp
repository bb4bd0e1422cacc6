// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts elementwise ops. Most of them have an op of train with the same
// name.
#include "dialects/StableHLO/StableHLO.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Conversion.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using zcc::train::tensorType;

namespace zcc {

/// Returns true for ops whose train op has the same name, operands and results.
static bool hasSameName(StringRef name) {
  static const llvm::StringSet<> names = {"abs",
                                          "negate",
                                          "sign",
                                          "exponential",
                                          "exponential_minus_one",
                                          "log",
                                          "log_plus_one",
                                          "tanh",
                                          "logistic",
                                          "sqrt",
                                          "rsqrt",
                                          "cbrt",
                                          "sine",
                                          "cosine",
                                          "tan",
                                          "floor",
                                          "ceil",
                                          "round_nearest_afz",
                                          "round_nearest_even",
                                          "not",
                                          "popcnt",
                                          "count_leading_zeros",
                                          "is_finite",
                                          "add",
                                          "subtract",
                                          "multiply",
                                          "divide",
                                          "maximum",
                                          "minimum",
                                          "power",
                                          "remainder",
                                          "atan2",
                                          "and",
                                          "or",
                                          "xor",
                                          "shift_left",
                                          "shift_right_logical",
                                          "shift_right_arithmetic",
                                          "erf",
                                          "erfc",
                                          "erf_inv"};
  return names.contains(name);
}

static LogicalResult convert(Conversion &c, stablehlo::CompareOp op) {
  OpBuilder &b = c.b;
  Location loc = op.getLoc();
  Value lhs = c.in(op.getLhs()), rhs = c.in(op.getRhs());
  if (op.getCompareType() == stablehlo::ComparisonType::TOTALORDER) {
    // The order is -NaN < -inf < ... < -0 < 0 < ... < inf < NaN: that of the
    // bits as integers, with the bits of negative numbers reversed.
    unsigned width = tensorType(lhs).getElementTypeBitWidth();
    Type type = tensorType(lhs).clone(b.getIntegerType(width));
    auto key = [&](Value v) -> Value {
      Value bits = train::BitcastOp::create(b, loc, type, v);
      Value zero = c.constant(loc, bits, 0);
      Value mask = train::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(cast<RankedTensorType>(type),
                                 APInt::getSignedMaxValue(width)));
      Value flipped = train::XorOp::create(b, loc, type, bits, mask);
      return train::SelectOp::create(
          b, loc, type,
          train::compare(b, loc, bits, zero, train::CompareDirection::LT),
          flipped, bits);
    };
    lhs = key(lhs);
    rhs = key(rhs);
  }
  train::CompareDirection direction = *train::symbolizeCompareDirection(
      stablehlo::stringifyComparisonDirection(op.getComparisonDirection()));
  return c.set(op, train::compare(b, loc, lhs, rhs, direction));
}

static LogicalResult convert(Conversion &c, stablehlo::ReducePrecisionOp op) {
  Value x = c.in(op.getOperand());
  auto type = cast<FloatType>(tensorType(x).getElementType());
  unsigned exponent = op.getExponentBits(), mantissa = op.getMantissaBits();
  auto fits = [&](FloatType t) { // the type's own bits: width - mantissa - sign
    unsigned m = t.getFPMantissaWidth() - 1;
    return mantissa == m && exponent == t.getWidth() - m - 1;
  };
  if (fits(type))
    return c.set(op, x);
  for (FloatType t : {FloatType(c.b.getBF16Type()), FloatType(c.b.getF16Type()),
                      FloatType(c.b.getF32Type())})
    if (fits(t) && t.getWidth() < type.getWidth())
      return c.set(op, train::convert(c.b, op.getLoc(),
                                      train::convert(c.b, op.getLoc(), x, t),
                                      type));
  return refuse(op, "expected the format of f16, bf16 or f32, got e" +
                        Twine(exponent) + "m" + Twine(mantissa));
}

static LogicalResult convert(Conversion &c, stablehlo::SelectOp op) {
  Location loc = op.getLoc();
  Value onTrue = c.in(op.getOnTrue());
  return c.set(
      op, train::SelectOp::create(c.b, loc, op.getType(),
                                  spread(c, loc, c.in(op.getPred()), onTrue),
                                  onTrue, c.in(op.getOnFalse())));
}

static LogicalResult convert(Conversion &c, stablehlo::ClampOp op) {
  Location loc = op.getLoc();
  Value operand = c.in(op.getOperand());
  return c.set(op, train::ClampOp::create(
                       c.b, loc, operand.getType(),
                       spread(c, loc, c.in(op.getMin()), operand), operand,
                       spread(c, loc, c.in(op.getMax()), operand)));
}

static LogicalResult convert(Conversion &c, stablehlo::ConvertOp op) {
  return c.set(op, train::convert(c.b, op.getLoc(), c.in(op.getOperand()),
                                  tensorType(op.getResult()).getElementType()));
}

/// JAX's relu has derivative 0 at 0 and passes NaN on, as maximum does. So the
/// result is 0 if x <= 0, else x.
static LogicalResult convertRelu(Conversion &c, Operation *op) {
  Location loc = op->getLoc();
  if (isa<stablehlo::MinOp>(op)) { // the upper end of relu6
    Value x = c.in(op->getOperand(0)), end = c.in(op->getOperand(1));
    Value above = train::compare(c.b, loc, x, end, train::CompareDirection::GE);
    return c.set(op,
                 train::SelectOp::create(c.b, loc, x.getType(), above, end, x));
  }
  Value x = c.in(op->getOperand(isZero(op->getOperand(0)) ? 1 : 0)),
        zero = c.constant(loc, x, 0);
  Value negative =
      train::compare(c.b, loc, x, zero, train::CompareDirection::LE);
  return c.set(
      op, train::SelectOp::create(c.b, loc, x.getType(), negative, zero, x));
}

/// Converts an op to the op of train with the same name.
static LogicalResult convertByName(Conversion &c, Operation *op) {
  StringRef name = op->getName().stripDialect();
  // On i1, sums and maxima become or, and products and minima become and, so
  // that there is one spelling.
  Type element = tensorType(op->getResult(0)).getElementType();
  if (element.isInteger(1) && isa<stablehlo::AddOp, stablehlo::MaxOp>(op))
    name = "or";
  else if (element.isInteger(1) && isa<stablehlo::MulOp, stablehlo::MinOp>(op))
    name = "and";
  if (element.isUnsignedInteger() && name == "abs")
    return c.set(op, c.in(op->getOperand(0)));
  OperationState state(op->getLoc(), ("train." + name).str());
  for (Value v : op->getOperands())
    state.addOperands(c.in(v));
  state.addTypes(op->getResultTypes());
  return c.set(op, c.b.create(state)->getResult(0));
}

Converted convertElementwise(Conversion &c, Operation *op) {
  // Initial weights in single precision need JAX's formula (ConvertCHLO.cpp).
  if (isa<chlo::ErfInvOp>(op) && c.initial &&
      tensorType(op->getResult(0)).getElementType().isF32())
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, Converted>(op)
      .Case<stablehlo::CompareOp, stablehlo::ReducePrecisionOp,
            stablehlo::SelectOp, stablehlo::ClampOp, stablehlo::ConvertOp>(
          [&](auto o) -> Converted { return convert(c, o); })
      .Default([&](Operation *) -> Converted {
        if (op->hasAttr(reluAttrName))
          return convertRelu(c, op);
        if (hasSameName(op->getName().stripDialect()))
          return convertByName(c, op);
        return std::nullopt;
      });
}

} // namespace zcc
