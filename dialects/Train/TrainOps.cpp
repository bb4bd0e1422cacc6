// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers, folders and costs of the train ops. Verifiers check what the later phases rely on: that every result
// type follows from the operands and attributes.
#include "dialects/Train/Optimizers/Optimizer.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace zcc::train;

#define GET_OP_CLASSES
#include "dialects/Train/TrainOps.cpp.inc"

std::optional<Tag> zcc::train::tagOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(tagAttrName);
  return name ? symbolizeTag(name.getValue()) : std::nullopt;
}

void zcc::train::setTag(Operation *op, Tag tag) {
  op->setAttr(tagAttrName,
              StringAttr::get(op->getContext(), stringifyTag(tag)));
}

std::string zcc::train::shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return "[" + text + "]";
}

namespace {
// Checks the result's shape and element type (null: any).
LogicalResult expect(Operation *op, Value result, ArrayRef<int64_t> shape, Type element = {}) {
  auto type = tensorType(result);
  if (type.getShape() != shape)
    return op->emitOpError("expected a result of shape ") << shapeText(shape) << ", found " << shapeText(type.getShape());
  if (element && type.getElementType() != element)
    return op->emitOpError("expected a result of ") << element << ", found " << type.getElementType();
  return success();
}

LogicalResult expectCount(Operation *op, StringRef name, size_t found, size_t expected) {
  if (found != expected)
    return op->emitOpError("expected ") << expected << " entries in '" << name << "', found " << found;
  return success();
}

LogicalResult expectDims(Operation *op, StringRef name, ArrayRef<int64_t> dims, int64_t rank) {
  SmallVector<bool> seen(rank);
  for (int64_t d : dims) {
    if (d < 0 || d >= rank)
      return op->emitOpError("dim ") << d << " in '" << name << "' is not below the rank, " << rank;
    if (seen[d])
      return op->emitOpError("dim ") << d << " stands twice in '" << name << "'";
    seen[d] = true;
  }
  return success();
}

SmallVector<int64_t> without(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> left;
  for (auto [i, n] : llvm::enumerate(shape))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      left.push_back(n);
  return left;
}

int64_t windowExtent(int64_t n, int64_t base, int64_t low, int64_t high, int64_t window, int64_t dilation, int64_t stride) {
  int64_t dilated = n == 0 ? 0 : (n - 1) * base + 1;
  int64_t reach = window == 0 ? 0 : (window - 1) * dilation + 1;
  int64_t room = dilated + low + high - reach;
  return room < 0 ? 0 : room / stride + 1;
}
} // namespace

// ---------------------------------------------------------------- movement

LogicalResult ShardingConstraintOp::verify() {
  if (failed(expectCount(*this, "sharding", getSharding().size(), tensorType(getResult()).getRank())))
    return failure();
  for (Attribute dim : getSharding()) {
    auto axes = dyn_cast<ArrayAttr>(dim);
    if (!axes || !llvm::all_of(axes, llvm::IsaPred<StringAttr>))
      return emitOpError("expected an array of names of axes a dim in 'sharding', found ") << dim;
    for (Attribute axis : axes)
      if (cast<StringAttr>(axis).getValue() == "?" && axis != axes[axes.size() - 1])
        return emitOpError("expected \"?\" as the last entry of a dim, found ") << dim;
  }
  return success();
}

LogicalResult CustomDerivativeOp::verify() {
  auto isCotangent = [](OpOperand &use) {
    auto custom = dyn_cast<CustomDerivativeOp>(use.getOwner());
    auto range =
        custom ? custom.getODSOperandIndexAndLength(1) : std::make_pair(0u, 0u);
    return use.getOperandNumber() - range.first < range.second;
  };
  for (auto [i, cotangent] : llvm::enumerate(getCotangents())) {
    if (!cotangent.getDefiningOp<CotangentOp>())
      return emitOpError("expected cotangent ")
             << i << " to be a train.cotangent";
    if (llvm::count_if(cotangent.getUses(), isCotangent) != 1)
      return emitOpError("expected cotangent ")
             << i << " to be that of one result alone";
  }
  return success();
}

