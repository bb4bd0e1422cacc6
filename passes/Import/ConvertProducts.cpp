// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts products and indexed access.
#include "dialects/StableHLO/StableHLO.h"
#include "passes/Import/Conversion.h"
#include "passes/Import/ReadRegion.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using zcc::train::tensorType;

namespace zcc {

static LogicalResult convert(Conversion &c, stablehlo::DotGeneralOp op) {
  stablehlo::DotDimensionNumbersAttr dims = op.getDotDimensionNumbers();
  return c.set(op, train::DotGeneralOp::create(
                       c.b, op.getLoc(), op.getType(), c.in(op.getLhs()),
                       c.in(op.getRhs()), dims.getLhsBatching(),
                       dims.getRhsBatching(), dims.getLhsContracting(),
                       dims.getRhsContracting()));
}

static LogicalResult convert(Conversion &c, stablehlo::DotOp op) {
  Value lhs = c.in(op.getLhs()), rhs = c.in(op.getRhs());
  int64_t contracted = tensorType(lhs).getRank() - 1;
  return c.set(
      op, train::dotGeneral(c.b, op.getLoc(), lhs, rhs, {}, {}, {contracted},
                            {0}, tensorType(op.getResult()).getElementType()));
}

static LogicalResult convert(Conversion &c, stablehlo::ConvolutionOp op) {
  stablehlo::ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  Value lhs = c.in(op.getLhs()), rhs = c.in(op.getRhs());
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
  return c.set(op, train::ConvolutionOp::create(
                       c.b, op.getLoc(), op.getType(), lhs, rhs,
                       list(op.getWindowStrides()), low, high,
                       list(op.getLhsDilation()), list(op.getRhsDilation()),
                       reversal, dims.getInput(), dims.getKernel(),
                       dims.getOutput(), op.getFeatureGroupCount(),
                       op.getBatchGroupCount()));
}

static LogicalResult convert(Conversion &c, stablehlo::GatherOp op) {
  stablehlo::GatherDimensionNumbersAttr dims = op.getDimensionNumbers();
  return c.set(op,
               train::GatherOp::create(
                   c.b, op.getLoc(), op.getType(), c.in(op.getOperand()),
                   c.in(op.getStartIndices()), dims.getOffsetDims(),
                   dims.getCollapsedSliceDims(), dims.getOperandBatchingDims(),
                   dims.getStartIndicesBatchingDims(), dims.getStartIndexMap(),
                   dims.getIndexVectorDim(), op.getSliceSizes()));
}

static LogicalResult convert(Conversion &c, stablehlo::ScatterOp op) {
  stablehlo::ScatterDimensionNumbersAttr dims = op.getScatterDimensionNumbers();
  std::optional<train::ReduceKind> kind =
      getReduceKind(op.getUpdateComputation());
  if (op.getInputs().size() != 1)
    return refuse(op, "expected one operand");
  if (!kind)
    return refuse(op, "expected a computation that adds, multiplies, takes the "
                      "maximum or minimum, or replaces");
  return c.set(op,
               train::ScatterOp::create(
                   c.b, op.getLoc(), op.getResult(0).getType(),
                   c.in(op.getInputs()[0]), c.in(op.getScatterIndices()),
                   c.in(op.getUpdates()[0]), dims.getUpdateWindowDims(),
                   dims.getInsertedWindowDims(), dims.getInputBatchingDims(),
                   dims.getScatterIndicesBatchingDims(),
                   dims.getScatterDimsToOperandDims(), dims.getIndexVectorDim(),
                   *kind, /*clamp_starts=*/false));
}

Converted convertProduct(Conversion &c, Operation *op) {
  return llvm::TypeSwitch<Operation *, Converted>(op)
      .Case<stablehlo::DotGeneralOp, stablehlo::DotOp, stablehlo::ConvolutionOp,
            stablehlo::GatherOp, stablehlo::ScatterOp>(
          [&](auto o) -> Converted { return convert(c, o); })
      .Default([](Operation *) -> Converted { return std::nullopt; });
}

} // namespace zcc
