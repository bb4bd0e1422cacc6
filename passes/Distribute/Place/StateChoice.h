// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the state of one parameter is stored over the devices that share it, and
// whether the parameter is kept once it is gathered. Parameters choose one by
// one; all of them together are a stage of ZeRO (Rajbhandari et al., 2020).
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_STATECHOICE_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_STATECHOICE_H

#include "planning/CostModel.h"
#include "planning/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc::dist {

class StepCost;
struct PlacedStep;
struct StepSharding;

// The stage tells what is split. 0: nothing. 1: moments and master weights. 2:
// gradients too. 3: the whole copy of the parameter too. Between steps a
// parameter is split from stage 1 on: each device updates its part, and the
// parts are gathered where the forward pass reads them.
struct StateChoice {
  int stage = 0;
  // Kept: a gathered parameter stays for the backward pass and for all
  // microbatches. Again: each task that reads it gathers it again.
  enum class Gathered { Open, Kept, Again } gathered = Gathered::Open;

  /// Returns true if there is the whole copy that stages 1 and 2 have. A choice
  /// for the gathered parameter overrules it.
  bool hasCopy() const {
    return gathered == Gathered::Open && (stage == 1 || stage == 2);
  }
  bool isKept() const { return gathered == Gathered::Kept || hasCopy(); }

  bool operator==(const StateChoice &other) const {
    return stage == other.stage && gathered == other.gathered;
  }
};

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

} // namespace zcc::dist

#endif
