// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of stablehlo's reductions, products, indexed access and control
// flow.
#include "dialects/StableHLO/Verify.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace zcc::stablehlo {

// ---------------------------------------------------------------- reductions

/// Checks a reducer. Its arguments have the element types of the init values,
/// twice over, which may be wider than the inputs'.
static LogicalResult checkReducerOf(Operation *op, Region &region,
                                    OperandRange inits) {
  SmallVector<Type> elements;
  for (Value v : inits) {
    if (tensorOf(v).getRank() != 0)
      return op->emitOpError()
             << "expected scalar init values, got " << v.getType();
    elements.push_back(tensorOf(v).getElementType());
  }
  SmallVector<Type> results(elements);
  elements.append(results);
  return checkReducer(op, region, elements, results);
}

static LogicalResult checkInputs(Operation *op, OperandRange inputs) {
  if (inputs.empty())
    return op->emitOpError() << "expected at least one input";
  for (Value v : inputs)
    if (tensorOf(v).getShape() != tensorOf(inputs[0]).getShape())
      return op->emitOpError() << "expected inputs of one shape, got "
                               << showShape(tensorOf(inputs[0]).getShape())
                               << " and " << showShape(tensorOf(v).getShape());
  return success();
}

static LogicalResult checkResults(Operation *op, ResultRange results,
                                  ArrayRef<int64_t> shape, OperandRange inits) {
  if (results.size() != inits.size())
    return op->emitOpError()
           << "expected " << inits.size() << " results, got " << results.size();
  for (auto [result, init] : llvm::zip(results, inits))
    if (failed(checkResult(op, result.getType(), shape,
                           tensorOf(init).getElementType())))
      return failure();
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(checkInputs(*this, getInputs())))
    return failure();
  RankedTensorType from = tensorOf(getInputs()[0]);
  if (failed(checkDims(*this, "dimensions", getDimensions(), from.getRank())) ||
      failed(checkReducerOf(*this, getBody(), getInitValues())))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, n] : llvm::enumerate(from.getShape()))
    if (!llvm::is_contained(getDimensions(), static_cast<int64_t>(i)))
      shape.push_back(n);
  return checkResults(*this, getResults(), shape, getInitValues());
}

LogicalResult ReduceWindowOp::verify() {
  if (failed(checkInputs(*this, getInputs())) ||
      failed(checkReducerOf(*this, getBody(), getInitValues())))
    return failure();
  RankedTensorType from = tensorOf(getInputs()[0]);
  FailureOr<SmallVector<Window>> windows =
      getWindows(*this, getWindowDimensions(), getWindowStrides(), getPadding(),
                 getBaseDilations(), getWindowDilations());
  if (failed(windows) ||
      failed(checkSize(*this, "window sizes", getWindowDimensions(),
                       from.getRank(), "operand dim")))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [w, n] : llvm::zip(*windows, from.getShape()))
    shape.push_back(w.getPlaces(n));
  return checkResults(*this, getResults(), shape, getInitValues());
}

LogicalResult SelectAndScatterOp::verify() {
  RankedTensorType from = tensorOf(getOperand());
  SmallVector<int64_t> sizes(from.getRank(), 1);
  if (getWindowDimensions())
    sizes.assign(getWindowDimensions()->begin(), getWindowDimensions()->end());
  FailureOr<SmallVector<Window>> windows =
      getWindows(*this, sizes, getWindowStrides(), getPadding(), {}, {});
  if (failed(windows) || failed(checkSize(*this, "window sizes", sizes,
                                          from.getRank(), "operand dim")))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [w, n] : llvm::zip(*windows, from.getShape()))
    shape.push_back(w.getPlaces(n));
  if (tensorOf(getSource()).getShape() != ArrayRef<int64_t>(shape))
    return emitOpError() << "expected a source of shape " << showShape(shape)
                         << ", got "
                         << showShape(tensorOf(getSource()).getShape());
  Type element = from.getElementType(), i1 = IntegerType::get(getContext(), 1);
  if (failed(checkReducer(*this, getSelect(), {element, element}, {i1})) ||
      failed(checkReducer(*this, getScatter(), {element, element}, {element})))
    return failure();
  return checkResult(*this, getResult().getType(), from.getShape(), element);
}