LogicalResult IotaOp::verify() {
  int64_t rank = tensorType(getResult()).getRank(), dim = getDim();
  if (dim < 0 || dim >= rank)
    return emitOpError("dim ") << dim << " is not below the rank, " << rank;
  if (getOrigin() && tensorType(getOrigin()).getRank() != 0)
    return emitOpError("expected a scalar origin, found ") << getOrigin().getType();
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto in = tensorType(getOperand()), out = tensorType(getResult());
  if (failed(expectCount(*this, "dims", getDims().size(), in.getRank())) ||
      failed(expectDims(*this, "dims", getDims(), out.getRank())))
    return failure();
  for (auto [i, d] : llvm::enumerate(getDims()))
    if (in.getDimSize(i) != 1 && in.getDimSize(i) != out.getDimSize(d))
      return emitOpError("dim ") << i << " has extent " << in.getDimSize(i) << ", expected 1 or " << out.getDimSize(d);
  return expect(*this, getResult(), out.getShape(), in.getElementType());
}
OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  bool identity = getOperand().getType() == getType();
  for (auto [i, d] : llvm::enumerate(getDims()))
    identity &= static_cast<int64_t>(i) == d;
  return identity ? getOperand() : OpFoldResult();
}

LogicalResult ReshapeOp::verify() {
  auto in = tensorType(getOperand()), out = tensorType(getResult());
  if (in.getNumElements() != out.getNumElements())
    return emitOpError("expected ") << in.getNumElements() << " elements, found " << out.getNumElements();
  return expect(*this, getResult(), out.getShape(), in.getElementType());
}
OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto before = getOperand().getDefiningOp<ReshapeOp>()) {
    if (before.getOperand().getType() == getType())
      return before.getOperand();
    getOperandMutable().assign(before.getOperand());
    return getResult();
  }
  return {};
}

LogicalResult TransposeOp::verify() {
  auto in = tensorType(getOperand());
  if (failed(expectCount(*this, "permutation", getPermutation().size(), in.getRank())) ||
      failed(expectDims(*this, "permutation", getPermutation(), in.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t p : getPermutation())
    shape.push_back(in.getDimSize(p));
  return expect(*this, getResult(), shape, in.getElementType());
}
OpFoldResult TransposeOp::fold(FoldAdaptor) {
  for (auto [i, p] : llvm::enumerate(getPermutation()))
    if (static_cast<int64_t>(i) != p)
      return {};
  return getOperand();
}

LogicalResult SliceOp::verify() {
  auto in = tensorType(getOperand());
  size_t rank = in.getRank();
  if (failed(expectCount(*this, "start", getStart().size(), rank)) ||
      failed(expectCount(*this, "limit", getLimit().size(), rank)) ||
      failed(expectCount(*this, "stride", getStride().size(), rank)))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, n] : llvm::enumerate(in.getShape())) {
    int64_t s = getStart()[i], l = getLimit()[i], t = getStride()[i];
    if (s < 0 || l < s || l > n || t < 1)
      return emitOpError("dim ") << i << ": expected 0 <= start <= limit <= " << n << " and a positive stride, found "
                                 << s << ", " << l << ", " << t;
    shape.push_back((l - s + t - 1) / t);
  }
  return expect(*this, getResult(), shape, in.getElementType());
}
OpFoldResult SliceOp::fold(FoldAdaptor) { return getOperand().getType() == getType() ? getOperand() : OpFoldResult(); }

