// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loshchilov and Hutter, Decoupled Weight Decay Regularization, algorithm 2.
#include "dialects/Train/Optimizers/Optimizers.h"

using namespace zcc::train;

namespace {
class AdamW : public Optimizer {
  llvm::StringRef name() const override { return "adamw"; }

  llvm::SmallVector<Slot> slots(llvm::ArrayRef<int64_t> shape) const override {
    return {{"moment1", allDims(shape.size())},
            {"moment2", allDims(shape.size())}};
  }

  llvm::SmallVector<Setting> settings() const override {
    return {{Hyper::Beta1, .9},
            {Hyper::Beta2, .95},
            {Hyper::Epsilon, 1e-8},
            {Hyper::WeightDecay, 0}};
  }

  Work work() const override { return {14, 2, 1}; }

  // m' = b1 m + (1 - b1) g;  v' = b2 v + (1 - b2) g g
  // p' = p - lr wd p - lr (m' / bias1) / (sqrt(v' / bias2) + eps)
  void update(Update &u) const override {
    Term g = u.gradient, p = u.parameter;
    Term m = u[Hyper::Beta1] * u.slots[0] + u[Hyper::OneMinusBeta1] * g;
    Term v = u[Hyper::Beta2] * u.slots[1] + u[Hyper::OneMinusBeta2] * g * g;
    Term rate = u[Hyper::LearningRate];
    if (u.decays)
      p = p - rate * u[Hyper::WeightDecay] * p;
    Term step =
        (m / u[Hyper::Bias1]) / (sqrt(v / u[Hyper::Bias2]) + u[Hyper::Epsilon]);
    u.newParameter = p - rate * step;
    u.newSlots = {m, v};
  }
};
} // namespace

const Optimizer &zcc::train::getAdamW() {
  static const AdamW optimizer;
  return optimizer;
}
