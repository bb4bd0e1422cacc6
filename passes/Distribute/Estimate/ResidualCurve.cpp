// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Estimate/ResidualCurve.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/OpWeights.h"
#include "passes/Train/ResidualGraph.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

ResidualCurve distribute::measureResiduals(Block &block,
                                           const PlacedStep &placed,
                                           const StepCost &cost) {
  SmallVector<Operation *> forward, backward;
  DenseSet<Value> free;
  auto isFreeValue = [&](Value v) {
    return !v.getDefiningOp() || free.contains(v);
  };
  for (Operation &op : block.without_terminator()) {
    train::Tag tag = train::tagOf(&op).value_or(train::Tag::Forward);
    if (tag == train::Tag::Backward)
      backward.push_back(&op);
    if (tag != train::Tag::Forward)
      continue;
    forward.push_back(&op);
    if (isFree(&op) && llvm::all_of(op.getOperands(), isFreeValue))
      free.insert(op.result_begin(), op.result_end());
  }
  auto shardingOf = [&](Operation *op) {
    auto own = placed.step.ops.find(op);
    return own == placed.step.ops.end() ? nullptr : &own->second;
  };
  auto secondsOf = [&](Operation *op) {
    const OpSharding *own = shardingOf(op);
    return own ? cost.seconds(op, *own) : 0;
  };
  auto linkSecondsOf = [&](Operation *op) {
    const OpSharding *own = shardingOf(op);
    double seconds = own ? cost.edgeSeconds(op, *own) : 0;
    for (OpOperand &use : op->getOpOperands()) {
      if (isFreeValue(use.get()))
        continue;
      Placement from = placed.computed(use.get()), to = placed.demanded(use);
      if (!(from == to))
        seconds += cost.moveSeconds(use.get(), from, to);
    }
    return seconds;
  };
  ResidualGraph graph(
      forward, backward, findForwardCopies(block),
      {isFreeValue, [](Operation *) { return false; },
       [&](Value v) { return cost.localBytes(v, placed.computed(v)); },
       secondsOf, linkSecondsOf, [](Operation *) -> size_t { return 0; },
       cost.overlaps()});
  // Bytes of the residuals if nothing is computed again.
  double all = 0;
  for (Operation *op : forward)
    if (graph.find(op))
      for (Value v : op->getResults())
        if (StepCost::isResidual(v))
          all += cost.localBytes(v, placed.computed(v));
  planning::RecomputationFrontier frontier(graph.getProblem());
  ResidualCurve curve;
  for (const auto &point : frontier.getPoints())
    if (point.bytes + point.returning < all)
      curve.points.push_back({all - point.bytes - point.returning,
                              graph.getBytesBetween() + point.bytes,
                              point.seconds});
  return curve;
}
