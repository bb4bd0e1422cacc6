// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of stablehlo's elementwise ops and of those that move elements.
#include "dialects/StableHLO/Verify.h"

using namespace mlir;

namespace zcc::stablehlo {

static unsigned getWidth(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  return element.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  unsigned narrow = getWidth(from.getElementType()),
           wide = getWidth(to.getElementType());
  SmallVector<int64_t> shape(from.getShape());
  if (narrow < wide) { // the last dim is the parts of an element
    if (shape.empty() || shape.back() * narrow != wide)
      return emitOpError() << "expected a last dim of " << wide / narrow
                           << " elements of " << narrow << " bits, got "
                           << showShape(shape);
    shape.pop_back();
  } else if (narrow > wide) {
    shape.push_back(narrow / wide);
  }
  return checkResult(*this, to, shape, {});
}

LogicalResult ReducePrecisionOp::verify() {
  if (static_cast<int32_t>(getExponentBits()) < 1 ||
      static_cast<int32_t>(getMantissaBits()) < 0)
    return emitOpError()
           << "expected at least 1 bit of exponent and 0 of mantissa, got "
           << getExponentBits() << " and " << getMantissaBits();
  return success();
}

LogicalResult ComplexOp::verify() {
  auto complex = cast<ComplexType>(tensorOf(getResult()).getElementType());
  for (Value v : {getLhs(), getRhs()})
    if (tensorOf(v).getElementType() != complex.getElementType())
      return emitOpError() << "expected parts of type "
                           << complex.getElementType() << ", got "
                           << tensorOf(v).getElementType();
  return success();
}

LogicalResult CompareOp::verify() {
  if (!getCompareType() || *getCompareType() == ComparisonType::NOTYPE)
    return success();
  Type element = tensorOf(getLhs()).getElementType();
  bool fits = false;
  switch (*getCompareType()) {
  case ComparisonType::FLOAT:
  case ComparisonType::TOTALORDER:
    fits = isa<FloatType, ComplexType>(element);
    break;
  case ComparisonType::SIGNED:
    fits = isa<IntegerType>(element) && !element.isUnsignedInteger() &&
           !element.isInteger(1);
    break;
  case ComparisonType::UNSIGNED:
    fits = element.isUnsignedInteger() || element.isInteger(1);
    break;
  default:
    break;
  }
  if (!fits)
    return emitOpError() << "expected elements that "
                         << stringifyComparisonType(*getCompareType())
                         << " compares, got " << element;
  return success();
}

LogicalResult SelectOp::verify() {
  RankedTensorType type = tensorOf(getResult());
  for (Value v : {getOnTrue(), getOnFalse()})
    if (v.getType() != type)
      return emitOpError() << "expected both cases to be " << type << ", got "
                           << v.getType();
  if (tensorOf(getPred()).getRank() != 0 &&
      tensorOf(getPred()).getShape() != type.getShape())
    return emitOpError() << "expected a predicate of shape scalar or "
                         << showShape(type.getShape()) << ", got "
                         << showShape(tensorOf(getPred()).getShape());
  return success();
}

LogicalResult ClampOp::verify() {
  RankedTensorType type = tensorOf(getOperand());
  for (Value v : {getMin(), getMax()}) {
    RankedTensorType bound = tensorOf(v);
    if (bound != type &&
        bound != RankedTensorType::get({}, type.getElementType()))
      return emitOpError() << "expected bounds of " << type
                           << " or a scalar of it, got " << bound;
  }
  return checkResult(*this, getResult().getType(), type.getShape(),
                     type.getElementType());
}

LogicalResult MapOp::verify() {
  SmallVector<Type> elements;
  for (Value v : getInputs()) {
    if (tensorOf(v).getShape() != tensorOf(getResult()).getShape())
      return emitOpError() << "expected inputs of shape "
                           << showShape(tensorOf(getResult()).getShape())
                           << ", got " << showShape(tensorOf(v).getShape());
    elements.push_back(tensorOf(v).getElementType());
  }
  return checkReducer(*this, getComputation(), elements,
                      {tensorOf(getResult()).getElementType()});
}

LogicalResult IotaOp::verify() {
  int64_t rank = tensorOf(getOutput()).getRank();
  if (getIotaDimension() >= static_cast<uint64_t>(rank))
    return emitOpError() << "expected a dim in [0, " << rank << "), got "
                         << getIotaDimensionAttr().getInt();
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (failed(checkSize(*this, "dims", dims, from.getRank(), "operand dim")) ||
      failed(checkDims(*this, "dims", dims, to.getRank())))
    return failure();
  for (auto [i, d] : llvm::enumerate(dims))
    if (from.getDimSize(i) != 1 && from.getDimSize(i) != to.getDimSize(d))
      return emitOpError() << "expected operand dim " << i << " to be 1 or "
                           << to.getDimSize(d) << ", as result dim " << d
                           << " is, got " << from.getDimSize(i);
  return checkResult(*this, to, to.getShape(), from.getElementType());
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = tensorOf(getOperand());
  SmallVector<int64_t> shape(getBroadcastSizes());
  shape.append(from.getShape().begin(), from.getShape().end());
  return checkResult(*this, getResult().getType(), shape,
                     from.getElementType());
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "expected " << from.getNumElements()
                         << " elements, as the operand has, got "
                         << to.getNumElements();
  return checkResult(*this, to, to.getShape(), from.getElementType());
}

LogicalResult TransposeOp::verify() {
  RankedTensorType from = tensorOf(getOperand());
  if (failed(checkSize(*this, "dims", getPermutation(), from.getRank(),
                       "operand dim")) ||
      failed(checkDims(*this, "dims", getPermutation(), from.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t d : getPermutation())
    shape.push_back(from.getDimSize(d));
  return checkResult(*this, getResult().getType(), shape,
                     from.getElementType());
}

LogicalResult SliceOp::verify() {
  RankedTensorType from = tensorOf(getOperand());
  int64_t rank = from.getRank();
  if (failed(checkSize(*this, "start_indices", getStartIndices(), rank,
                       "operand dim")) ||
      failed(checkSize(*this, "limit_indices", getLimitIndices(), rank,
                       "operand dim")) ||
      failed(checkSize(*this, "strides", getStrides(), rank, "operand dim")))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t start = getStartIndices()[i], limit = getLimitIndices()[i],
            stride = getStrides()[i];
    if (start < 0 || start > limit || limit > from.getDimSize(i) || stride < 1)
      return emitOpError() << "expected 0 <= start <= limit <= "
                           << from.getDimSize(i)
                           << " and a positive stride in dim " << i << ", got "
                           << start << ":" << limit << ":" << stride;
    shape.push_back((limit - start + stride - 1) / stride);
  }
  return checkResult(*this, getResult().getType(), shape,
                     from.getElementType());
}

static LogicalResult checkStarts(Operation *op, OperandRange starts,
                                 int64_t rank) {
  if (static_cast<int64_t>(starts.size()) != rank)
    return op->emitOpError()
           << "expected " << rank << " start indices, one an operand dim, got "
           << starts.size();
  for (Value v : starts)
    if (tensorOf(v).getRank() != 0)
      return op->emitOpError()
             << "expected scalar start indices, got " << v.getType();
  return success();
}

LogicalResult DynamicSliceOp::verify() {
  RankedTensorType from = tensorOf(getOperand());
  if (failed(checkStarts(*this, getStartIndices(), from.getRank())) ||
      failed(checkSize(*this, "sizes", getSliceSizes(), from.getRank(),
                       "operand dim")))
    return failure();
  for (auto [i, n] : llvm::enumerate(getSliceSizes()))
    if (n < 0 || n > from.getDimSize(i))
      return emitOpError() << "expected a size in [0, " << from.getDimSize(i)
                           << "] in dim " << i << ", got " << n;
  return checkResult(*this, getResult().getType(), getSliceSizes(),
                     from.getElementType());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  RankedTensorType from = tensorOf(getOperand()),
                   update = tensorOf(getUpdate());
  if (failed(checkStarts(*this, getStartIndices(), from.getRank())))
    return failure();
  if (update.getRank() != from.getRank() ||
      update.getElementType() != from.getElementType())
    return emitOpError() << "expected an update of rank " << from.getRank()
                         << " and type " << from.getElementType() << ", got "
                         << update;
  for (auto [i, n] : llvm::enumerate(update.getShape()))
    if (n > from.getDimSize(i))
      return emitOpError() << "expected at most " << from.getDimSize(i)
                           << " elements of the update in dim " << i << ", got "
                           << n;
  return checkResult(*this, getResult().getType(), from.getShape(),
                     from.getElementType());
}

LogicalResult PadOp::verify() {
  RankedTensorType from = tensorOf(getOperand());
  int64_t rank = from.getRank();
  if (failed(
          checkSize(*this, "low", getEdgePaddingLow(), rank, "operand dim")) ||
      failed(checkSize(*this, "high", getEdgePaddingHigh(), rank,
                       "operand dim")) ||
      failed(checkSize(*this, "interior", getInteriorPadding(), rank,
                       "operand dim")))
    return failure();
  if (getPaddingValue().getType() !=
      RankedTensorType::get({}, from.getElementType()))
    return emitOpError() << "expected a padding value of type "
                         << RankedTensorType::get({}, from.getElementType())
                         << ", got " << getPaddingValue().getType();
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t interior = getInteriorPadding()[i], n = from.getDimSize(i);
    if (interior < 0)
      return emitOpError() << "expected interior padding of at least 0 in dim "
                           << i << ", got " << interior;
    int64_t extent = getEdgePaddingLow()[i] + getEdgePaddingHigh()[i] + n +
                     std::max<int64_t>(n - 1, 0) * interior;
    if (extent < 0)
      return emitOpError() << "expected a result of at least 0 elements in dim "
                           << i << ", got " << extent;
    shape.push_back(extent);
  }
  return checkResult(*this, getResult().getType(), shape,
                     from.getElementType());
}

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty())
    return emitOpError() << "expected at least one operand";
  RankedTensorType first = tensorOf(getInputs()[0]);
  if (getDimension() >= static_cast<uint64_t>(first.getRank()))
    return emitOpError() << "expected a dim in [0, " << first.getRank()
                         << "), got " << getDimensionAttr().getInt();
  int64_t dim = getDimension(), extent = 0;
  for (auto [i, v] : llvm::enumerate(getInputs())) {
    RankedTensorType type = tensorOf(v);
    SmallVector<int64_t> shape(type.getShape());
    if (type.getRank() == first.getRank()) {
      extent += shape[dim];
      shape[dim] = first.getDimSize(dim);
    }
    if (type.getElementType() != first.getElementType() ||
        ArrayRef<int64_t>(shape) != first.getShape())
      return emitOpError() << "expected operand " << i << " to agree with "
                           << first << " outside dim " << dim << ", got "
                           << type;
  }
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = extent;
  return checkResult(*this, getResult().getType(), shape,
                     first.getElementType());
}