LogicalResult PadOp::verify() {
  auto in = tensorType(getOperand());
  size_t rank = in.getRank();
  if (tensorType(getValue()).getRank() != 0)
    return emitOpError("expected a scalar value, found ") << getValue().getType();
  if (failed(expectCount(*this, "low", getLow().size(), rank)) || failed(expectCount(*this, "high", getHigh().size(), rank)) ||
      failed(expectCount(*this, "interior", getInterior().size(), rank)))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, n] : llvm::enumerate(in.getShape())) {
    if (getInterior()[i] < 0)
      return emitOpError("expected interior padding of at least 0, found ") << getInterior()[i];
    shape.push_back(std::max<int64_t>(0, n + std::max<int64_t>(n - 1, 0) * getInterior()[i] + getLow()[i] + getHigh()[i]));
  }
  return expect(*this, getResult(), shape, in.getElementType());
}

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty())
    return emitOpError("expected at least one operand");
  auto first = tensorType(getInputs().front());
  int64_t dim = getDim();
  if (dim < 0 || dim >= first.getRank())
    return emitOpError("dim ") << dim << " is not below the rank, " << first.getRank();
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (Value v : getInputs()) {
    auto type = tensorType(v);
    if (type.getElementType() != first.getElementType() || type.getRank() != first.getRank() ||
        without(type.getShape(), {dim}) != without(first.getShape(), {dim}))
      return emitOpError("expected operands that differ in dim ") << dim << " alone, found " << first << " and " << type;
    shape[dim] += type.getDimSize(dim);
  }
  return expect(*this, getResult(), shape, first.getElementType());
}

LogicalResult ReverseOp::verify() { return expectDims(*this, "dims", getDims(), tensorType(getOperand()).getRank()); }

// ---------------------------------------------------------------- elementwise

OpFoldResult ConvertOp::fold(FoldAdaptor) { return getOperand().getType() == getType() ? getOperand() : OpFoldResult(); }
OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

// ---------------------------------------------------------------- reductions

LogicalResult ReduceOp::verify() {
  auto in = tensorType(getOperand());
  if (getKind() == ReduceKind::replace)
    return emitOpError("expected a kind other than replace");
  if (failed(expectDims(*this, "dims", getDims(), in.getRank())))
    return failure();
  if (!llvm::is_sorted(getDims()))
    return emitOpError("expected 'dims' in ascending order");
  return expect(*this, getResult(), without(in.getShape(), getDims()), in.getElementType());
}
double ReduceOp::getFlops() { return static_cast<double>(tensorType(getOperand()).getNumElements()); }

LogicalResult ArgReduceOp::verify() {
  auto in = tensorType(getOperand());
  if (getKind() != ReduceKind::maximum && getKind() != ReduceKind::minimum)
    return emitOpError("expected maximum or minimum, found ") << stringifyReduceKind(getKind());
  int64_t dim = getDim();
  if (failed(expectDims(*this, "dim", {dim}, in.getRank())))
    return failure();
  return expect(*this, getResult(), without(in.getShape(), {dim}));
}

LogicalResult CumulativeOp::verify() {
  int64_t dim = getDim();
  return expectDims(*this, "dim", {dim}, tensorType(getOperand()).getRank());
}

LogicalResult ReduceWindowOp::verify() {
  auto in = tensorType(getOperand());
  size_t rank = in.getRank();
  for (auto [name, list] : {std::pair<StringRef, ArrayRef<int64_t>>{"window", getWindow()}, {"strides", getStrides()},
                            {"base_dilation", getBaseDilation()}, {"window_dilation", getWindowDilation()},
                            {"pad_low", getPadLow()}, {"pad_high", getPadHigh()}})
    if (failed(expectCount(*this, name, list.size(), rank)))
      return failure();
  SmallVector<int64_t> shape;
  for (auto [i, n] : llvm::enumerate(in.getShape())) {
    if (getWindow()[i] < 1 || getStrides()[i] < 1 || getBaseDilation()[i] < 1 || getWindowDilation()[i] < 1)
      return emitOpError("dim ") << i << ": expected a window, stride and dilations of at least 1";
    shape.push_back(windowExtent(n, getBaseDilation()[i], getPadLow()[i], getPadHigh()[i], getWindow()[i],
                                 getWindowDilation()[i], getStrides()[i]));
  }
  return expect(*this, getResult(), shape, in.getElementType());
}
double ReduceWindowOp::getFlops() {
  double n = static_cast<double>(tensorType(getResult()).getNumElements());
  for (int64_t w : getWindow())
    n *= static_cast<double>(w);
  return n;
}

