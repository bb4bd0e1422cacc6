// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses how the state of each parameter is stored: as the plan's entries say,
// and for what they leave open by the memory of a device.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_CHOOSESTATES_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_CHOOSESTATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Distribute/Estimate/StepCost.h"
#include "planning/Plan.h"

namespace zcc::distribute {

// Fills in `step.states`: `stage` for all parameters, but where an entry says
// otherwise; the first entry that matches counts. Reports entries that match no
// parameter.
mlir::LogicalResult chooseStates(mlir::func::FuncOp func, int stage,
                                 llvm::ArrayRef<planning::PlanState> entries,
                                 StepSharding &step);

// Decides the choices that are open. Keeps gathered parameters while a device's
// `memory` lasts (bytes; infinite: all; 0: none); those that save the most time
// a byte come first. The other memory of a device, and its share of the
// parameters, are estimated (shareOfDevice(), of `plan` and `model`); `reserve`
// is the error of that, as a share. Returns the bytes of a device that are kept
// so, and those of what did not fit.
struct KeptBytes {
  double kept = 0, left = 0;
};
KeptBytes keepGathered(mlir::func::FuncOp func, const PlacedStep &placed,
                       const StepCost &cost, const planning::Plan &plan,
                       const planning::CostModel &model, double memory,
                       StepSharding &step, double reserve = 0.05);

// Returns entries for chooseStates(): those of parameters whose stage differs
// from `stage`, or for which it is decided whether they are kept. Parameters
// whose names differ only in digits share an entry if they agree.
std::vector<planning::PlanState>
collectStates(mlir::func::FuncOp func, int stage, const StepSharding &step);

} // namespace zcc::distribute

#endif