LogicalResult ReverseOp::verify() {
  return checkDims(*this, "dims", getDimensions(),
                   tensorOf(getOperand()).getRank());
}

LogicalResult GetDimensionSizeOp::verify() {
  int64_t rank = tensorOf(getOperand()).getRank();
  if (getDimension() >= static_cast<uint64_t>(rank))
    return emitOpError() << "expected a dim in [0, " << rank << "), got "
                         << getDimensionAttr().getInt();
  return success();
}

LogicalResult OptimizationBarrierOp::verify() {
  if (getOperand().getTypes() != getResult().getTypes())
    return emitOpError() << "expected results of the operands' types";
  return success();
}

LogicalResult TupleOp::verify() {
  if (TypeRange(getResult().getType().getTypes()) !=
      TypeRange(getVal().getTypes()))
    return emitOpError() << "expected a tuple of the operands' types, got "
                         << getResult().getType();
  return success();
}

LogicalResult GetTupleElementOp::verify() {
  TupleType tuple = getOperand().getType();
  if (getIndex() >= tuple.size())
    return emitOpError() << "expected an index in [0, " << tuple.size()
                         << "), got " << getIndex();
  if (tuple.getType(getIndex()) != getResult().getType())
    return emitOpError() << "expected a result of type "
                         << tuple.getType(getIndex()) << ", got "
                         << getResult().getType();
  return success();
}

} // namespace zcc::stablehlo

mlir::LogicalResult zcc::chlo::ConstantLikeOp::verify() {
  mlir::Type element = stablehlo::tensorOf(getResult()).getElementType();
  if (getValue().getType() != element)
    return emitOpError() << "expected a value of type " << element << ", got "
                         << getValue().getType();
  return mlir::success();
}

mlir::LogicalResult zcc::chlo::TopKOp::verify() {
  mlir::RankedTensorType from = stablehlo::tensorOf(getOperand());
  if (from.getRank() == 0 || getKAttr().getInt() < 0 ||
      getKAttr().getInt() > from.getShape().back())
    return emitOpError()
           << "expected k between 0 and the last extent of the operand, got "
           << getKAttr().getInt() << " and "
           << stablehlo::showShape(from.getShape());
  mlir::SmallVector<int64_t> shape(from.getShape());
  shape.back() = getKAttr().getInt();
  if (mlir::failed(stablehlo::checkResult(*this, getValues().getType(), shape,
                                          from.getElementType())))
    return mlir::failure();
  return stablehlo::checkResult(*this, getIndices().getType(), shape, {});
}
