// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SequenceFolder constants element by element; a float is handled as its bits.
#include "passes/Import/ConstantFold.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/Train.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace zcc {
namespace {

bool isSigned(Type type) {
  return isa<IntegerType>(type) && !type.isUnsignedInteger() &&
         !type.isInteger(1);
}

/// Random access to the elements of a constant, as bits.
class ConstantReader {
public:
  explicit ConstantReader(DenseElementsAttr attr)
      : attr(attr), isFloat(isa<FloatType>(attr.getElementType())) {}
  APInt operator[](int64_t i) const {
    if (attr.isSplat())
      i = 0;
    return isFloat
               ? APFloat(*(attr.value_begin<APFloat>() + i)).bitcastToAPInt()
               : APInt(*(attr.value_begin<APInt>() + i));
  }
  Type element() const { return attr.getElementType(); }
  bool isSplat() const { return attr.isSplat(); }

private:
  DenseElementsAttr attr;
  bool isFloat;
};

DenseElementsAttr build(RankedTensorType type, ArrayRef<APInt> bits) {
  if (llvm::all_equal(bits))
    bits = bits.take_front(1);
  if (auto f = dyn_cast<FloatType>(type.getElementType())) {
    SmallVector<APFloat> floats;
    for (const APInt &x : bits)
      floats.emplace_back(f.getFloatSemantics(), x);
    return DenseElementsAttr::get(type, floats);
  }
  return DenseElementsAttr::get(type, bits);
}

APFloat toFloat(Type type, const APInt &bits) {
  return APFloat(cast<FloatType>(type).getFloatSemantics(), bits);
}

// ---------------------------------------------------------------- elements

using Element = std::optional<APInt>;

Element foldUnary(StringRef name, Type type, const APInt &x) {
  if (isa<FloatType>(type)) {
    APFloat f = toFloat(type, x);
    if (name == "negate")
      f.changeSign();
    else if (name == "abs")
      f.clearSign();
    else if (name == "floor")
      f.roundToIntegral(APFloat::rmTowardNegative);
    else if (name == "ceil")
      f.roundToIntegral(APFloat::rmTowardPositive);
    else if (name == "is_finite")
      return APInt(1, f.isFinite());
    else
      return std::nullopt;
    return f.bitcastToAPInt();
  }
  if (name == "negate")
    return -x;
  if (name == "abs")
    return isSigned(type) ? x.abs() : x;
  if (name == "not")
    return ~x;
  if (name == "sign")
    return isSigned(type) && x.isNegative()
               ? APInt::getAllOnes(x.getBitWidth())
               : APInt(x.getBitWidth(), !x.isZero());
  if (name == "popcnt")
    return APInt(x.getBitWidth(), x.popcount());
  if (name == "count_leading_zeros")
    return APInt(x.getBitWidth(), x.countl_zero());
  return std::nullopt;
}

Element foldFloatBinary(StringRef name, Type type, const APInt &x,
                        const APInt &y) {
  APFloat a = toFloat(type, x), b = toFloat(type, y);
  constexpr auto nearest = APFloat::rmNearestTiesToEven;
  if (name == "add")
    a.add(b, nearest);
  else if (name == "subtract")
    a.subtract(b, nearest);
  else if (name == "multiply")
    a.multiply(b, nearest);
  else if (name == "divide")
    a.divide(b, nearest);
  else if (name == "maximum")
    a = llvm::maximum(a, b);
  else if (name == "minimum")
    a = llvm::minimum(a, b);
  else
    return std::nullopt;
  if (a.isNaN()) // it is not defined which NaN results
    return std::nullopt;
  return a.bitcastToAPInt();
}

Element foldBinary(StringRef name, Type type, const APInt &x, const APInt &y) {
  if (isa<FloatType>(type))
    return foldFloatBinary(name, type, x, y);
  bool sign = isSigned(type), pred = type.isInteger(1);
  unsigned width = x.getBitWidth();
  if (name == "and" || (pred && (name == "multiply" || name == "minimum")))
    return x & y;
  if (name == "or" || (pred && (name == "add" || name == "maximum")))
    return x | y;
  if (name == "xor")
    return x ^ y;
  if (name == "add")
    return x + y;
  if (name == "subtract")
    return x - y;
  if (name == "multiply")
    return x * y;
  if (name == "maximum")
    return sign ? (x.sgt(y) ? x : y) : (x.ugt(y) ? x : y);
  if (name == "minimum")
    return sign ? (x.slt(y) ? x : y) : (x.ult(y) ? x : y);
  if (name == "divide" || name == "remainder") {
    if (y.isZero() || (sign && x.isMinSignedValue() && y.isAllOnes()))
      return std::nullopt;
    if (name == "divide")
      return sign ? x.sdiv(y) : x.udiv(y);
    return sign ? x.srem(y) : x.urem(y);
  }
  bool all = y.uge(width);
  if (name == "shift_left")
    return all ? APInt(width, 0) : x.shl(y);
  if (name == "shift_right_logical")
    return all ? APInt(width, 0) : x.lshr(y);
  if (name == "shift_right_arithmetic")
    return x.ashr(all ? width - 1 : y.getZExtValue());
  return std::nullopt;
}

bool foldCompare(StringRef direction, bool totalOrder, Type type,
                 const APInt &x, const APInt &y) {
  int order; // of x to y: -1, 0, 1; 2 if they are unordered
  if (isa<FloatType>(type) && totalOrder) {
    auto key = [](const APInt &bits) {
      return bits.isNegative()
                 ? bits ^ APInt::getSignedMaxValue(bits.getBitWidth())
                 : bits;
    };
    order = key(x).slt(key(y)) ? -1 : x == y ? 0 : 1;
  } else if (isa<FloatType>(type)) {
    switch (toFloat(type, x).compare(toFloat(type, y))) {
    case APFloat::cmpLessThan:
      order = -1;
      break;
    case APFloat::cmpEqual:
      order = 0;
      break;
    case APFloat::cmpGreaterThan:
      order = 1;
      break;
    case APFloat::cmpUnordered:
      order = 2;
      break;
    }
  } else {
    bool less = isSigned(type) ? x.slt(y) : x.ult(y);
    order = less ? -1 : x == y ? 0 : 1;
  }
  if (direction == "NE")
    return order != 0;
  if (direction == "EQ")
    return order == 0;
  if (order == 2)
    return false;
  return direction == "LT"   ? order < 0
         : direction == "LE" ? order <= 0
         : direction == "GT" ? order > 0
                             : order >= 0;
}

Element foldConvert(Type from, Type to, const APInt &x) {
  bool lost;
  if (auto f = dyn_cast<FloatType>(from)) {
    APFloat value = toFloat(from, x);
    if (to.isInteger(1))
      return APInt(1, !value.isZero());
    if (auto t = dyn_cast<FloatType>(to)) {
      if (value.isNaN())
        return std::nullopt;
      value.convert(t.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
      return value.bitcastToAPInt();
    }
    llvm::APSInt result(to.getIntOrFloatBitWidth(), !isSigned(to));
    if (value.convertToInteger(result, APFloat::rmTowardZero, &lost) &
        APFloat::opInvalidOp)
      return std::nullopt;
    return APInt(result);
  }
  if (auto t = dyn_cast<FloatType>(to)) {
    APFloat value(t.getFloatSemantics());
    value.convertFromAPInt(x, isSigned(from), APFloat::rmNearestTiesToEven);
    return value.bitcastToAPInt();
  }
  if (to.isInteger(1))
    return APInt(1, !x.isZero());
  unsigned width = to.getIntOrFloatBitWidth();
  return isSigned(from) ? x.sextOrTrunc(width) : x.zextOrTrunc(width);
}

/// Returns the direction of a comparison of either dialect, and whether it is a
/// total order.
std::pair<StringRef, bool> getDirection(Operation *op) {
  if (auto c = dyn_cast<stablehlo::CompareOp>(op))
    return {stablehlo::stringifyComparisonDirection(c.getComparisonDirection()),
            c.getCompareType() == stablehlo::ComparisonType::TOTALORDER};
  return {train::stringifyCompareDirection(
              cast<train::CompareOp>(op).getDirection()),
          false};
}

/// Computes one element of an elementwise op.
Element foldElement(Operation *op, StringRef name, ArrayRef<Type> types,
                    Type resultType, ArrayRef<APInt> x) {
  if (isa<stablehlo::CompareOp, train::CompareOp>(op)) {
    auto [direction, totalOrder] = getDirection(op);
    return APInt(1, foldCompare(direction, totalOrder, types[0], x[0], x[1]));
  }
  if (name == "select")
    return x[0].isZero() ? x[2] : x[1];
  if (name == "convert")
    return foldConvert(types[0], resultType, x[0]);
  if (name == "clamp") {
    Element low = foldBinary("maximum", types[0], x[0], x[1]);
    return low ? foldBinary("minimum", types[0], *low, x[2]) : std::nullopt;
  }
  if (x.size() == 1)
    return foldUnary(name, types[0], x[0]);
  return foldBinary(name, types[0], x[0], x[1]);
}

// ---------------------------------------------------------------- movement

SmallVector<int64_t> unflatten(ArrayRef<int64_t> shape, int64_t i) {
  SmallVector<int64_t> index(shape.size());
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    index[d] = i % shape[d];
    i /= shape[d];
  }
  return index;
}
int64_t flatten(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t i = 0;
  for (auto [n, x] : llvm::zip(shape, index))
    i = i * n + x;
  return i;
}

/// Makes a result whose element at an index is the operand's at
/// `source(index)`.
DenseElementsAttr
gatherElements(RankedTensorType type, DenseElementsAttr operand,
               function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> source) {
  ConstantReader reader(operand);
  if (reader.isSplat())
    return build(type, {reader[0]});
  ArrayRef<int64_t> from = operand.getType().getShape();
  SmallVector<APInt> bits;
  for (int64_t i = 0, n = type.getNumElements(); i < n; ++i)
    bits.push_back(
        reader[flatten(from, source(unflatten(type.getShape(), i)))]);
  return build(type, bits);
}

ArrayRef<int64_t> getList(Operation *op, StringRef stablehloName,
                          StringRef trainName) {
  auto list = op->getAttrOfType<DenseI64ArrayAttr>(
      isa<train::TrainDialect>(op->getDialect()) ? trainName : stablehloName);
  return list ? list.asArrayRef() : ArrayRef<int64_t>();
}

DenseElementsAttr foldMovement(Operation *op, StringRef name,
                               RankedTensorType type,
                               ArrayRef<DenseElementsAttr> operands) {
  DenseElementsAttr operand = operands[0];
  if (name == "reshape") {
    if (operand.isSplat())
      return operand.resizeSplat(type);
    return operand.reshape(type);
  }
  if (name == "broadcast_in_dim") {
    ArrayRef<int64_t> dims = getList(op, "broadcast_dimensions", "dims"),
                      from = operand.getType().getShape();
    return gatherElements(type, operand, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> source;
      for (auto [i, d] : llvm::enumerate(dims))
        source.push_back(from[i] == 1 ? 0 : index[d]);
      return source;
    });
  }
  if (name == "transpose") {
    ArrayRef<int64_t> permutation = getList(op, "permutation", "permutation");
    return gatherElements(type, operand, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> source(index.size());
      for (auto [i, d] : llvm::enumerate(permutation))
        source[d] = index[i];
      return source;
    });
  }
  if (name == "slice") {
    ArrayRef<int64_t> start = getList(op, "start_indices", "start"),
                      stride = getList(op, "strides", "stride");
    return gatherElements(type, operand, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> source;
      for (auto [i, s, step] : llvm::zip(index, start, stride))
        source.push_back(s + i * step);
      return source;
    });
  }
  if (name == "dynamic_slice") {
    SmallVector<int64_t> start;
    for (auto [d, v] : llvm::enumerate(operands.drop_front())) {
      APInt at = ConstantReader(v)[0];
      int64_t raw = isSigned(v.getElementType())
                        ? at.getSExtValue()
                        : static_cast<int64_t>(at.getLimitedValue(INT64_MAX));
      start.push_back(std::clamp<int64_t>(
          raw, 0, operand.getType().getShape()[d] - type.getDimSize(d)));
    }
    return gatherElements(type, operand, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> source;
      for (auto [i, s] : llvm::zip(index, start))
        source.push_back(s + i);
      return source;
    });
  }
  if (name == "concatenate") {
    int64_t dim = op->getAttrOfType<IntegerAttr>(
                        isa<stablehlo::ConcatenateOp>(op) ? "dimension" : "dim")
                      .getInt();
    SmallVector<APInt> bits;
    for (int64_t i = 0, n = type.getNumElements(); i < n; ++i) {
      SmallVector<int64_t> index = unflatten(type.getShape(), i);
      for (DenseElementsAttr part : operands) {
        if (index[dim] < part.getType().getShape()[dim]) {
          bits.push_back(
              ConstantReader(part)[flatten(part.getType().getShape(), index)]);
          break;
        }
        index[dim] -= part.getType().getShape()[dim];
      }
    }
    return build(type, bits);
  }
  return {};
}

} // namespace

