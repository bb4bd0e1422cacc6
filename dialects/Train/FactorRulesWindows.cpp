// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factor rules of ops that move along dims: an element of the result reads
// elements at other positions. A dim along which nothing moves passes; others
// are read by windows (FactorRule::Window).
#include "dialects/Train/FactorRules.h"

using namespace mlir;
using namespace zcc::train;
using Kind = FactorRule::Kind;

static bool isEmpty(ArrayRef<int64_t> shape) {
  return llvm::is_contained(shape, 0);
}

// Returns the rule of an op with one operand that moves (and scalars after it).
// `window(d)` says how position p of the result reads the operand. An op with
// an empty tensor is not sharded.
template <typename Moves, typename Window>
static FactorRule moving(Operation *op, Moves moves, Window window) {
  FactorRuleBuilder b;
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0)),
                    to = shapeOf(op->getResult(0));
  if (isEmpty(from) || isEmpty(to))
    return wholeRule(op);
  FactorRule::Tensor operand, result;
  for (size_t d = 0; d < from.size(); ++d) {
    result.push_back(b.dim(to[d]));
    if (!moves(d)) {
      operand.push_back(result.back());
      continue;
    }
    FactorRule::Window w = window(d);
    operand.push_back(b.windowed(from[d], result.back(), w.stride, w.low,
                                 w.extent, w.dilation));
  }
  b.addOperand(operand);
  for (unsigned i = 1; i < op->getNumOperands(); ++i)
    b.addOperand({});
  b.addResult(result);
  return b.take();
}

static FactorRule::Window window(int64_t stride, int64_t low,
                                 int64_t extent = 1, int64_t dilation = 1) {
  return {0, std::nullopt, stride, low, extent, dilation};
}

FactorRule SliceOp::getFactorRule() {
  return moving(
      *this,
      [&](size_t d) {
        return getStart()[d] != 0 || getStride()[d] != 1 ||
               getLimit()[d] != shapeOf(getOperand())[d];
      },
      [&](size_t d) { return window(getStride()[d], getStart()[d]); });
}

FactorRule PadOp::getFactorRule() {
  return moving(
      *this,
      [&](size_t d) {
        return getLow()[d] != 0 || getHigh()[d] != 0 || getInterior()[d] != 0;
      },
      [&](size_t d) {
        return window(1, -getLow()[d], 1, getInterior()[d] + 1);
      });
}

FactorRule ReverseOp::getFactorRule() {
  return moving(
      *this,
      [&](size_t d) {
        return llvm::is_contained(getDims(), static_cast<int64_t>(d));
      },
      [&](size_t d) { return window(-1, shapeOf(getOperand())[d] - 1); });
}

FactorRule ReduceWindowOp::getFactorRule() {
  return moving(
      *this,
      [&](size_t d) {
        return getWindow()[d] != 1 || getStrides()[d] != 1 ||
               getBaseDilation()[d] != 1 || getPadLow()[d] != 0 ||
               getPadHigh()[d] != 0;
      },
      [&](size_t d) {
        return window(getStrides()[d], -getPadLow()[d],
                      (getWindow()[d] - 1) * getWindowDilation()[d] + 1,
                      getBaseDilation()[d]);
      });
}

FactorRule ConcatenateOp::getFactorRule() {
  if (isEmpty(shapeOf(getResult())))
    return wholeRule(*this);
  FactorRuleBuilder b;
  FactorRule::Tensor result = b.tensor(shapeOf(getResult()));
  int64_t place = 0;
  for (Value input : getInputs()) {
    int64_t extent = shapeOf(input)[getDim()];
    FactorRule::Tensor operand = result;
    operand[getDim()] = b.windowed(extent, result[getDim()], 1, -place);
    b.addOperand(operand);
    place += extent;
  }
  b.addResult(result);
  return b.take();
}

