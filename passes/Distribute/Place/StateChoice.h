// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the state of one parameter is stored over the devices that share it, and
// what becomes of the parameter once it is gathered. Parameters choose one by
// one; all of them together are a stage of ZeRO (Rajbhandari et al., 2020).
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_STATECHOICE_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_STATECHOICE_H

#include "compiler/planning/CostModel.h"
#include "compiler/planning/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc::dist {

class StepCost;
struct PlacedStep;
struct StepSharding;

// What is split: nothing; moments and master weights; gradients too; and the
// whole copy of the parameter. Between steps a parameter is split from stage 1
// on: each device updates its part, and the parts are gathered where the
// forward pass reads them.
struct StateChoice {
  int stage = 0;
  // A gathered parameter is kept for the backward pass and for all
  // microbatches, or gathered again by each task that reads it.
  enum class Gathered { Open, Kept, Again } gathered = Gathered::Open;

  /// The whole copy that stages 1 and 2 have, unless it is said otherwise.
  bool hasCopy() const {
    return gathered == Gathered::Open && (stage == 1 || stage == 2);
  }
  bool isKept() const { return gathered == Gathered::Kept || hasCopy(); }

  bool operator==(const StateChoice &other) const {
    return stage == other.stage && gathered == other.gathered;
  }
};

// Fills `step.states`: `stage` for all, but where an entry says otherwise; of
// several the first. Reports entries that match no parameter.
mlir::LogicalResult chooseStates(mlir::func::FuncOp func, int stage,
                                 llvm::ArrayRef<planning::PlanState> entries,
                                 StepSharding &step);

// Decides what is open: keeps gathered parameters while a device's `memory`
// lasts (bytes; infinite: all, 0: none), those first that save most time a
// byte. What else is held, and of which part of the parameters, is an estimate
// (shareOfDevice(), of `plan` and `model`), of which `reserve` is the error.
// The bytes of a device that are kept so, and those of what did not fit.
struct KeptBytes {
  double kept = 0, left = 0;
};
KeptBytes keepGathered(mlir::func::FuncOp func, const PlacedStep &placed,
                       const StepCost &cost, const planning::Plan &plan,
                       const planning::CostModel &model, double memory,
                       StepSharding &step, double reserve = 0.05);

// Entries for chooseStates that say what differs from `stage` for all, and what
// becomes of parameters that are gathered. Those with one pattern of digits in
// their names are one entry where they agree.
std::vector<planning::PlanState>
collectStates(mlir::func::FuncOp func, int stage, const StepSharding &step);

} // namespace zcc::dist

#endif
