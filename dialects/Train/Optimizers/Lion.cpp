// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chen et al., Symbolic Discovery of Optimization Algorithms, 2023, algorithm 2
// (Lion).
#include "dialects/Train/Optimizers/Optimizers.h"

using namespace zcc::train;

namespace {
class Lion : public Optimizer {
  llvm::StringRef name() const override { return "lion"; }

  llvm::SmallVector<Slot> slots(llvm::ArrayRef<int64_t> shape) const override {
    return {{"moment1", allDims(shape.size())}};
  }

  // These are the paper's, section 5.
  llvm::SmallVector<Setting> settings() const override {
    return {{Hyper::Beta1, .9}, {Hyper::Beta2, .99}, {Hyper::WeightDecay, 0}};
  }

  Work work() const override { return {11, 0, 0}; }

  // p' = p - lr (sign(b1 m + (1 - b1) g) + wd p);  m' = b2 m + (1 - b2) g
  void update(Update &u) const override {
    Term g = u.gradient, p = u.parameter, m = u.slots[0];
    Term direction = sign(u[Hyper::Beta1] * m + u[Hyper::OneMinusBeta1] * g);
    if (u.decays)
      direction = direction + u[Hyper::WeightDecay] * p;
    u.newParameter = p - u[Hyper::LearningRate] * direction;
    u.newSlots = {u[Hyper::Beta2] * m + u[Hyper::OneMinusBeta2] * g};
  }
};
} // namespace

const Optimizer &zcc::train::getLion() {
  static const Lion optimizer;
  return optimizer;
}
