// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts constants and ops that move elements.
#include "dialects/StableHLO/StableHLO.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Conversion.h"
#include "passes/Import/HashRounds.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

/// Floating-point constants of so many elements are probably meant as
/// parameters.
static constexpr int64_t largeConstant = 1 << 20;

/// Returns a start index as a number, clamped into the operand as StableHLO
/// does; nullopt if it is not constant.
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

static LogicalResult convertConstant(Conversion &c, Operation *op,
                                     ElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (isa<FloatType>(type.getElementType()) && !(dense && dense.isSplat()) &&
      type.getNumElements() * type.getElementTypeBitWidth() / 8 > largeConstant)
    op->emitWarning()
        << "a constant of type " << type
        << " is captured by the function: is it meant to be a parameter?";
  auto constant = train::ConstantOp::create(c.b, op->getLoc(), type, value);
  if (Attribute drawn = op->getAttr(drawnAttrName))
    constant->setAttr(drawnAttrName, drawn);
  return c.set(op, constant);
}
static LogicalResult convert(Conversion &c, stablehlo::ConstantOp op) {
  return convertConstant(c, op, op.getValue());
}
static LogicalResult convert(Conversion &c, chlo::ConstantOp op) {
  return convertConstant(c, op, op.getValue());
}
static LogicalResult convert(Conversion &c, chlo::ConstantLikeOp op) {
  return c.set(op, train::ConstantOp::create(
                       c.b, op.getLoc(),
                       DenseElementsAttr::get(tensorType(op.getResult()),
                                              Attribute(op.getValue()))));
}

static LogicalResult convert(Conversion &c, stablehlo::IotaOp op) {
  return c.set(op, train::IotaOp::create(c.b, op.getLoc(), op.getType(),
                                         Value(), op.getIotaDimensionAttr()));
}

/// Broadcast dims are made ascending, so that there is one spelling.
static LogicalResult convert(Conversion &c, stablehlo::BroadcastInDimOp op) {
  SmallVector<int64_t> dims(op.getBroadcastDimensions()),
      order(llvm::to_vector(llvm::seq<int64_t>(0, dims.size())));
  llvm::sort(order, [&](int64_t i, int64_t j) { return dims[i] < dims[j]; });
  llvm::sort(dims);
  Value x = train::transpose(c.b, op.getLoc(), c.in(op.getOperand()), order);
  if (x.getType() == op.getType())
    return c.set(op, x);
  return c.set(op, train::broadcast(c.b, op.getLoc(), x,
                                    tensorType(op).getShape(), dims));
}

static LogicalResult convert(Conversion &c, stablehlo::BroadcastOp op) {
  Value x = c.in(op.getOperand());
  int64_t added = op.getBroadcastSizes().size();
  SmallVector<int64_t> dims = llvm::to_vector(
      llvm::seq<int64_t>(added, added + tensorType(x).getRank()));
  return c.set(op, added ? train::broadcast(c.b, op.getLoc(), x,
                                            tensorType(op).getShape(), dims)
                         : x);
}

static LogicalResult convert(Conversion &c, stablehlo::ReshapeOp op) {
  return c.set(op, train::reshape(c.b, op.getLoc(), c.in(op.getOperand()),
                                  tensorType(op).getShape()));
}

static LogicalResult convert(Conversion &c, stablehlo::TransposeOp op) {
  return c.set(op, train::transpose(c.b, op.getLoc(), c.in(op.getOperand()),
                                    op.getPermutation()));
}

static LogicalResult convert(Conversion &c, stablehlo::SliceOp op) {
  Value x = c.in(op.getOperand());
  if (x.getType() == op.getType())
    return c.set(op, x);
  return c.set(op, train::slice(c.b, op.getLoc(), x, op.getStartIndices(),
                                op.getLimitIndices(), op.getStrides()));
}

/// A slice whose place is known becomes a train.slice.
static LogicalResult convert(Conversion &c, stablehlo::DynamicSliceOp op) {
  Value x = c.in(op.getOperand());
  if (x.getType() == op.getType())
    return c.set(op, x);
  SmallVector<int64_t> start, limit, stride(op.getSliceSizes().size(), 1);
  SmallVector<Value> starts;
  for (auto [d, v] : llvm::enumerate(op.getStartIndices())) {
    int64_t size = op.getSliceSizes()[d];
    starts.push_back(c.in(v));
    if (std::optional<int64_t> at =
            size == shapeOf(x)[d]
                ? 0
                : getStart(starts.back(), shapeOf(x)[d], size)) {
      start.push_back(*at);
      limit.push_back(*at + size);
    }
  }
  if (start.size() == starts.size())
    return c.set(op, train::slice(c.b, op.getLoc(), x, start, limit, stride));
  return c.set(op,
               train::DynamicSliceOp::create(c.b, op.getLoc(), op.getType(), x,
                                             starts, op.getSliceSizes()));
}

