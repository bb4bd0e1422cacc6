// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stochastic gradient descent with momentum. Weight decay is added to the
// gradient (L2 regularization), outside of the momentum.
#include "dialects/Train/Optimizers/Optimizers.h"

using namespace zcc::train;

namespace {
class Sgd : public Optimizer {
  llvm::StringRef name() const override { return "sgd"; }

  llvm::SmallVector<Slot> slots(llvm::ArrayRef<int64_t> shape) const override {
    return {{"moment1", allDims(shape.size())}};
  }

  llvm::SmallVector<Setting> settings() const override {
    return {{Hyper::Momentum, 0}, {Hyper::WeightDecay, 0}};
  }

  Work work() const override { return {6, 0, 0}; }

  // b' = momentum b + g;  p' = p - lr (b' + wd p)
  void update(Update &u) const override {
    Term p = u.parameter;
    Term b = u[Hyper::Momentum] * u.slots[0] + u.gradient;
    Term direction = b;
    if (u.decays)
      direction = b + u[Hyper::WeightDecay] * p;
    u.newParameter = p - u[Hyper::LearningRate] * direction;
    u.newSlots = {b};
  }
};
} // namespace

const Optimizer &zcc::train::getSgd() {
  static const Sgd optimizer;
  return optimizer;
}
