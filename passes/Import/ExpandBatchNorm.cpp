// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands batch normalization by its definition in the StableHLO specification.
// Means over the batch are plain sums, so that they mean the same on any mesh.
#include "passes/Import/ExpandOps.h"

using namespace mlir;

namespace zcc {

namespace {
struct BatchNorm : HloBuilder {
  int64_t feature;
  double epsilon;
  Value x;

  /// Repeats one entry for each feature for every element.
  Value spread(Value v) { return broadcast(v, shapeOf(x), {feature}); }
  Value sumOverBatch(Value v) {
    SmallVector<int64_t> dims;
    for (int64_t d = 0, n = shapeOf(x).size(); d < n; ++d)
      if (d != feature)
        dims.push_back(d);
    return sum(v, dims);
  }
  double elements() {
    return static_cast<double>(typeOf(x).getNumElements()) /
           static_cast<double>(std::max<int64_t>(shapeOf(x)[feature], 1));
  }
  Value meanOverBatch(Value v) {
    Value total = sumOverBatch(v);
    return div(total, splat(total, elements()));
  }
  Value deviation(Value variance) {
    return stablehlo::SqrtOp::create(b, loc, variance.getType(),
                                     add(variance, splat(variance, epsilon)),
                                     stablehlo::ResultAccuracyAttr());
  }
  Value normalize(Value centered, Value variance, Value scale, Value offset) {
    Value normal = div(centered, spread(deviation(variance)));
    return add(mul(normal, spread(scale)), spread(offset));
  }
};
} // namespace

Expansion expandBatchNorm(Operation *op, OpBuilder &b) {
  BatchNorm n{{b, op->getLoc()},
              op->getAttrOfType<IntegerAttr>("feature_index").getInt(),
              op->getAttrOfType<FloatAttr>("epsilon").getValueAsDouble(),
              op->getOperand(0)};
  if (auto training = dyn_cast<stablehlo::BatchNormTrainingOp>(op)) {
    Value mean = n.meanOverBatch(n.x), centered = n.sub(n.x, n.spread(mean));
    Value variance = n.meanOverBatch(n.mul(centered, centered));
    return SmallVector<Value>{n.normalize(centered, variance,
                                          training.getScale(),
                                          training.getOffset()),
                              mean, variance};
  }
  if (auto inference = dyn_cast<stablehlo::BatchNormInferenceOp>(op))
    return SmallVector<Value>{n.normalize(
        n.sub(n.x, n.spread(inference.getMean())), inference.getVariance(),
        inference.getScale(), inference.getOffset())};
  auto grad = cast<stablehlo::BatchNormGradOp>(op);
  Value g = grad.getGradOutput(), variance = grad.getVariance();
  Value centered = n.sub(n.x, n.spread(grad.getMean()));
  Value deviation = n.deviation(variance);
  Value weighted = n.sumOverBatch(n.mul(g, centered)),
        total = n.sumOverBatch(g);
  // The formula is n g - sum g - centered sum(g centered) / (variance +
  // epsilon).
  Value shifted = n.sub(n.mul(g, n.splat(g, n.elements())), n.spread(total));
  Value along = n.div(n.mul(n.spread(weighted), centered),
                      n.spread(n.add(variance, n.splat(variance, n.epsilon))));
  Value factor = n.div(n.div(grad.getScale(), deviation),
                       n.splat(deviation, n.elements()));
  return SmallVector<Value>{
      n.mul(n.spread(factor), n.sub(shifted, along)),
      n.sumOverBatch(n.mul(g, n.div(centered, n.spread(deviation)))), total};
}

} // namespace zcc
