// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Partition/Dealing.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Place/DimClasses.h"

using namespace mlir;

namespace zcc::distribute {

int64_t blocksFor(int64_t rows) {
  for (int64_t blocks : {4, 3, 2})
    if (rows % blocks == 0)
      return blocks;
  return 1;
}

dist::ShardingAttr shardingOf(func::FuncOp func, Value v) {
  if (auto argument = dyn_cast<BlockArgument>(v))
    return func.getArgAttrOfType<dist::ShardingAttr>(argument.getArgNumber(),
                                                     dist::shardingAttrName);
  auto all =
      v.getDefiningOp()->getAttrOfType<ArrayAttr>(dist::shardingsAttrName);
  return all ? dyn_cast<dist::ShardingAttr>(
                   all[cast<OpResult>(v).getResultNumber()])
             : dist::ShardingAttr();
}

void putBeside(Operation *op, Operation *like) {
  for (StringRef name :
       {StringRef(train::tagAttrName), StringRef(dist::stageAttrName),
        StringRef(dist::chunkAttrName)})
    if (Attribute attr = like->getAttr(name))
      op->setAttr(name, attr);
}

void placeResult(Value result, ArrayRef<Attribute> places,
                 dist::ShardingAttr sharding) {
  Builder b(result.getContext());
  result.getDefiningOp()->setAttr(
      dist::shardingsAttrName,
      b.getArrayAttr({dist::ShardingAttr::get(
          result.getContext(), sharding.getMesh(), b.getArrayAttr(places),
          sharding.getPartial(), sharding.getReduction(),
          DenseI64ArrayAttr())}));
}

Value reshapeBeside(OpBuilder &b, Operation *like, Value v,
                    ArrayRef<int64_t> shape, ArrayRef<Attribute> places,
                    dist::ShardingAttr sharding) {
  Value out = train::reshape(b, like->getLoc(), v, shape);
  putBeside(out.getDefiningOp(), like);
  placeResult(out, places, sharding);
  return out;
}

std::optional<unsigned> firstLongDim(ArrayRef<int64_t> shape, unsigned begin) {
  for (unsigned d = begin; d < shape.size(); ++d)
    if (shape[d] != 1)
      return d;
  return std::nullopt;
}

std::optional<unsigned> movedDim(Operation *op) {
  if (auto gather = dyn_cast<dist::AllGatherOp>(op))
    return static_cast<unsigned>(gather.getDim());
  if (auto scatter = dyn_cast<dist::ReduceScatterOp>(op))
    return static_cast<unsigned>(scatter.getDim());
  return std::nullopt;
}

/// Returns true if the op passes on its operand, dim by dim, but for the one
/// that it gathers or scatters.
static bool passesOn(Operation *op) {
  return isa<dist::AllReduceOp, dist::AccumulateOp, dist::AllGatherOp,
             dist::ReduceScatterOp>(op);
}

TiedDims::TiedDims(Block &block) {
  classes.grow(numberDims(block, first));
  for (Operation &op : block) {
    DimTies ties(&op);
    if (!passesOn(&op)) {
      ties.tieFreeFactors(&op);
    } else {
      ties.operands[0].set();
      ties.results[0].set();
      if (std::optional<unsigned> dim = movedDim(&op)) {
        ties.operands[0].reset(*dim);
        ties.results[0].reset(*dim);
      }
    }
    ties.join(
        &op, passesOn(&op),
        [&](Value v, unsigned d) { return first.lookup(v) + d; }, classes);
    tiesOfOp.try_emplace(&op, std::move(ties));
  }
  classes.compress();
}

bool TiedDims::isTied(Value v, unsigned d) const {
  Operation *op = v.getDefiningOp();
  return op && tiesOfOp.find(op)
                   ->second.results[cast<OpResult>(v).getResultNumber()]
                   .test(d);
}

bool TiedDims::isTied(OpOperand &use, unsigned d) const {
  return tiesOfOp.find(use.getOwner())
      ->second.operands[use.getOperandNumber()]
      .test(d);
}

} // namespace zcc::distribute