LogicalResult SortOp::verify() {
  if (failed(checkInputs(*this, getInputs())))
    return failure();
  int64_t rank = tensorOf(getInputs()[0]).getRank(),
          dim = getDimensionAttr() ? getDimensionAttr().getInt() : -1;
  if (dim < -rank || dim >= rank)
    return emitOpError() << "expected a dim in [" << -rank << ", " << rank
                         << "), got " << dim;
  if (getInputs().getTypes() != getResults().getTypes())
    return emitOpError() << "expected results of the inputs' types";
  SmallVector<Type> elements;
  for (Value v : getInputs())
    elements.append(2, tensorOf(v).getElementType());
  return checkReducer(*this, getComparator(), elements,
                      {IntegerType::get(getContext(), 1)});
}

// ---------------------------------------------------------------- products

static LogicalResult checkDot(Operation *op, Value lhsValue, Value rhsValue,
                              Type result, ArrayRef<int64_t> lhsBatching,
                              ArrayRef<int64_t> rhsBatching,
                              ArrayRef<int64_t> lhsContracting,
                              ArrayRef<int64_t> rhsContracting) {
  RankedTensorType lhs = tensorOf(lhsValue), rhs = tensorOf(rhsValue);
  SmallVector<int64_t> lhsDims(lhsBatching), rhsDims(rhsBatching), shape;
  lhsDims.append(lhsContracting.begin(), lhsContracting.end());
  rhsDims.append(rhsContracting.begin(), rhsContracting.end());
  if (failed(checkDims(op, "the dims of lhs", lhsDims, lhs.getRank())) ||
      failed(checkDims(op, "the dims of rhs", rhsDims, rhs.getRank())) ||
      failed(checkSize(op, "batching dims of rhs", rhsBatching,
                       lhsBatching.size(), "batching dim of lhs")) ||
      failed(checkSize(op, "contracting dims of rhs", rhsContracting,
                       lhsContracting.size(), "contracting dim of lhs")))
    return failure();
  for (auto [l, r] : llvm::zip(lhsDims, rhsDims))
    if (lhs.getDimSize(l) != rhs.getDimSize(r))
      return op->emitOpError()
             << "expected equal extents of dim " << l << " of lhs and dim " << r
             << " of rhs, got " << lhs.getDimSize(l) << " and "
             << rhs.getDimSize(r);
  for (int64_t d : lhsBatching)
    shape.push_back(lhs.getDimSize(d));
  for (auto [i, n] : llvm::enumerate(lhs.getShape()))
    if (!llvm::is_contained(lhsDims, static_cast<int64_t>(i)))
      shape.push_back(n);
  for (auto [i, n] : llvm::enumerate(rhs.getShape()))
    if (!llvm::is_contained(rhsDims, static_cast<int64_t>(i)))
      shape.push_back(n);
  return checkResult(op, result, shape, {});
}

LogicalResult DotGeneralOp::verify() {
  DotDimensionNumbersAttr dims = getDotDimensionNumbers();
  return checkDot(*this, getLhs(), getRhs(), getResult().getType(),
                  dims.getLhsBatching(), dims.getRhsBatching(),
                  dims.getLhsContracting(), dims.getRhsContracting());
}

LogicalResult DotOp::verify() {
  int64_t rank = tensorOf(getLhs()).getRank();
  if (rank < 1 || rank > 2 || tensorOf(getRhs()).getRank() < 1 ||
      tensorOf(getRhs()).getRank() > 2)
    return emitOpError() << "expected operands of rank 1 or 2, got "
                         << getLhs().getType() << " and " << getRhs().getType();
  return checkDot(*this, getLhs(), getRhs(), getResult().getType(), {}, {},
                  {rank - 1}, {0});
}