LogicalResult SelectAndScatterOp::verify() {
  auto in = tensorType(getOperand());
  size_t rank = in.getRank();
  for (auto [name, list] : {std::pair<StringRef, ArrayRef<int64_t>>{"window", getWindow()}, {"strides", getStrides()},
                            {"pad_low", getPadLow()}, {"pad_high", getPadHigh()}})
    if (failed(expectCount(*this, name, list.size(), rank)))
      return failure();
  SmallVector<int64_t> shape;
  for (auto [i, n] : llvm::enumerate(in.getShape())) {
    if (getWindow()[i] < 1 || getStrides()[i] < 1)
      return emitOpError("dim ") << i << ": expected a window and stride of at least 1";
    shape.push_back(windowExtent(n, 1, getPadLow()[i], getPadHigh()[i], getWindow()[i], 1, getStrides()[i]));
  }
  if (failed(expect(*this, getSource(), shape, in.getElementType())))
    return failure();
  return expect(*this, getResult(), in.getShape(), in.getElementType());
}

LogicalResult SortOp::verify() {
  if (getInputs().empty() || getInputs().size() != getSorted().size())
    return emitOpError("expected as many results as operands, at least one");
  int64_t dim = getDim();
  ArrayRef<int64_t> shape = shapeOf(getInputs().front());
  if (failed(expectDims(*this, "dim", {dim}, shape.size())))
    return failure();
  for (auto [in, out] : llvm::zip(getInputs(), getSorted())) {
    if (shapeOf(in) != shape)
      return emitOpError("expected operands of one shape, ") << shapeText(shape) << ", found " << shapeText(shapeOf(in));
    if (failed(expect(*this, out, shape, tensorType(in).getElementType())))
      return failure();
  }
  return success();
}

LogicalResult SumOfSquaresOp::verify() {
  int64_t n = tensorType(getOperand()).getNumElements();
  if (tensorType(getResult()).getRank() == 0)
    return expect(*this, getResult(), {}, Float32Type::get(getContext()));
  return expect(*this, getResult(), {(n + squaresBlock - 1) / squaresBlock}, Float32Type::get(getContext()));
}
double SumOfSquaresOp::getFlops() { return 2.0 * static_cast<double>(tensorType(getOperand()).getNumElements()); }

// ---------------------------------------------------------------- products

LogicalResult DotGeneralOp::verify() {
  auto lhs = tensorType(getLhs()), rhs = tensorType(getRhs());
  if (lhs.getElementType() != rhs.getElementType())
    return emitOpError("expected operands of one element type, found ") << lhs.getElementType() << " and " << rhs.getElementType();
  SmallVector<int64_t> l(getLhsBatching()), r(getRhsBatching());
  llvm::append_range(l, getLhsContracting());
  llvm::append_range(r, getRhsContracting());
  if (failed(expectDims(*this, "lhs dims", l, lhs.getRank())) || failed(expectDims(*this, "rhs dims", r, rhs.getRank())) ||
      failed(expectCount(*this, "rhs_batching", getRhsBatching().size(), getLhsBatching().size())) ||
      failed(expectCount(*this, "rhs_contracting", getRhsContracting().size(), getLhsContracting().size())))
    return failure();
  for (auto [i, j] : llvm::zip(l, r))
    if (lhs.getDimSize(i) != rhs.getDimSize(j))
      return emitOpError("dim ") << i << " of lhs has extent " << lhs.getDimSize(i) << ", dim " << j << " of rhs "
                                 << rhs.getDimSize(j);
  SmallVector<int64_t> shape;
  for (int64_t d : getLhsBatching())
    shape.push_back(lhs.getDimSize(d));
  llvm::append_range(shape, without(lhs.getShape(), l));
  llvm::append_range(shape, without(rhs.getShape(), r));
  return expect(*this, getResult(), shape);
}
double DotGeneralOp::getFlops() {
  double n = 2.0 * static_cast<double>(tensorType(getResult()).getNumElements());
  for (int64_t d : getLhsContracting())
    n *= static_cast<double>(tensorType(getLhs()).getDimSize(d));
  return n;
}

