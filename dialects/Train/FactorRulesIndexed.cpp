// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factor rules of products (dot_general, convolution) and of indexed access
// (gather, scatter, dynamic slices).
#include "dialects/Train/FactorRules.h"

using namespace mlir;
using namespace zcc::train;
using Kind = FactorRule::Kind;

static bool contains(ArrayRef<int64_t> list, size_t value) {
  return llvm::is_contained(list, static_cast<int64_t>(value));
}

// ---------------------------------------------------------------- products

FactorRule DotGeneralOp::getFactorRule() {
  FactorRuleBuilder b;
  ArrayRef<int64_t> lhsShape = shapeOf(getLhs()), rhsShape = shapeOf(getRhs());
  FactorRule::Tensor lhs(lhsShape.size()), rhs(rhsShape.size()), result;
  for (auto [l, r] : llvm::zip_equal(getLhsBatching(), getRhsBatching())) {
    lhs[l] = rhs[r] = b.dim(lhsShape[l]);
    result.push_back(lhs[l]);
  }
  for (auto [l, r] : llvm::zip_equal(getLhsContracting(), getRhsContracting()))
    lhs[l] = rhs[r] = b.dim(lhsShape[l], Kind::Reduce, ReduceKind::add);
  for (size_t d = 0; d < lhsShape.size(); ++d) {
    if (contains(getLhsBatching(), d) || contains(getLhsContracting(), d))
      continue;
    lhs[d] = b.dim(lhsShape[d]);
    result.push_back(lhs[d]);
  }
  for (size_t d = 0; d < rhsShape.size(); ++d) {
    if (contains(getRhsBatching(), d) || contains(getRhsContracting(), d))
      continue;
    rhs[d] = b.dim(rhsShape[d]);
    result.push_back(rhs[d]);
  }
  b.addOperand(lhs);
  b.addOperand(rhs);
  b.addResult(result);
  return b.take();
}

// With feature groups, the input's and the output's features have the group as
// their major factor. With batch groups, the input's batch and the output's
// features have it. A sharded device then has fewer groups. Along spatial dims
// the input is read by windows that move with the output, or with the kernel: a
// device that has a part of the kernel gives a part of the sum. (In a kernel's
// gradient, the cotangent is the kernel.)
FactorRule ConvolutionOp::getFactorRule() {
  FactorRuleBuilder b;
  ArrayRef<int64_t> lhsShape = shapeOf(getLhs()), rhsShape = shapeOf(getRhs()),
                    outShape = shapeOf(getResult());
  ArrayRef<int64_t> in = getInputDims(), kernel = getKernelDims(),
                    out = getOutputDims();
  FactorRule::Tensor lhs(lhsShape.size()), rhs(rhsShape.size()),
      result(outShape.size());
  FactorRule::Dim featureGroup = b.dim(getFeatureGroups()),
                  batchGroup = b.dim(getBatchGroups());
  FactorRule::Dim batch = b.dim(outShape[out[0]]);
  FactorRule::Dim inFeature =
      b.dim(rhsShape[kernel[0]], Kind::Reduce, ReduceKind::add);
  FactorRule::Dim outFeature =
      b.dim(outShape[out[1]] / (getFeatureGroups() * getBatchGroups()));

  auto product = [](std::initializer_list<FactorRule::Dim> parts) {
    FactorRule::Dim dim;
    for (const FactorRule::Dim &part : parts)
      dim.append(part);
    return dim;
  };
  lhs[in[0]] = product({batchGroup, batch});
  lhs[in[1]] = product({featureGroup, inFeature});
  rhs[kernel[0]] = inFeature;
  rhs[kernel[1]] = result[out[1]] =
      product({featureGroup, batchGroup, outFeature});
  result[out[0]] = batch;
  for (size_t i = 2; i < in.size(); ++i) {
    int64_t positions = outShape[out[i]], window = rhsShape[kernel[i]],
            stride = getStrides()[i - 2], step = getRhsDilation()[i - 2],
            low = -getPadLow()[i - 2], dilation = getLhsDilation()[i - 2];
    if (!lhsShape[in[i]] || !positions || !window) {
      lhs[in[i]] = b.replicated(lhsShape[in[i]]);
      rhs[kernel[i]] = b.replicated(window);
      result[out[i]] = b.replicated(positions);
      continue;
    }
    bool still = low == 0 && dilation == 1 && !getReversal()[i - 2];
    if (still && window == 1 && stride == 1 && positions == lhsShape[in[i]]) {
      lhs[in[i]] = result[out[i]] = b.dim(positions);
      continue;
    }
    if (still && positions == 1 && step == 1 && window == lhsShape[in[i]]) {
      lhs[in[i]] = rhs[kernel[i]] =
          b.dim(window, Kind::Reduce, ReduceKind::add);
      continue;
    }
    result[out[i]] = b.dim(positions);
    // If the holes of the input lie differently for each part of the kernel,
    // the kernel must be whole.
    bool parts = step % dilation == 0;
    rhs[kernel[i]] =
        b.dim(window, parts ? Kind::Reduce : Kind::Replicate, ReduceKind::add);
    int64_t reach = (window - 1) * step;
    lhs[in[i]] = b.windowed(lhsShape[in[i]], result[out[i]], stride, low,
                            reach + 1, dilation);
    if (!parts || rhs[kernel[i]].empty())
      continue;
    bool reversed = getReversal()[i - 2];
    b.read(lhs[in[i]], rhs[kernel[i]], reversed ? -step : step,
           reversed ? low + reach : low, (positions - 1) * stride + 1,
           dilation);
  }
  b.addOperand(lhs);
  b.addOperand(rhs);
  b.addResult(result);
  return b.take();
}

