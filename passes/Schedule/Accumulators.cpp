// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/Accumulators.h"

using namespace mlir;

namespace zcc {

using train::ReduceKind;

Value combine(OpBuilder &b, Location loc, ReduceKind kind, Value whole,
              Value part) {
  Type type = part.getType();
  switch (kind) {
  case ReduceKind::multiply:
    return train::MulOp::create(b, loc, type, whole, part);
  case ReduceKind::maximum:
    return train::MaxOp::create(b, loc, type, whole, part);
  case ReduceKind::minimum:
    return train::MinOp::create(b, loc, type, whole, part);
  case ReduceKind::logical_and:
    return train::AndOp::create(b, loc, type, whole, part);
  case ReduceKind::logical_or:
    return train::OrOp::create(b, loc, type, whole, part);
  case ReduceKind::logical_xor:
    return train::XorOp::create(b, loc, type, whole, part);
  case ReduceKind::add:
    return train::AddOp::create(b, loc, type, whole, part);
  case ReduceKind::replace:
    break;
  }
  llvm_unreachable("the last part is no reduction");
}

static APFloat startOf(ReduceKind kind, const llvm::fltSemantics &type) {
  switch (kind) {
  case ReduceKind::multiply:
    return APFloat::getOne(type);
  case ReduceKind::maximum:
    return APFloat::getInf(type, /*Negative=*/true);
  case ReduceKind::minimum:
    return APFloat::getInf(type);
  default:
    return APFloat::getZero(type, /*Negative=*/true);
  }
}

static APInt startOf(ReduceKind kind, unsigned width, bool isUnsigned) {
  switch (kind) {
  case ReduceKind::multiply:
    return APInt(width, 1);
  case ReduceKind::maximum:
    return isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  case ReduceKind::minimum:
    return isUnsigned ? APInt::getAllOnes(width)
                      : APInt::getSignedMaxValue(width);
  case ReduceKind::logical_and:
    return APInt::getAllOnes(width);
  default:
    return APInt::getZero(width);
  }
}

uint64_t accumulatorStart(ReduceKind kind, Type element) {
  if (auto type = dyn_cast<FloatType>(element))
    return startOf(kind, type.getFloatSemantics())
        .bitcastToAPInt()
        .getZExtValue();
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  return startOf(kind, element.getIntOrFloatBitWidth(), isUnsigned)
      .getZExtValue();
}

} // namespace zcc
