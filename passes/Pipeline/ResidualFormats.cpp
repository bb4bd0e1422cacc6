// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scale covers what one device has of a row, so that no collective is needed
// (docs/decisions/pipeline/0024-compressed-residuals.md).
#include "passes/Pipeline/ResidualFormats.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "passes/Train/StateNames.h"

using namespace mlir;
using namespace zcc;
using planning::NumberFormat;

// Masks add the negative of a number that is no smaller (see train.attention).
// Constants above it are much larger than the other elements.
static constexpr double largestBeside = 9999;
// Rows with fewer elements get no scale: it would not be worth it.
static constexpr int64_t fewestElements = 8;

ResidualFormats::ResidualFormats(func::FuncOp step,
                                 std::optional<NumberFormat> wanted)
    : wanted(wanted) {
  if (!wanted)
    return;
  rules.emplace(step.getBody().front(), isParameter, largestBeside);
}

// Returns true if the end of the last dim may be padding of the last shard.
static bool isLastPadded(Value v) {
  Operation *op = v.getDefiningOp();
  auto list =
      op ? op->getAttrOfType<ArrayAttr>(dist::shardingsAttrName) : ArrayAttr();
  unsigned number = op ? cast<OpResult>(v).getResultNumber() : 0;
  if (!list || number >= list.size())
    return false;
  auto sharding = dyn_cast<dist::ShardingAttr>(list[number]);
  unsigned rank = distribute::rankOf(v);
  return sharding && sharding.getPadded() &&
         sharding.getDims().size() == rank &&
         !sharding.getAxes(rank - 1).empty();
}

static double encodedBytes(RankedTensorType type, NumberFormat format) {
  int64_t last = type.getShape().back();
  return static_cast<double>(
      planning::encodedBytes(format, type.getNumElements() / last, last));
}

std::optional<NumberFormat> ResidualFormats::of(Value v) const {
  auto type = dyn_cast<RankedTensorType>(v.getType());
  if (!wanted || !type || !isa<FloatType>(type.getElementType()) ||
      type.getRank() == 0 || type.getNumElements() == 0 || !rules->isTrained(v))
    return std::nullopt;
  double whole = distribute::bytesOf(v);
  bool hasRows = type.getShape().back() >= fewestElements && !isLastPadded(v);
  for (NumberFormat format :
       {hasRows ? *wanted : NumberFormat::BF16, NumberFormat::BF16})
    if (encodedBytes(type, format) <= 0.75 * whole)
      return format;
  return std::nullopt;
}

double ResidualFormats::bytesOf(Value v) const {
  std::optional<NumberFormat> format = of(v);
  return format ? encodedBytes(train::tensorType(v), *format)
                : distribute::bytesOf(v);
}