LogicalResult ConvolutionOp::verify() {
  auto lhs = tensorType(getLhs()), rhs = tensorType(getRhs()), out = tensorType(getResult());
  int64_t rank = lhs.getRank();
  size_t spatial = rank < 2 ? 0 : rank - 2;
  if (rank < 2 || rhs.getRank() != rank || out.getRank() != rank)
    return emitOpError("expected operands and result of one rank of at least 2");
  if (lhs.getElementType() != rhs.getElementType())
    return emitOpError("expected operands of one element type, found ") << lhs.getElementType() << " and " << rhs.getElementType();
  for (auto [name, list] : {std::pair<StringRef, ArrayRef<int64_t>>{"input_dims", getInputDims()},
                            {"kernel_dims", getKernelDims()}, {"output_dims", getOutputDims()}})
    if (failed(expectCount(*this, name, list.size(), rank)) || failed(expectDims(*this, name, list, rank)))
      return failure();
  for (auto [name, list] : {std::pair<StringRef, ArrayRef<int64_t>>{"strides", getStrides()}, {"pad_low", getPadLow()},
                            {"pad_high", getPadHigh()}, {"lhs_dilation", getLhsDilation()}, {"rhs_dilation", getRhsDilation()}})
    if (failed(expectCount(*this, name, list.size(), spatial)))
      return failure();
  if (failed(expectCount(*this, "reversal", getReversal().size(), spatial)))
    return failure();
  int64_t groups = getFeatureGroups(), batchGroups = getBatchGroups();
  int64_t batch = lhs.getDimSize(getInputDims()[0]), features = lhs.getDimSize(getInputDims()[1]);
  int64_t kernelIn = rhs.getDimSize(getKernelDims()[0]), kernelOut = rhs.getDimSize(getKernelDims()[1]);
  if (groups < 1 || batchGroups < 1 || (groups > 1 && batchGroups > 1))
    return emitOpError("expected group counts of at least 1, one of them 1");
  if (features != kernelIn * groups)
    return emitOpError("expected ") << kernelIn * groups << " input features, found " << features;
  if (kernelOut % groups || kernelOut % batchGroups || batch % batchGroups)
    return emitOpError("expected the group count to divide what it groups");
  SmallVector<int64_t> shape(rank);
  shape[getOutputDims()[0]] = batch / batchGroups;
  shape[getOutputDims()[1]] = kernelOut;
  for (size_t i = 0; i < spatial; ++i) {
    if (getStrides()[i] < 1 || getLhsDilation()[i] < 1 || getRhsDilation()[i] < 1)
      return emitOpError("expected strides and dilations of at least 1");
    shape[getOutputDims()[i + 2]] =
        windowExtent(lhs.getDimSize(getInputDims()[i + 2]), getLhsDilation()[i], getPadLow()[i], getPadHigh()[i],
                     rhs.getDimSize(getKernelDims()[i + 2]), getRhsDilation()[i], getStrides()[i]);
  }
  return expect(*this, getResult(), shape);
}
double ConvolutionOp::getFlops() {
  auto rhs = tensorType(getRhs());
  double n = 2.0 * static_cast<double>(tensorType(getResult()).getNumElements()) *
             static_cast<double>(rhs.getDimSize(getKernelDims()[0]));
  for (int64_t d : getKernelDims().drop_front(2))
    n *= static_cast<double>(rhs.getDimSize(d));
  return n;
}

// ---------------------------------------------------------------- indexed access