LogicalResult ConvolutionOp::verify() {
  RankedTensorType lhs = tensorOf(getLhs()), rhs = tensorOf(getRhs()),
                   result = tensorOf(getResult());
  ConvDimensionNumbersAttr dims = getDimensionNumbers();
  int64_t rank = lhs.getRank(), groups = getFeatureGroupCountAttr().getInt(),
          batches = getBatchGroupCountAttr().getInt();
  if (rhs.getRank() != rank || result.getRank() != rank)
    return emitOpError() << "expected operands and result of one rank, got "
                         << lhs << ", " << rhs << " and " << result;
  for (ArrayRef<int64_t> list :
       {dims.getInput(), dims.getKernel(), dims.getOutput()})
    if (failed(checkSize(*this, "dim_numbers", list, rank, "operand dim")))
      return failure();
  if (groups < 1 || batches < 1 || (groups > 1 && batches > 1))
    return emitOpError() << "expected positive group counts, one of them 1, "
                            "got feature_group_count "
                         << groups << " and batch_group_count " << batches;
  int64_t batch = lhs.getDimSize(dims.getInput()[0]),
          features = lhs.getDimSize(dims.getInput()[1]);
  int64_t inputs = rhs.getDimSize(dims.getKernel()[0]),
          outputs = rhs.getDimSize(dims.getKernel()[1]);
  if (features != inputs * groups)
    return emitOpError() << "expected " << inputs * groups
                         << " input features (the kernel's " << inputs
                         << " times " << groups << " groups), got " << features;
  if (outputs % groups || outputs % batches || batch % batches)
    return emitOpError() << "expected output features and batch to be "
                            "multiples of the group counts, got "
                         << outputs << " and " << batch;
  SmallVector<int64_t> sizes;
  for (int64_t d : dims.getKernel().drop_front(2))
    sizes.push_back(rhs.getDimSize(d));
  if (getWindowReversal() &&
      static_cast<int64_t>(getWindowReversal()->size()) != rank - 2)
    return emitOpError() << "expected " << rank - 2
                         << " entries in reverse, got "
                         << getWindowReversal()->size();
  FailureOr<SmallVector<Window>> windows =
      getWindows(*this, sizes, getWindowStrides(), getPadding(),
                 getLhsDilation(), getRhsDilation());
  if (failed(windows))
    return failure();
  SmallVector<int64_t> shape(rank);
  shape[dims.getOutput()[0]] = batch / batches;
  shape[dims.getOutput()[1]] = outputs;
  for (auto [i, w] : llvm::enumerate(*windows))
    shape[dims.getOutput()[i + 2]] =
        w.getPlaces(lhs.getDimSize(dims.getInput()[i + 2]));
  return checkResult(*this, result, shape, {});
}

// ---------------------------------------------------------------- indexed
// access

/// Returns the extents of `shape` at the dims that are not among `dims`.
static SmallVector<int64_t> without(ArrayRef<int64_t> shape,
                                    ArrayRef<int64_t> dims) {
  SmallVector<int64_t> rest;
  for (auto [i, n] : llvm::enumerate(shape))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      rest.push_back(n);
  return rest;
}

/// Checks the index vectors and batching dims, which gather and scatter share.
/// Fills the extents of the other index dims.
static LogicalResult
checkIndexing(Operation *op, RankedTensorType operand, RankedTensorType indices,
              ArrayRef<int64_t> map, ArrayRef<int64_t> removed,
              ArrayRef<int64_t> operandBatching,
              ArrayRef<int64_t> indicesBatching, int64_t vectorDim,
              SmallVector<int64_t> &batch) {
  int64_t rank = indices.getRank();
  if (vectorDim < 0 || vectorDim > rank)
    return op->emitOpError() << "expected an index_vector_dim in [0, " << rank
                             << "], got " << vectorDim;
  int64_t length = vectorDim == rank ? 1 : indices.getDimSize(vectorDim);
  if (failed(checkSize(op, "the map of index vectors", map, length,
                       "entry of an index vector")))
    return failure();
  SmallVector<int64_t> all(removed);
  all.append(operandBatching.begin(), operandBatching.end());
  if (failed(
          checkDims(op, "removed and batching dims", all, operand.getRank())) ||
      failed(
          checkDims(op, "the map of index vectors", map, operand.getRank())) ||
      failed(checkDims(op, "batching dims of the indices", indicesBatching,
                       rank)) ||
      failed(checkSize(op, "batching dims of the indices", indicesBatching,
                       operandBatching.size(), "batching dim of the operand")))
    return failure();
  for (auto [o, i] : llvm::zip(operandBatching, indicesBatching))
    if (i == vectorDim || operand.getDimSize(o) != indices.getDimSize(i))
      return op->emitOpError()
             << "expected batching dim " << o << " of the operand and " << i
             << " of the indices to have equal extents, got "
             << operand.getDimSize(o) << " and " << indices.getDimSize(i);
  batch = without(indices.getShape(), {vectorDim});
  return success();
}

