// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a loss that picks one logit of each row is an example: a
// scatter as large as all logits.
#include "compiler/cuda/PlaceSelection.h"
#include "dialects/Train/Train.h"
#include <cmath>

using namespace mlir;
using namespace zcc::train;

namespace zcc::cuda {

/// Returns true if the scatter adds exactly one number to each row along one
/// dim, whose indices are in the order of the rows.
static bool picksOne(ScatterOp op) {
  int64_t batches = static_cast<int64_t>(op.getOperandBatchingDims().size());
  int64_t rank = tensorType(op.getOperand()).getRank();
  ArrayRef<int64_t> indices = shapeOf(op.getIndices());
  int64_t vector = op.getIndexVectorDim();
  // A select gives +0 where nothing is added.
  std::optional<double> start = getSplat(op.getOperand());
  if (op.getKind() != ReduceKind::add || start != 0.0 || std::signbit(*start) ||
      !isFloat(op.getUpdates()) || batches + 1 != rank ||
      op.getInsertedWindowDims().size() != 1 ||
      !op.getUpdateWindowDims().empty() ||
      op.getOperandDimsMap() != op.getInsertedWindowDims() ||
      !llvm::is_sorted(op.getOperandBatchingDims()))
    return false;
  for (auto [d, extent] : llvm::enumerate(indices)) {
    bool isBatch = static_cast<int64_t>(d) < batches;
    if (isBatch ? op.getIndicesBatchingDims()[d] != static_cast<int64_t>(d)
                : extent != 1)
      return false;
  }
  return vector >= batches &&
         tensorType(op.getIndices()).getElementTypeBitWidth() >= 32;
}

static Value select(OpBuilder &b, ScatterOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = tensorType(op.getResult());
  ArrayRef<int64_t> rows = op.getOperandBatchingDims();
  auto dim = static_cast<int64_t>(op.getInsertedWindowDims().front());
  SmallVector<int64_t> kept;
  for (int64_t d : rows)
    kept.push_back(type.getDimSize(d));
  Value index = reshape(b, loc, op.getIndices(), kept);
  RankedTensorType indexType = tensorType(index);
  if (op.getClampStarts())
    index =
        ClampOp::create(b, loc, indexType, splat(b, loc, indexType, 0), index,
                        splat(b, loc, indexType,
                              static_cast<double>(type.getDimSize(dim) - 1)));
  auto spread = [&](Value v) {
    return broadcast(b, loc, v, type.getShape(), rows);
  };
  Value position =
      IotaOp::create(b, loc, type.clone(indexType.getElementType()), Value(),
                     static_cast<uint64_t>(dim));
  Value update = reshape(b, loc, op.getUpdates(), kept);
  // The scatter adds to 0, so that -0 becomes 0.
  update = AddOp::create(b, loc, splat(b, loc, update.getType(), 0), update);
  return SelectOp::create(
      b, loc, type,
      compare(b, loc, position, spread(index), CompareDirection::EQ),
      spread(update), splat(b, loc, type, 0));
}

void selectPlaces(func::FuncOp task) {
  SmallVector<ScatterOp> scatters;
  task.walk([&](ScatterOp op) {
    if (picksOne(op))
      scatters.push_back(op);
  });
  for (ScatterOp op : scatters) {
    OpBuilder b(op);
    op.getResult().replaceAllUsesWith(select(b, op));
    op.erase();
  }
}

} // namespace zcc::cuda
