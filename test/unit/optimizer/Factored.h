// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimizer that only this test has: a second moment in two factors (Shazeer
// and Stern, Adafactor, 2018, algorithm 1, with momentum), whose slots have
// other shapes than the parameter. Also two layers to train with it, and the
// same training by plain loops in double.
#ifndef ZCC_TEST_UNIT_OPTIMIZER_FACTORED_H
#define ZCC_TEST_UNIT_OPTIMIZER_FACTORED_H

#include "dialects/Train/Optimizers/Optimizer.h"
#include <map>
#include <string>
#include <vector>

namespace zcc {

class Factored : public train::Optimizer {
public:
  llvm::StringRef name() const override { return "factored"; }
  llvm::SmallVector<train::Slot>
  slots(llvm::ArrayRef<int64_t> shape) const override;
  llvm::SmallVector<Setting> settings() const override;
  Work work() const override { return {12, 3, 1}; }
  void update(train::Update &u) const override;
};

// Tensors by name, row-major.
using Tensors = std::map<std::string, std::vector<double>>;

// loss = mean((tanh(tanh(x w#0 + b) w#1) v - y)^2), x [8, 6], y [8, 3]; the
// stack w [2, 6, 6] is there in two parts.
extern const char *const model;

// Returns the state after `steps` steps: the parameters w, v, b, and the slots
// as "rows:w". Batch s has x at s * 48 and y at s * 24.
Tensors trainPlainly(Tensors state, const Tensors &batches, int steps);

} // namespace zcc

#endif
