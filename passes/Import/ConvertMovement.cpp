// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants and ops that move elements.
#include "passes/Import/ConstantFold.h"
#include "passes/Import/ConvertToTrain.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

/// Floating-point constants of this size are likely to be meant as parameters.
static constexpr int64_t largeConstant = 1 << 20;

/// A starting point as a number, clamped into the operand as StableHLO does;
/// nullopt if it is not constant.
static std::optional<int64_t> getStart(Value start, int64_t extent,
                                       int64_t size) {
  DenseElementsAttr known = getConstant(start);
  if (!known)
    return std::nullopt;
  APInt at = known.getSplatValue<APInt>();
  int64_t index = known.getElementType().isUnsignedInteger()
                      ? static_cast<int64_t>(at.getLimitedValue(INT64_MAX))
                      : at.getSExtValue();
  return std::clamp<int64_t>(index, 0, extent - size);
}

std::optional<LogicalResult> Converter::convertMovement(Operation *op) {
  Location loc = op->getLoc();
  using Result = std::optional<LogicalResult>;
  auto constantOf = [&](ElementsAttr value) -> Result {
    auto type = cast<RankedTensorType>(value.getType());
    auto dense = dyn_cast<DenseElementsAttr>(value);
    if (isa<FloatType>(type.getElementType()) && !(dense && dense.isSplat()) &&
        type.getNumElements() * type.getElementTypeBitWidth() / 8 >
            largeConstant)
      op->emitWarning()
          << "a constant of type " << type
          << " is captured by the function: is it meant to be a parameter?";
    return set(op, train::ConstantOp::create(b, loc, type, value));
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<stablehlo::ConstantOp, chlo::ConstantOp>(
          [&](auto o) { return constantOf(o.getValue()); })
      .Case<chlo::ConstantLikeOp>([&](auto o) -> Result {
        return set(op, train::ConstantOp::create(
                           b, loc,
                           DenseElementsAttr::get(tensorType(o.getResult()),
                                                  Attribute(o.getValue()))));
      })
      .Case<stablehlo::IotaOp>([&](auto o) -> Result {
        return set(op, train::IotaOp::create(b, loc, o.getType(), Value(),
                                             o.getIotaDimensionAttr()));
      })
      .Case<stablehlo::BroadcastInDimOp>([&](auto o) -> Result {
        // Ascending dims are the one spelling.
        Value x = in(o.getOperand());
        SmallVector<int64_t> dims(o.getBroadcastDimensions()),
            order(llvm::to_vector(llvm::seq<int64_t>(0, dims.size())));
        llvm::sort(order,
                   [&](int64_t i, int64_t j) { return dims[i] < dims[j]; });
        llvm::sort(dims);
        x = train::transpose(b, loc, x, order);
        if (x.getType() == o.getType())
          return set(op, x);
        return set(op,
                   train::broadcast(b, loc, x, tensorType(o).getShape(), dims));
      })
      .Case<stablehlo::BroadcastOp>([&](auto o) -> Result {
        Value x = in(o.getOperand());
        int64_t added = o.getBroadcastSizes().size();
        SmallVector<int64_t> dims = llvm::to_vector(
            llvm::seq<int64_t>(added, added + tensorType(x).getRank()));
        return set(op, added ? train::broadcast(b, loc, x,
                                                tensorType(o).getShape(), dims)
                             : x);
      })
      .Case<stablehlo::ReshapeOp>([&](auto o) -> Result {
        return set(op, train::reshape(b, loc, in(o.getOperand()),
                                      tensorType(o).getShape()));
      })
      .Case<stablehlo::TransposeOp>([&](auto o) -> Result {
        return set(op, train::transpose(b, loc, in(o.getOperand()),
                                        o.getPermutation()));
      })
      .Case<stablehlo::SliceOp>([&](auto o) -> Result {
        Value x = in(o.getOperand());
        if (x.getType() == o.getType())
          return set(op, x);
        return set(op, train::slice(b, loc, x, o.getStartIndices(),
                                    o.getLimitIndices(), o.getStrides()));
      })
      .Case<stablehlo::DynamicSliceOp>([&](auto o) -> Result {
        Value x = in(o.getOperand());
        if (x.getType() == o.getType())
          return set(op, x);
        SmallVector<int64_t> start, limit, stride(o.getSliceSizes().size(), 1);
        SmallVector<Value> starts;
        for (auto [d, v] : llvm::enumerate(o.getStartIndices())) {
          int64_t size = o.getSliceSizes()[d];
          starts.push_back(in(v));
          if (std::optional<int64_t> at =
                  size == shapeOf(x)[d]
                      ? 0
                      : getStart(starts.back(), shapeOf(x)[d], size)) {
            start.push_back(*at);
            limit.push_back(*at + size);
          }
        }
        if (start.size() == starts.size())
          return set(op, train::slice(b, loc, x, start, limit, stride));
        return set(op, train::DynamicSliceOp::create(
                           b, loc, o.getType(), x, starts, o.getSliceSizes()));
      })
      .Case<stablehlo::DynamicUpdateSliceOp>(
          [&](auto o) -> Result { return convertUpdateSlice(o); })
      .Case<stablehlo::PadOp>([&](auto o) -> Result {
        return set(op, train::PadOp::create(
                           b, loc, o.getType(), in(o.getOperand()),
                           in(o.getPaddingValue()), o.getEdgePaddingLow(),
                           o.getEdgePaddingHigh(), o.getInteriorPadding()));
      })
      .Case<stablehlo::ConcatenateOp>([&](auto o) -> Result {
        SmallVector<Value> parts;
        for (Value v : o.getInputs())
          if (shapeOf(v)[o.getDimension()] != 0)
            parts.push_back(in(v));
        if (parts.empty())
          parts.push_back(in(o.getInputs()[0]));
        if (parts.size() == 1)
          return set(op, parts[0]);
        return set(op, train::ConcatenateOp::create(b, loc, o.getType(), parts,
                                                    o.getDimensionAttr()));
      })
      .Case<stablehlo::ReverseOp>([&](auto o) -> Result {
        return set(op, train::ReverseOp::create(b, loc, o.getType(),
                                                in(o.getOperand()),
                                                o.getDimensions()));
      })
      .Case<stablehlo::GetDimensionSizeOp>([&](auto o) -> Result {
        return set(op, train::splat(b, loc, o.getType(),
                                    shapeOf(o.getOperand())[o.getDimension()]));
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

/// An update at a known place along one dim is what is before it, the update,
/// and what is after it. A scan's stacked results are such updates one after
/// the other: the concatenation of the last one's operand is extended in place.
LogicalResult
Converter::convertUpdateSlice(stablehlo::DynamicUpdateSliceOp op) {
  Location loc = op.getLoc();
  Value x = in(op.getOperand()), update = in(op.getUpdate());
  SmallVector<Value> starts;
  SmallVector<int64_t> at;
  std::optional<int64_t> dim;
  bool known = true;
  for (auto [d, v] : llvm::enumerate(op.getStartIndices())) {
    starts.push_back(in(v));
    int64_t extent = shapeOf(x)[d], size = shapeOf(update)[d];
    std::optional<int64_t> start =
        extent == size ? 0 : getStart(starts.back(), extent, size);
    known &= start.has_value();
    at.push_back(start.value_or(0));
    if (extent != size) {
      known &= !dim;
      dim = d;
    }
  }
  if (!known)
    return set(op, train::DynamicUpdateSliceOp::create(b, loc, op.getType(), x,
                                                       update, starts));
  if (!dim)
    return set(op, update);
  int64_t start = at[*dim], limit = start + shapeOf(update)[*dim];
  // The parts of x along dim: those of a concatenation, if x is one.
  SmallVector<Value> parts = {x}, result;
  if (auto concat = x.getDefiningOp<train::ConcatenateOp>();
      concat && concat.getDim() == static_cast<uint64_t>(*dim))
    parts.assign(concat.getInputs().begin(), concat.getInputs().end());
  auto piece = [&](Value v, int64_t from, int64_t to) {
    if (from >= to)
      return;
    SmallVector<int64_t> low(tensorType(v).getRank(), 0), high(shapeOf(v)),
        stride(low.size(), 1);
    low[*dim] = from;
    high[*dim] = to;
    result.push_back(from == 0 && to == shapeOf(v)[*dim]
                         ? v
                         : train::slice(b, loc, v, low, high, stride));
  };
  int64_t position = 0;
  bool placed = false;
  for (Value v : parts) {
    int64_t n = shapeOf(v)[*dim], from = position, to = position + n;
    position = to;
    piece(v, 0, std::min(n, start - from));
    if (!placed && to > start) {
      result.push_back(update);
      placed = true;
    }
    piece(v, std::max<int64_t>(0, limit - from), n);
  }
  if (result.size() == 1)
    return set(op, result[0]);
  return set(op,
             train::ConcatenateOp::create(b, loc, op.getType(), result, *dim));
}

/// Between widths by shifts: the last dim holds the parts of an element, the
/// least significant first.
LogicalResult Converter::convertBitcast(stablehlo::BitcastConvertOp op) {
  Location loc = op.getLoc();
  Value x = in(op.getOperand());
  auto cast = [&](Value v, Type element) -> Value {
    Type type = tensorType(v).clone(element);
    return type == v.getType()
               ? v
               : Value(train::BitcastOp::create(b, loc, type, v));
  };
  Type from = tensorType(x).getElementType(),
       to = tensorType(op.getResult()).getElementType();
  unsigned fromWidth = from.getIntOrFloatBitWidth(),
           toWidth = to.getIntOrFloatBitWidth(),
           wide = std::max(fromWidth, toWidth),
           narrow = std::min(fromWidth, toWidth);
  if (wide == narrow)
    return set(op, cast(x, to));
  if (narrow == 1)
    return refuse(op, "expected elements of at least 8 bits");
  auto bits = [&](unsigned width) {
    return IntegerType::get(b.getContext(), width, IntegerType::Unsigned);
  };
  bool split = fromWidth == wide;
  ArrayRef<int64_t> shape = shapeOf(split ? Value(op.getResult()) : x);
  Type type = RankedTensorType::get(shape, bits(wide));
  int64_t last = shape.size() - 1;
  Value place =
      train::IotaOp::create(b, loc, type, Value(), b.getI64IntegerAttr(last));
  Value shift =
      train::MulOp::create(b, loc, type, place, constant(loc, place, narrow));
  if (split) {
    SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, last));
    Value whole = train::broadcast(b, loc, cast(x, bits(wide)), shape, dims);
    Value part = train::ShrlOp::create(b, loc, type, whole, shift);
    part = train::AndOp::create(
        b, loc, type, part,
        train::ConstantOp::create(
            b, loc,
            DenseElementsAttr::get(llvm::cast<RankedTensorType>(type),
                                   APInt::getLowBitsSet(wide, narrow))));
    return set(op, cast(train::convert(b, loc, part, bits(narrow)), to));
  }
  Value part = train::convert(b, loc, cast(x, bits(narrow)), bits(wide));
  Value placed = train::ShlOp::create(b, loc, type, part, shift);
  // No bit is set twice.
  Value whole = train::reduce(b, loc, placed, {last}, train::ReduceKind::add);
  return set(op, cast(whole, to));
}

} // namespace zcc