// ---------------------------------------------------------------- interface

DenseElementsAttr getConstant(Value v) {
  Operation *op = v.getDefiningOp();
  if (auto c = dyn_cast_or_null<stablehlo::ConstantOp>(op))
    return dyn_cast<DenseElementsAttr>(c.getValue());
  if (auto c = dyn_cast_or_null<train::ConstantOp>(op))
    return dyn_cast<DenseElementsAttr>(c.getValue());
  if (auto c = dyn_cast_or_null<chlo::ConstantOp>(op))
    return dyn_cast<DenseElementsAttr>(c.getValue());
  return {};
}

DenseElementsAttr foldOp(Operation *op, ArrayRef<DenseElementsAttr> operands) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      operands.empty() || llvm::is_contained(operands, nullptr))
    return {};
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.getElementType().isIntOrFloat() ||
      !type.hasStaticShape() || type.getNumElements() == 0 ||
      type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8) >
          foldedBytes)
    return {};
  SmallVector<Type> types;
  for (DenseElementsAttr a : operands) {
    if (!a.getElementType().isIntOrFloat())
      return {};
    types.push_back(a.getElementType());
  }
  StringRef name = op->getName().stripDialect();
  if (DenseElementsAttr moved = foldMovement(op, name, type, operands))
    return moved;
  bool elementwise =
      llvm::StringSwitch<bool>(name)
          .Cases({"negate", "abs", "not", "sign", "popcnt",
                  "count_leading_zeros", "floor", "ceil"},
                 true)
          .Cases({"is_finite", "convert", "compare", "select", "clamp"}, true)
          .Cases({"add", "subtract", "multiply", "divide", "remainder",
                  "maximum", "minimum"},
                 true)
          .Cases({"and", "or", "xor", "shift_left", "shift_right_logical",
                  "shift_right_arithmetic"},
                 true)
          .Default(false);
  if (!elementwise)
    return {};
  SmallVector<ConstantReader> readers;
  bool splat = true;
  for (DenseElementsAttr a : operands) {
    readers.emplace_back(a);
    splat &= a.isSplat(); // true for scalars
  }
  SmallVector<APInt> bits;
  for (int64_t i = 0, n = splat ? 1 : type.getNumElements(); i < n; ++i) {
    SmallVector<APInt, 3> x;
    for (const ConstantReader &r : readers)
      x.push_back(r[i]);
    Element e = foldElement(op, name, types, type.getElementType(), x);
    if (!e)
      return {};
    bits.push_back(*e);
  }
  return build(type, bits);
}