static LogicalResult convert(Conversion &c, stablehlo::PadOp op) {
  return c.set(op, train::PadOp::create(
                       c.b, op.getLoc(), op.getType(), c.in(op.getOperand()),
                       c.in(op.getPaddingValue()), op.getEdgePaddingLow(),
                       op.getEdgePaddingHigh(), op.getInteriorPadding()));
}

static LogicalResult convert(Conversion &c, stablehlo::ConcatenateOp op) {
  SmallVector<Value> parts;
  for (Value v : op.getInputs())
    if (shapeOf(v)[op.getDimension()] != 0)
      parts.push_back(c.in(v));
  if (parts.empty())
    parts.push_back(c.in(op.getInputs()[0]));
  if (parts.size() == 1)
    return c.set(op, parts[0]);
  return c.set(op, train::ConcatenateOp::create(c.b, op.getLoc(), op.getType(),
                                                parts, op.getDimensionAttr()));
}

static LogicalResult convert(Conversion &c, stablehlo::ReverseOp op) {
  return c.set(op, train::ReverseOp::create(c.b, op.getLoc(), op.getType(),
                                            c.in(op.getOperand()),
                                            op.getDimensions()));
}

static LogicalResult convert(Conversion &c, stablehlo::GetDimensionSizeOp op) {
  return c.set(op, train::splat(c.b, op.getLoc(), op.getType(),
                                shapeOf(op.getOperand())[op.getDimension()]));
}

/// An update at a known place along one dim is a concatenation of the part
/// before it, the update, and the part after it. A scan's stacked results are
/// such updates one after the other: the concatenation of the previous update
/// is extended.
static LogicalResult convert(Conversion &c,
                             stablehlo::DynamicUpdateSliceOp op) {
  OpBuilder &b = c.b;
  Location loc = op.getLoc();
  Value x = c.in(op.getOperand()), update = c.in(op.getUpdate());
  SmallVector<Value> starts;
  SmallVector<int64_t> at;
  std::optional<int64_t> dim;
  bool known = true;
  for (auto [d, v] : llvm::enumerate(op.getStartIndices())) {
    starts.push_back(c.in(v));
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
    return c.set(op, train::DynamicUpdateSliceOp::create(b, loc, op.getType(),
                                                         x, update, starts));
  if (!dim)
    return c.set(op, update);
  int64_t start = at[*dim], limit = start + shapeOf(update)[*dim];
  // The parts of x along dim are those of a concatenation, if x is one.
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
    return c.set(op, result[0]);
  return c.set(
      op, train::ConcatenateOp::create(b, loc, op.getType(), result, *dim));
}

/// Converts between widths by shifts. The last dim holds the parts of an
/// element, the least significant first.
static LogicalResult convert(Conversion &c, stablehlo::BitcastConvertOp op) {
  OpBuilder &b = c.b;
  Location loc = op.getLoc();
  Value x = c.in(op.getOperand());
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
    return c.set(op, cast(x, to));
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
      train::MulOp::create(b, loc, type, place, c.constant(loc, place, narrow));
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
    return c.set(op, cast(train::convert(b, loc, part, bits(narrow)), to));
  }
  Value part = train::convert(b, loc, cast(x, bits(narrow)), bits(wide));
  Value placed = train::ShlOp::create(b, loc, type, part, shift);
  // The sum is exact, because no bit is set twice.
  Value whole = train::reduce(b, loc, placed, {last}, train::ReduceKind::add);
  return c.set(op, cast(whole, to));
}

Converted convertMovement(Conversion &c, Operation *op) {
  return llvm::TypeSwitch<Operation *, Converted>(op)
      .Case<stablehlo::ConstantOp, chlo::ConstantOp, chlo::ConstantLikeOp,
            stablehlo::IotaOp, stablehlo::BroadcastInDimOp,
            stablehlo::BroadcastOp, stablehlo::ReshapeOp,
            stablehlo::TransposeOp, stablehlo::SliceOp,
            stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp,
            stablehlo::PadOp, stablehlo::ConcatenateOp, stablehlo::ReverseOp,
            stablehlo::GetDimensionSizeOp, stablehlo::BitcastConvertOp>(
          [&](auto o) -> Converted { return convert(c, o); })
      .Default([](Operation *) -> Converted { return std::nullopt; });
}

} // namespace zcc
