// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pins of a plan: how it places single arguments and ops. They go by name, and
// among ops of one name by number, so that they hold in any module of the step.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_PLANPINS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_PLANPINS_H

#include "passes/Distribute/Place/Propagation.h"

namespace zcc::dist {

// What pins place; they stay the plan's.
struct ShardingPins {
  llvm::DenseMap<mlir::Value, const planning::PlanPin *> arguments;
  llvm::DenseMap<mlir::Operation *, const planning::PlanPin *> ops;
  bool empty() const { return arguments.empty() && ops.empty(); }
};
ShardingPins findPins(mlir::func::FuncOp step, const planning::Plan &plan);

// Where a pin stands in the plan's file; nullopt if that is none.
std::optional<mlir::Location> placeOf(const planning::Plan &plan,
                                      const planning::PlanPin &pin,
                                      mlir::MLIRContext *context);

// Pins all that was decided, but updates, which follow from the state.
void pinSharding(mlir::func::FuncOp func, const MeshAxes &mesh,
                 const StepSharding &step, planning::Plan &plan);

// Makes the pins of a file those of this program. They stand for what they
// name, so that they hold in other programs of the model: for evaluation,
// another optimizer, another precision. What those do without, passes but the
// forward one and changes of type, is left out. Returns errors, a line each, or
// "".
std::string adaptPins(mlir::func::FuncOp step, planning::Plan &plan);

// "train.add m.py:3 backward" is "train.add", "m.py:3" and "backward".
struct PinnedOpName {
  explicit PinnedOpName(llvm::StringRef name);
  llvm::StringRef op, place, pass;
};

} // namespace zcc::dist

#endif
