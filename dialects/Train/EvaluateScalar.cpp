// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars and index spaces of the reference evaluator.

#include "dialects/Train/Evaluate.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace zcc::train::evaluation {

int64_t Array::indexAt(int64_t i) const {
  int64_t x = ints[i];
  if (x < 0 && element().isUnsignedInteger())
    return std::numeric_limits<int64_t>::max();
  return x;
}

int64_t linear(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t result = 0;
  for (auto [extent, i] : llvm::zip_equal(shape, index))
    result = result * extent + i;
  return result;
}

void forEachIndex(ArrayRef<int64_t> shape,
                  function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  Index index(shape.size(), 0);
  while (true) {
    visit(index);
    int64_t d = static_cast<int64_t>(shape.size()) - 1;
    while (d >= 0 && ++index[d] == shape[d])
      index[d--] = 0;
    if (d < 0)
      return;
  }
}

double roundTo(double x, Type type) {
  if (type.isF64())
    return x;
  if (type.isF32())
    return static_cast<float>(x);
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  APFloat value(x);
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

bool isUnsigned(Type type) {
  return type.isInteger(1) || type.isUnsignedInteger();
}

int64_t wrap(int64_t x, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 64)
    return x;
  uint64_t low = static_cast<uint64_t>(x) & ((uint64_t(1) << width) - 1);
  if (isUnsigned(type) || !(low >> (width - 1)))
    return static_cast<int64_t>(low);
  return static_cast<int64_t>(low | ~((uint64_t(1) << width) - 1));
}

bool accumulatesInSingle(Type type, bool asDouble) {
  return isa<FloatType>(type) && !type.isF64() && !asDouble;
}

// IEEE 754-2019 maximum and minimum: NaN propagates and -0 is below +0.
double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

int64_t divideIntegers(int64_t a, int64_t b, Type type, bool remainder) {
  if (b == 0)
    return remainder ? a : wrap(-1, type);
  if (isUnsigned(type)) {
    uint64_t x = a, y = b;
    return static_cast<int64_t>(remainder ? x % y : x / y);
  }
  if (b == -1) // the one quotient that does not fit wraps around
    return remainder
               ? 0
               : wrap(static_cast<int64_t>(-static_cast<uint64_t>(a)), type);
  return remainder ? a % b : a / b;
}

double Combiner::identity() const {
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

int64_t Combiner::identityInteger() const {
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value(width, 0);
  switch (kind) {
  case ReduceKind::multiply:
    value = APInt(width, 1);
    break;
  case ReduceKind::logical_and:
    value = APInt::getAllOnes(width);
    break;
  case ReduceKind::maximum:
    value = isUnsigned(type) ? APInt::getZero(width)
                             : APInt::getSignedMinValue(width);
    break;
  case ReduceKind::minimum:
    value = isUnsigned(type) ? APInt::getAllOnes(width)
                             : APInt::getSignedMaxValue(width);
    break;
  default:
    break;
  }
  return wrap(static_cast<int64_t>(value.getZExtValue()), type);
}

double Combiner::operator()(double a, double b) const {
  double result = b; // replace
  switch (kind) {
  case ReduceKind::add:
    result = a + b;
    break;
  case ReduceKind::multiply:
    result = a * b;
    break;
  case ReduceKind::maximum:
    return maximum(a, b);
  case ReduceKind::minimum:
    return minimum(a, b);
  default:
    break;
  }
  return single ? static_cast<float>(result) : result;
}

int64_t Combiner::integers(int64_t a, int64_t b) const {
  uint64_t x = a, y = b;
  bool predicate = type.isInteger(1);
  bool less = isUnsigned(type) ? x < y : a < b;
  switch (kind) {
  case ReduceKind::add:
    return predicate ? a | b : wrap(static_cast<int64_t>(x + y), type);
  case ReduceKind::multiply:
    return wrap(static_cast<int64_t>(x * y), type);
  case ReduceKind::maximum:
    return less ? b : a;
  case ReduceKind::minimum:
    return less ? a : b;
  case ReduceKind::logical_and:
    return a & b;
  case ReduceKind::logical_or:
    return a | b;
  case ReduceKind::logical_xor:
    return a ^ b;
  case ReduceKind::replace:
    return b;
  }
  llvm_unreachable("covered switch");
}

} // namespace zcc::train::evaluation
