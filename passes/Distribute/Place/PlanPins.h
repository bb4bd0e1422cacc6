// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pins of a plan: placements of single arguments and ops. They go by name, and
// among ops of one name by number, so that they hold in any module of the step.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_PLANPINS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_PLANPINS_H

#include "passes/Distribute/Sharding/StepSharding.h"
#include "planning/Plan.h"

namespace zcc::distribute {

// The pins of a step's arguments and ops. The plan owns them.
struct ShardingPins {
  llvm::DenseMap<mlir::Value, const planning::PlanPin *> arguments;
  llvm::DenseMap<mlir::Operation *, const planning::PlanPin *> ops;
  bool empty() const { return arguments.empty() && ops.empty(); }
};
ShardingPins findPins(mlir::func::FuncOp step, const planning::Plan &plan);

// Returns where a pin stands in the plan's file; nullopt if there is no file.
std::optional<mlir::Location> placeOf(const planning::Plan &plan,
                                      const planning::PlanPin &pin,
                                      mlir::MLIRContext *context);

// Adds pins of all that was decided to the plan, except updates, which follow
// from the state.
void pinSharding(mlir::func::FuncOp func, const MeshAxes &mesh,
                 const StepSharding &step, planning::Plan &plan);

// Makes the pins of a plan's file those of this program. A pin stands for what
// it names, so that it holds in other programs of the model: for evaluation,
// with another optimizer, in another precision. Pins of ops that such a program
// lacks are dropped: those of passes other than the forward pass, and changes
// of type. Returns errors, a line each, or "".
std::string adaptPins(mlir::func::FuncOp step, planning::Plan &plan);

// "train.add m.py:3 backward" is "train.add", "m.py:3" and "backward".
struct PinnedOpName {
  explicit PinnedOpName(llvm::StringRef name);
  llvm::StringRef op, place, pass;
};

} // namespace zcc::distribute

#endif
