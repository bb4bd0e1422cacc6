// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts sort, and top_k to the front of one.
#include "dialects/StableHLO/StableHLO.h"
#include "passes/Import/Conversion.h"
#include "passes/Import/ReadRegion.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

/// Sorts by the last key first: every sort is stable, so elements with equal
/// earlier keys stay in the order of the later ones.
static LogicalResult convert(Conversion &c, stablehlo::SortOp op) {
  OpBuilder &b = c.b;
  SmallVector<SortKey> keys = findSortKeys(op);
  if (keys.empty())
    return refuse(op, "expected a comparator that orders by one operand after "
                      "the other, each ascending or descending");
  int64_t dim = op.getDimensionAttr() ? op.getDimensionAttr().getInt() : -1;
  if (dim < 0)
    dim += tensorType(op.getInputs()[0]).getRank();
  SmallVector<Value> values;
  for (Value v : op.getInputs())
    values.push_back(c.in(v));
  for (const SortKey &key : llvm::reverse(keys)) {
    // Train.sort takes the first operand as key.
    std::swap(values[0], values[key.operand]);
    auto sort = train::SortOp::create(
        b, op.getLoc(), ValueRange(values).getTypes(), values,
        b.getI64IntegerAttr(dim), b.getBoolAttr(key.descending));
    values.assign(sort->result_begin(), sort->result_end());
    std::swap(values[0], values[key.operand]);
  }
  c.map.map(op.getResults(), values);
  return success();
}

static LogicalResult convert(Conversion &c, chlo::TopKOp op) {
  OpBuilder &b = c.b;
  Location loc = op.getLoc();
  Value x = c.in(op.getOperand());
  int64_t dim = tensorType(x).getRank() - 1;
  Type indexType =
      tensorType(x).clone(tensorType(op.getIndices()).getElementType());
  Value iota = train::IotaOp::create(b, loc, indexType, Value(),
                                     b.getI64IntegerAttr(dim));
  auto sort = train::SortOp::create(
      b, loc, TypeRange{x.getType(), indexType}, ValueRange{x, iota},
      b.getI64IntegerAttr(dim), b.getBoolAttr(true));
  SmallVector<int64_t> start(dim + 1, 0), limit(shapeOf(op.getValues())),
      stride(dim + 1, 1);
  for (unsigned i : {0, 1})
    c.map.map(op->getResult(i),
              train::slice(b, loc, sort->getResult(i), start, limit, stride));
  return success();
}

Converted convertSort(Conversion &c, Operation *op) {
  return llvm::TypeSwitch<Operation *, Converted>(op)
      .Case<stablehlo::SortOp, chlo::TopKOp>(
          [&](auto o) -> Converted { return convert(c, o); })
      .Default([](Operation *) -> Converted { return std::nullopt; });
}

} // namespace zcc