namespace {
// Checks the parts that gather's result and scatter's updates share: the index vector's length and the dims left for
// batches.
LogicalResult verifyIndices(Operation *op, RankedTensorType operand, RankedTensorType indices, int64_t vectorDim,
                            ArrayRef<int64_t> dimMap, ArrayRef<int64_t> operandBatching, ArrayRef<int64_t> indicesBatching,
                            SmallVector<int64_t> &batchShape) {
  if (vectorDim < 0 || vectorDim > indices.getRank())
    return op->emitOpError("index_vector_dim ") << vectorDim << " exceeds the rank of the indices, " << indices.getRank();
  int64_t length = vectorDim == indices.getRank() ? 1 : indices.getDimSize(vectorDim);
  if (failed(expectCount(op, "index map", dimMap.size(), length)) ||
      failed(expectDims(op, "index map", dimMap, operand.getRank())) ||
      failed(expectDims(op, "operand_batching_dims", operandBatching, operand.getRank())) ||
      failed(expectDims(op, "indices_batching_dims", indicesBatching, indices.getRank())) ||
      failed(expectCount(op, "indices_batching_dims", indicesBatching.size(), operandBatching.size())))
    return failure();
  for (auto [i, j] : llvm::zip(operandBatching, indicesBatching))
    if (operand.getDimSize(i) != indices.getDimSize(j))
      return op->emitOpError("batching dims ") << i << " and " << j << " differ: " << operand.getDimSize(i) << " and "
                                               << indices.getDimSize(j);
  batchShape = without(indices.getShape(), {vectorDim});
  return success();
}

// Merges the batch dims with the window dims, which are at `windowDims`.
LogicalResult mergeShape(Operation *op, ArrayRef<int64_t> batch, ArrayRef<int64_t> window, ArrayRef<int64_t> windowDims,
                         SmallVector<int64_t> &shape) {
  if (failed(expectCount(op, "window dims", windowDims.size(), window.size())) ||
      failed(expectDims(op, "window dims", windowDims, batch.size() + window.size())))
    return failure();
  shape.assign(batch.size() + window.size(), -1);
  for (auto [d, n] : llvm::zip(windowDims, window))
    shape[d] = n;
  auto next = batch.begin();
  for (int64_t &n : shape)
    if (n == -1)
      n = *next++;
  return success();
}
} // namespace

LogicalResult GatherOp::verify() {
  auto operand = tensorType(getOperand()), indices = tensorType(getIndices());
  SmallVector<int64_t> batch, shape;
  if (failed(verifyIndices(*this, operand, indices, getIndexVectorDim(), getStartIndexMap(), getOperandBatchingDims(),
                           getIndicesBatchingDims(), batch)) ||
      failed(expectCount(*this, "slice_sizes", getSliceSizes().size(), operand.getRank())) ||
      failed(expectDims(*this, "collapsed_slice_dims", getCollapsedSliceDims(), operand.getRank())))
    return failure();
  SmallVector<int64_t> dropped(getCollapsedSliceDims());
  llvm::append_range(dropped, getOperandBatchingDims());
  for (auto [i, n] : llvm::enumerate(getSliceSizes()))
    if (n < 0 || n > operand.getDimSize(i) || (n > 1 && llvm::is_contained(dropped, static_cast<int64_t>(i))))
      return emitOpError("slice size ") << n << " of dim " << i << " does not fit";
  if (failed(mergeShape(*this, batch, without(getSliceSizes(), dropped), getOffsetDims(), shape)))
    return failure();
  return expect(*this, getResult(), shape, operand.getElementType());
}

LogicalResult ScatterOp::verify() {
  auto operand = tensorType(getOperand()), indices = tensorType(getIndices()), updates = tensorType(getUpdates());
  SmallVector<int64_t> batch;
  if (failed(verifyIndices(*this, operand, indices, getIndexVectorDim(), getOperandDimsMap(), getOperandBatchingDims(),
                           getIndicesBatchingDims(), batch)) ||
      failed(expectDims(*this, "inserted_window_dims", getInsertedWindowDims(), operand.getRank())) ||
      failed(expectDims(*this, "update_window_dims", getUpdateWindowDims(), updates.getRank())))
    return failure();
  SmallVector<int64_t> dropped(getInsertedWindowDims());
  llvm::append_range(dropped, getOperandBatchingDims());
  if (failed(expectCount(*this, "update_window_dims", getUpdateWindowDims().size(), operand.getRank() - dropped.size())))
    return failure();
  if (SmallVector<int64_t>(without(updates.getShape(), getUpdateWindowDims())) != batch)
    return emitOpError("expected updates with batch dims ") << shapeText(batch) << ", found " << updates;
  if (updates.getElementType() != operand.getElementType())
    return emitOpError("expected updates of ") << operand.getElementType() << ", found " << updates.getElementType();
  return expect(*this, getResult(), operand.getShape(), operand.getElementType());
}

