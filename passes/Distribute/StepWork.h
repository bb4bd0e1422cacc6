// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a step's arithmetic devices repeat: the account that RecordWork
// leaves in the module for the report.
#ifndef ZCC_PASSES_DISTRIBUTE_STEPWORK_H
#define ZCC_PASSES_DISTRIBUTE_STEPWORK_H

#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>
#include <vector>

namespace zcc::dist {

// Operations of all devices in a step.
struct StepWork {
  // Ops of one kind at one place, repeated along the same axes.
  struct Repeated {
    std::string op, value, tasks; // as in the account of collectives
    std::vector<std::string> axes;
    int64_t ops = 0;
    int64_t times = 1; // devices that do the same
    double flops = 0;  // but for one of them
  };
  double model = 0;                 // each operation once
  double padding = 0;               // on what pads dims
  double repeated = 0;              // all of it
  double added = 0;                 // by splitting, as to find indices in parts
  std::vector<std::string> addedAt; // the ops that are most of it
  std::vector<Repeated> largest;    // most first

  double more() const { return padding + repeated + added; }
};

// `added` is known once the step is partitioned.
void setWork(mlir::ModuleOp module, const StepWork &work);
// Nothing before phase `partitioned`.
std::optional<StepWork> getWork(mlir::ModuleOp module);

} // namespace zcc::dist

#endif