/// Computes a result shape: `windows` at `windowDims`, `batch` elsewhere.
static LogicalResult interleave(Operation *op, StringRef name,
                                ArrayRef<int64_t> windowDims,
                                ArrayRef<int64_t> windows,
                                ArrayRef<int64_t> batch,
                                SmallVector<int64_t> &shape) {
  int64_t rank = windows.size() + batch.size();
  if (failed(checkSize(op, name, windowDims, windows.size(), "window dim")) ||
      failed(checkDims(op, name, windowDims, rank, /*sorted=*/true)))
    return failure();
  for (int64_t i = 0; i < rank; ++i) {
    ArrayRef<int64_t> &source =
        llvm::is_contained(windowDims, i) ? windows : batch;
    shape.push_back(source.front());
    source = source.drop_front();
  }
  return success();
}

LogicalResult GatherOp::verify() {
  RankedTensorType operand = tensorOf(getOperand()),
                   indices = tensorOf(getStartIndices());
  GatherDimensionNumbersAttr dims = getDimensionNumbers();
  SmallVector<int64_t> batch, shape;
  if (failed(checkIndexing(*this, operand, indices, dims.getStartIndexMap(),
                           dims.getCollapsedSliceDims(),
                           dims.getOperandBatchingDims(),
                           dims.getStartIndicesBatchingDims(),
                           dims.getIndexVectorDim(), batch)) ||
      failed(checkSize(*this, "slice_sizes", getSliceSizes(), operand.getRank(),
                       "operand dim")))
    return failure();
  SmallVector<int64_t> removed(dims.getCollapsedSliceDims());
  removed.append(dims.getOperandBatchingDims().begin(),
                 dims.getOperandBatchingDims().end());
  for (auto [i, n] : llvm::enumerate(getSliceSizes())) {
    if (n < 0 || n > operand.getDimSize(i))
      return emitOpError() << "expected a slice size in [0, "
                           << operand.getDimSize(i) << "] in dim " << i
                           << ", got " << n;
    if (n > 1 && llvm::is_contained(removed, static_cast<int64_t>(i)))
      return emitOpError() << "expected a slice size of at most 1 in dim " << i
                           << ", which the result lacks, got " << n;
  }
  if (failed(interleave(*this, "offset_dims", dims.getOffsetDims(),
                        without(getSliceSizes(), removed), batch, shape)))
    return failure();
  return checkResult(*this, getResult().getType(), shape,
                     operand.getElementType());
}

