// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The account of the arithmetic that devices repeat or add in a step.
// RecordWork leaves it in the module for the report.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_STEPWORK_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_STEPWORK_H

#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>
#include <vector>

namespace zcc::distribute {

// Numbers of operations, summed over all devices in a step.
struct StepWork {
  // Ops of one kind at one place that devices repeat along the same axes.
  struct Repeated {
    std::string op, value, tasks; // as in the account of collectives
    std::vector<std::string> axes;
    int64_t ops = 0;
    int64_t times = 1; // devices that do the same work
    double flops = 0;  // operations of all these devices but one
  };
  double model = 0;                 // the model's operations, each counted once
  double padding = 0;               // operations on the padding of dims
  // operations that devices repeat, all of them
  double repeated = 0;
  // by splitting ops, e.g. to find indices in parts
  double added = 0;
  std::vector<std::string> addedAt; // the ops that most of `added` is from
  std::vector<Repeated> largest;    // those that repeat most come first

  double more() const { return padding + repeated + added; }
};

// Writes the account. `added` is known once the step is partitioned.
void setWork(mlir::ModuleOp module, const StepWork &work);
// Returns the account; nothing before phase `partitioned`.
std::optional<StepWork> getWork(mlir::ModuleOp module);

} // namespace zcc::distribute

#endif