LogicalResult DynamicSliceOp::verify() {
  auto operand = tensorType(getOperand());
  if (failed(expectCount(*this, "sizes", getSizes().size(), operand.getRank())) ||
      failed(expectCount(*this, "starts", getStarts().size(), operand.getRank())))
    return failure();
  for (auto [i, n] : llvm::enumerate(getSizes()))
    if (n < 0 || n > operand.getDimSize(i))
      return emitOpError("size ") << n << " of dim " << i << " exceeds its extent, " << operand.getDimSize(i);
  for (Value v : getStarts())
    if (tensorType(v).getRank() != 0)
      return emitOpError("expected scalar starts, found ") << v.getType();
  return expect(*this, getResult(), getSizes(), operand.getElementType());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  auto operand = tensorType(getOperand()), update = tensorType(getUpdate());
  if (update.getRank() != operand.getRank() || update.getElementType() != operand.getElementType())
    return emitOpError("expected an update of rank ") << operand.getRank() << " of " << operand.getElementType() << ", found " << update;
  if (failed(expectCount(*this, "starts", getStarts().size(), operand.getRank())))
    return failure();
  for (auto [i, n] : llvm::enumerate(update.getShape()))
    if (n > operand.getDimSize(i))
      return emitOpError("dim ") << i << " of the update has extent " << n << ", more than " << operand.getDimSize(i);
  for (Value v : getStarts())
    if (tensorType(v).getRank() != 0)
      return emitOpError("expected scalar starts, found ") << v.getType();
  return expect(*this, getResult(), operand.getShape(), operand.getElementType());
}

// ---------------------------------------------------------------- the update

const Optimizer *UpdateOp::findOptimizer() { return cast<TrainDialect>((*this)->getDialect())->findOptimizer(getOptimizer()); }

std::optional<double> UpdateOp::getAverageDecay() {
  return getEma() ? std::optional(getEma()->convertToDouble()) : std::nullopt;
}

LogicalResult UpdateOp::verify() {
  const Optimizer *optimizer = findOptimizer();
  if (!optimizer)
    return emitOpError() << unknownOptimizer(getOptimizer(), cast<TrainDialect>((*this)->getDialect())->optimizerNames());
  ArrayRef<int64_t> shape = shapeOf(getParameter());
  std::optional<double> ema = getAverageDecay();
  if (ema && !(*ema >= 0 && *ema < 1))
    return emitOpError("expected 'ema' of at least 0 and less than 1, found ")
           << *ema;
  SmallVector<Slot> slots = optimizer->slots(shape);
  if (!isElementwise(slots, shape.size()))
    return emitOpError("optimizer '") << getOptimizer() << "' keeps slots of other shapes than the parameter's, "
                                      << shapeText(shape) << ": it is not one op";
  if (ema)
    slots.push_back({"the average", allDims(shape.size())});
  if (getSlots().size() != slots.size())
    return emitOpError("expected ")
           << slots.size() << " slots of " << getOptimizer()
           << (ema ? " with 'ema'" : "") << ", found " << getSlots().size();
  for (auto [slot, v] : llvm::zip_equal(slots, getSlots()))
    if (shapeOf(v) != shape)
      return emitOpError("expected ") << slot.name << " of shape " << shapeText(shape) << ", found " << v.getType();
  if (shapeOf(getGradient()) != shape)
    return emitOpError("expected a gradient of shape ") << shapeText(shape) << ", found " << getGradient().getType();
  if (shapeOf(getHyper()) != ArrayRef<int64_t>{hyperCount} || tensorType(getScale()).getRank() != 0 ||
      tensorType(getFinite()).getRank() != 0)
    return emitOpError("expected hyper of ") << hyperCount << " elements and scalar scale and finite";
  if (getMore().size() < slots.size() || getMore().size() > slots.size() + 1)
    return emitOpError("expected ") << slots.size() + 1 << " results and at most one copy, found " << getNumResults();
  for (Value v : getResults())
    if (shapeOf(v) != shape)
      return emitOpError("expected results of shape ") << shapeText(shape) << ", found " << v.getType();
  return success();
}

double UpdateOp::getFlops() {
  const Optimizer *optimizer = findOptimizer();
  double flops =
      optimizer ? optimizer->work().flops + (getEma() ? averageFlops : 0) : 0;
  return flops *
         static_cast<double>(tensorType(getParameter()).getNumElements());
}
