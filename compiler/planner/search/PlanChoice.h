// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of a compilation: what options ask for, what a file says, what was
// decided for a step. PlanTrials.h chooses.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_PLANCHOICE_H
#define ZCC_COMPILER_PLANNER_SEARCH_PLANCHOICE_H

#include "compiler/phases/Options.h"
#include "planning/Plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace zcc {

/// What the options ask for; what they leave open is open.
planning::Plan askedPlan(const Options &options);

/// Follows the plan of a file for a module of phase `step`: in `plan`, what was
/// asked for becomes what both say. Returns errors, a line each, or "": the
/// file is no plan, or one for another model, or says otherwise than the
/// options.
std::string followPlan(mlir::ModuleOp module, const std::string &file,
                       const Options &options, planning::Plan &plan);

/// Parameters and inputs of a module of phase `step`, as its text has them.
std::vector<planning::PlanValue> findValues(mlir::ModuleOp module);

/// The plan with what phase `sharded` has decided.
planning::Plan decidedPlan(mlir::ModuleOp module, planning::Plan plan);

/// What later phases read of the plan of a text that is resumed, where the
/// options leave it open.
void resumePlan(mlir::ModuleOp module, planning::Plan &plan);

} // namespace zcc

#endif
