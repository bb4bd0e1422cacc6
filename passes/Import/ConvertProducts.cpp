// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products and indexed access.
#include "passes/Import/ConstantFold.h"
#include "passes/Import/ConvertToTrain.h"

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

LogicalResult Converter::convertDot(stablehlo::DotGeneralOp op) {
  stablehlo::DotDimensionNumbersAttr dims = op.getDotDimensionNumbers();
  return set(op,
             train::DotGeneralOp::create(
                 b, op.getLoc(), op.getType(), in(op.getLhs()), in(op.getRhs()),
                 dims.getLhsBatching(), dims.getRhsBatching(),
                 dims.getLhsContracting(), dims.getRhsContracting()));
}

LogicalResult Converter::convertConvolution(stablehlo::ConvolutionOp op) {
  stablehlo::ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  Value lhs = in(op.getLhs()), rhs = in(op.getRhs());
  if (!train::isFloat(lhs) || !train::isFloat(rhs) ||
      !train::isFloat(op.getResult()))
    return refuse(op, "expected float operands");
  int64_t spatial = tensorType(lhs).getRank() - 2;
  auto list = [&](std::optional<ArrayRef<int64_t>> given) {
    return given ? SmallVector<int64_t>(*given)
                 : SmallVector<int64_t>(spatial, 1);
  };
  SmallVector<int64_t> low(spatial, 0), high(spatial, 0);
  if (op.getPadding())
    for (auto [i, x] : llvm::enumerate(op.getPadding()->getValues<int64_t>()))
      (i % 2 ? high : low)[i / 2] = x;
  SmallVector<bool> reversal(spatial, false);
  if (op.getWindowReversal())
    reversal.assign(op.getWindowReversal()->begin(),
                    op.getWindowReversal()->end());
  return set(op,
             train::ConvolutionOp::create(
                 b, op.getLoc(), op.getType(), lhs, rhs,
                 list(op.getWindowStrides()), low, high,
                 list(op.getLhsDilation()), list(op.getRhsDilation()), reversal,
                 dims.getInput(), dims.getKernel(), dims.getOutput(),
                 op.getFeatureGroupCount(), op.getBatchGroupCount()));
}

LogicalResult Converter::convertGather(stablehlo::GatherOp op) {
  stablehlo::GatherDimensionNumbersAttr dims = op.getDimensionNumbers();
  return set(op,
             train::GatherOp::create(
                 b, op.getLoc(), op.getType(), in(op.getOperand()),
                 in(op.getStartIndices()), dims.getOffsetDims(),
                 dims.getCollapsedSliceDims(), dims.getOperandBatchingDims(),
                 dims.getStartIndicesBatchingDims(), dims.getStartIndexMap(),
                 dims.getIndexVectorDim(), op.getSliceSizes()));
}

LogicalResult Converter::convertScatter(stablehlo::ScatterOp op) {
  stablehlo::ScatterDimensionNumbersAttr dims = op.getScatterDimensionNumbers();
  std::optional<train::ReduceKind> kind =
      getReduceKind(op.getUpdateComputation());
  if (op.getInputs().size() != 1)
    return refuse(op, "expected one operand");
  if (!kind)
    return refuse(op, "expected a computation that adds, multiplies, takes the "
                      "maximum or minimum, or replaces");
  return set(op, train::ScatterOp::create(
                     b, op.getLoc(), op.getResult(0).getType(),
                     in(op.getInputs()[0]), in(op.getScatterIndices()),
                     in(op.getUpdates()[0]), dims.getUpdateWindowDims(),
                     dims.getInsertedWindowDims(), dims.getInputBatchingDims(),
                     dims.getScatterIndicesBatchingDims(),
                     dims.getScatterDimsToOperandDims(),
                     dims.getIndexVectorDim(), *kind, /*clamp_starts=*/false));
}

} // namespace zcc