DenseElementsAttr foldOp(Operation *op) {
  SmallVector<DenseElementsAttr> operands;
  for (Value v : op->getOperands()) {
    operands.push_back(getConstant(v));
    if (!operands.back())
      return {};
  }
  return foldOp(op, operands);
}

Attribute getSplatAttr(Value v) {
  SmallVector<Type> converts;
  while (Operation *op = v.getDefiningOp()) {
    if (DenseElementsAttr constant = getConstant(v)) {
      if (!constant.isSplat() || !constant.getElementType().isIntOrFloat())
        return {};
      APInt bits = ConstantReader(constant)[0];
      Type type = constant.getElementType();
      for (Type to : llvm::reverse(converts)) {
        Element converted = foldConvert(type, to, bits);
        if (!converted)
          return {};
        bits = *converted;
        type = to;
      }
      if (auto f = dyn_cast<FloatType>(type))
        return FloatAttr::get(f, APFloat(f.getFloatSemantics(), bits));
      return IntegerAttr::get(type, bits);
    }
    StringRef name = op->getName().stripDialect();
    if (name == "convert")
      converts.push_back(cast<RankedTensorType>(v.getType()).getElementType());
    else if (name != "broadcast_in_dim" && name != "reshape" &&
             name != "broadcast")
      return {};
    v = op->getOperand(0);
  }
  return {};
}

bool isZero(Value v) {
  Attribute a = getSplatAttr(v);
  if (auto f = dyn_cast_or_null<FloatAttr>(a))
    return f.getValue().isZero();
  auto i = dyn_cast_or_null<IntegerAttr>(a);
  return i && i.getValue().isZero();
}

bool isExtreme(Attribute a, int sign) {
  if (auto f = dyn_cast_or_null<FloatAttr>(a))
    return f.getValue().isInfinity() && f.getValue().isNegative() == (sign < 0);
  auto i = dyn_cast_or_null<IntegerAttr>(a);
  if (!i)
    return false;
  bool hasSign = isSigned(i.getType());
  const APInt &x = i.getValue();
  return sign < 0 ? (hasSign ? x.isMinSignedValue() : x.isZero())
                  : (hasSign ? x.isMaxSignedValue() : x.isAllOnes());
}
bool isExtreme(Value v, int sign) { return isExtreme(getSplatAttr(v), sign); }

} // namespace zcc