// A position of the operand is read by the windows that reach it. The best of
// their elements depends on all of them.
FactorRule SelectAndScatterOp::getFactorRule() {
  ArrayRef<int64_t> from = shapeOf(getOperand()), places = shapeOf(getSource());
  if (isEmpty(from) || isEmpty(places))
    return wholeRule(*this);
  FactorRuleBuilder b;
  FactorRule::Tensor operand, source, result;
  for (size_t d = 0; d < from.size(); ++d) {
    int64_t size = getWindow()[d], stride = getStrides()[d],
            low = getPadLow()[d];
    result.push_back(b.dim(from[d]));
    if (size == 1 && stride == 1 && low == 0 && getPadHigh()[d] == 0) {
      operand.push_back(result.back());
      source.push_back(result.back());
      continue;
    }
    operand.push_back(
        b.windowed(from[d], result.back(), 1, 1 - size, 2 * size - 1));
    source.push_back(
        b.windowed(places[d], result.back(), 1, low - size + 1, size, stride));
  }
  b.addOperand(operand);
  b.addOperand(source);
  b.addResult(result);
  return b.take();
}

FactorRule CumulativeOp::getFactorRule() {
  FactorRuleBuilder b;
  FactorRule::Tensor dims;
  // Only these kinds have an operation that combines a device's part with
  // others'.
  bool combines =
      getKind() == ReduceKind::add || getKind() == ReduceKind::multiply ||
      getKind() == ReduceKind::maximum || getKind() == ReduceKind::minimum;
  for (auto [d, extent] : llvm::enumerate(shapeOf(getResult())))
    dims.push_back(b.dim(extent, d != getDim()            ? Kind::Pass
                                 : combines && extent > 0 ? Kind::Scan
                                                          : Kind::Replicate));
  b.addOperand(dims);
  b.addResult(dims);
  return b.take();
}

// Returns the start of a slice of length `size`, if it is known.
static std::optional<int64_t> knownStart(Value start, int64_t extent,
                                         int64_t size) {
  std::optional<double> value = getSplat(start);
  if (!value)
    return std::nullopt;
  return std::clamp<int64_t>(static_cast<int64_t>(*value), 0, extent - size);
}

// At a computed place a device gives zero for elements that it does not have.
FactorRule DynamicSliceOp::getFactorRule() {
  FactorRuleBuilder b;
  ArrayRef<int64_t> from = shapeOf(getOperand()), to = shapeOf(getResult());
  if (isEmpty(from) || isEmpty(to))
    return wholeRule(*this);
  FactorRule::Tensor operand, result;
  for (size_t d = 0; d < from.size(); ++d) {
    std::optional<int64_t> start = knownStart(getStarts()[d], from[d], to[d]);
    if (from[d] == to[d]) {
      operand.push_back(b.dim(from[d]));
      result.push_back(operand.back());
    } else if (start) {
      result.push_back(b.dim(to[d]));
      operand.push_back(b.windowed(from[d], result.back(), 1, *start));
    } else {
      operand.push_back(b.picked(from[d], Kind::Reduce));
      result.push_back(b.picked(to[d], Kind::Pass));
    }
  }
  b.addOperand(operand);
  for (size_t d = 0; d < from.size(); ++d)
    b.addOperand({});
  b.addResult(result);
  return b.take();
}

// The result has the places of the operand, and the update is read by windows.
// At a computed place a device takes the part that falls onto its shard. An
// update of zeros may itself be split; a device then gives a part of the sum.
FactorRule DynamicUpdateSliceOp::getFactorRule() {
  FactorRuleBuilder b;
  ArrayRef<int64_t> to = shapeOf(getResult()), from = shapeOf(getUpdate());
  if (isEmpty(from) || isEmpty(to))
    return wholeRule(*this);
  FactorRule::Tensor operand, update;
  bool zero = getSplat(getOperand()) == 0.0;
  for (size_t d = 0; d < to.size(); ++d) {
    std::optional<int64_t> start = knownStart(getStarts()[d], to[d], from[d]);
    if (from[d] == to[d]) {
      operand.push_back(b.dim(to[d]));
      update.push_back(operand.back());
    } else if (start) {
      operand.push_back(b.dim(to[d]));
      update.push_back(b.windowed(from[d], operand.back(), 1, -*start));
    } else {
      operand.push_back(b.picked(to[d], Kind::Pass));
      update.push_back(
          b.picked(from[d], zero ? Kind::Reduce : Kind::Replicate));
    }
  }
  b.addOperand(operand);
  b.addOperand(update);
  for (size_t d = 0; d < to.size(); ++d)
    b.addOperand({});
  b.addResult(operand);
  return b.take();
}