// ---------------------------------------------------------------- indexed
// access

// Batch dims come from the indices. An offset dim passes if its slice is whole
// (its start is then always 0). Rows of the table may be split: a device that
// does not have the row gives zero.
FactorRule GatherOp::getFactorRule() {
  FactorRuleBuilder b;
  ArrayRef<int64_t> table = shapeOf(getOperand()),
                    indexShape = shapeOf(getIndices()),
                    to = shapeOf(getResult());
  FactorRule::Tensor operand(table.size()), indices(indexShape.size()),
      result(to.size());

  SmallVector<size_t> batchOf; // result dims for dims of the indices
  for (size_t d = 0; d < to.size(); ++d)
    if (!contains(getOffsetDims(), d))
      batchOf.push_back(d);
  size_t next = 0;
  for (size_t d = 0; d < indexShape.size(); ++d) {
    if (d == static_cast<size_t>(getIndexVectorDim())) {
      indices[d] = b.replicated(indexShape[d]);
      continue;
    }
    indices[d] = result[batchOf[next++]] = b.dim(indexShape[d]);
    if (const auto *it =
            llvm::find(getIndicesBatchingDims(), static_cast<int64_t>(d));
        it != getIndicesBatchingDims().end())
      operand[getOperandBatchingDims()[it - getIndicesBatchingDims().begin()]] =
          indices[d];
  }
  next = 0;
  for (size_t d = 0; d < table.size(); ++d) {
    if (contains(getOperandBatchingDims(), d))
      continue;
    if (contains(getCollapsedSliceDims(), d)) {
      bool indexed = contains(getStartIndexMap(), d);
      operand[d] = b.dim(table[d], indexed ? Kind::Reduce : Kind::Replicate,
                         ReduceKind::add);
      continue;
    }
    size_t offset = getOffsetDims()[next++];
    if (getSliceSizes()[d] == table[d]) {
      operand[d] = result[offset] = b.dim(table[d]);
    } else {
      operand[d] = b.replicated(table[d]);
      result[offset] = b.replicated(to[offset]);
    }
  }
  b.addOperand(operand);
  b.addOperand(indices);
  b.addResult(result);
  return b.take();
}

// Returns true if combining `operand` once on each device is the same as
// combining it once.
static bool repeatable(ReduceKind kind, Value operand) {
  switch (kind) {
  case ReduceKind::maximum:
  case ReduceKind::minimum:
  case ReduceKind::logical_and:
  case ReduceKind::logical_or:
    return true;
  case ReduceKind::add:
  case ReduceKind::logical_xor:
    return getSplat(operand) == 0.0;
  case ReduceKind::multiply:
    return getSplat(operand) == 1.0;
  case ReduceKind::replace:
    return false;
  }
  return false;
}

// The updates' scatter dims are reduced: a device that has a part of the
// updates gives a part of the sum. This needs an operand that is the identity,
// or an idempotent combination, because every device combines the operand in.
// Rows of the operand may be split: a device leaves out updates of rows that it
// does not have.
FactorRule ScatterOp::getFactorRule() {
  FactorRuleBuilder b;
  ArrayRef<int64_t> to = shapeOf(getResult()),
                    indexShape = shapeOf(getIndices()),
                    from = shapeOf(getUpdates());
  FactorRule::Tensor operand(to.size()), indices(indexShape.size()),
      updates(from.size());
  Kind scattered =
      repeatable(getKind(), getOperand()) ? Kind::Reduce : Kind::Replicate;

  SmallVector<size_t> scatterDims;
  for (size_t d = 0; d < from.size(); ++d)
    if (!contains(getUpdateWindowDims(), d))
      scatterDims.push_back(d);
  size_t next = 0;
  for (size_t d = 0; d < indexShape.size(); ++d) {
    if (d == static_cast<size_t>(getIndexVectorDim())) {
      indices[d] = b.replicated(indexShape[d]);
      continue;
    }
    const auto *it =
        llvm::find(getIndicesBatchingDims(), static_cast<int64_t>(d));
    bool batching = it != getIndicesBatchingDims().end();
    indices[d] = updates[scatterDims[next++]] =
        b.dim(indexShape[d], batching ? Kind::Pass : scattered, getKind());
    if (batching)
      operand[getOperandBatchingDims()[it - getIndicesBatchingDims().begin()]] =
          indices[d];
  }
  next = 0;
  for (size_t d = 0; d < to.size(); ++d) {
    if (contains(getOperandBatchingDims(), d))
      continue;
    if (contains(getInsertedWindowDims(), d)) {
      bool indexed = contains(getOperandDimsMap(), d);
      operand[d] = b.dim(to[d], indexed ? Kind::Pass : Kind::Replicate);
      continue;
    }
    size_t window = getUpdateWindowDims()[next++];
    if (from[window] == to[d]) {
      operand[d] = updates[window] = b.dim(to[d]);
    } else {
      operand[d] = b.replicated(to[d]);
      updates[window] = b.replicated(from[window]);
    }
  }
  b.addOperand(operand);
  b.addOperand(indices);
  b.addOperand(updates);
  b.addResult(operand);
  return b.take();
}