LogicalResult ScatterOp::verify() {
  if (failed(checkInputs(*this, getInputs())) ||
      failed(checkInputs(*this, getUpdates())))
    return failure();
  RankedTensorType operand = tensorOf(getInputs()[0]),
                   update = tensorOf(getUpdates()[0]);
  ScatterDimensionNumbersAttr dims = getScatterDimensionNumbers();
  SmallVector<int64_t> batch, shape;
  if (failed(checkIndexing(
          *this, operand, tensorOf(getScatterIndices()),
          dims.getScatterDimsToOperandDims(), dims.getInsertedWindowDims(),
          dims.getInputBatchingDims(), dims.getScatterIndicesBatchingDims(),
          dims.getIndexVectorDim(), batch)) ||
      failed(checkDims(*this, "update_window_dims", dims.getUpdateWindowDims(),
                       update.getRank(), /*sorted=*/true)))
    return failure();
  SmallVector<int64_t> removed(dims.getInsertedWindowDims()), windows;
  removed.append(dims.getInputBatchingDims().begin(),
                 dims.getInputBatchingDims().end());
  SmallVector<int64_t> bounds = without(operand.getShape(), removed);
  if (failed(checkSize(*this, "update_window_dims", dims.getUpdateWindowDims(),
                       bounds.size(), "window dim")))
    return failure();
  for (auto [d, bound] : llvm::zip(dims.getUpdateWindowDims(), bounds)) {
    windows.push_back(update.getDimSize(d));
    if (windows.back() > bound)
      return emitOpError() << "expected at most " << bound
                           << " elements in dim " << d
                           << " of the updates, got " << windows.back();
  }
  if (failed(interleave(*this, "update_window_dims", dims.getUpdateWindowDims(),
                        windows, batch, shape)))
    return failure();
  if (update.getShape() != ArrayRef<int64_t>(shape))
    return emitOpError() << "expected updates of shape " << showShape(shape)
                         << ", got " << showShape(update.getShape());
  SmallVector<Type> elements;
  for (Value v : getInputs())
    elements.push_back(tensorOf(v).getElementType());
  SmallVector<Type> results(elements);
  elements.append(results);
  if (getInputs().getTypes() != getResults().getTypes())
    return emitOpError() << "expected results of the inputs' types";
  return checkReducer(*this, getUpdateComputation(), elements, results);
}

// ---------------------------------------------------------------- control flow

/// Checks a region that takes `arguments` and returns `results`.
static LogicalResult checkRegion(Operation *op, StringRef name, Region &region,
                                 TypeRange arguments, TypeRange results) {
  if (!region.hasOneBlock() || region.front().empty() ||
      !isa<ReturnOp>(region.front().back()))
    return op->emitOpError() << "expected " << name
                             << " of one block that ends in stablehlo.return";
  auto check = [&](StringRef what, TypeRange got,
                   TypeRange expected) -> LogicalResult {
    if (got.size() != expected.size())
      return op->emitOpError()
             << "expected " << name << " of " << expected.size() << " " << what
             << "s, got " << got.size();
    for (auto [i, pair] : llvm::enumerate(llvm::zip(got, expected)))
      if (std::get<0>(pair) != std::get<1>(pair))
        return op->emitOpError()
               << "expected " << what << " " << i << " of " << name << " to be "
               << std::get<1>(pair) << ", got " << std::get<0>(pair);
    return success();
  };
  if (failed(check("argument", region.front().getArgumentTypes(), arguments)))
    return failure();
  return check("returned value",
               region.front().getTerminator()->getOperandTypes(), results);
}

LogicalResult WhileOp::verify() {
  if (getOperand().getTypes() != getResults().getTypes())
    return emitOpError() << "expected results of the operands' types";
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(checkRegion(*this, "the condition", getCond(),
                         getOperand().getTypes(), pred)))
    return failure();
  return checkRegion(*this, "the body", getBody(), getOperand().getTypes(),
                     getOperand().getTypes());
}

LogicalResult IfOp::verify() {
  if (tensorOf(getPred()).getRank() != 0)
    return emitOpError() << "expected a scalar predicate, got "
                         << getPred().getType();
  if (failed(checkRegion(*this, "the true branch", getTrueBranch(), {},
                         getResultTypes())))
    return failure();
  return checkRegion(*this, "the false branch", getFalseBranch(), {},
                     getResultTypes());
}

LogicalResult CaseOp::verify() {
  if (tensorOf(getIndex()).getRank() != 0)
    return emitOpError() << "expected a scalar index, got "
                         << getIndex().getType();
  if (getBranches().empty())
    return emitOpError() << "expected at least one branch";
  for (Region &branch : getBranches())
    if (failed(checkRegion(*this, "a branch", branch, {}, getResultTypes())))
      return failure();
  return success();
}

} // namespace zcc::stablehlo
