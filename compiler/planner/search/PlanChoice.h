// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of a compilation: what options ask for, what a file says, what was
// decided for a step. PlanSimulations.h chooses.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_PLANCHOICE_H
#define ZCC_COMPILER_PLANNER_SEARCH_PLANCHOICE_H

#include "compiler/phases/Options.h"
#include "planning/Plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace zcc::planner {

/// Returns the plan that the options ask for; fields that they do not set are
/// open.
planning::Plan askedPlan(const Options &options);

/// Follows the plan of a file for a module of phase `step`: merges it into
/// `plan`, which has what the options ask for. Returns errors, one per line, or
/// "". It is an error if the file is no plan, is for another model, or
/// contradicts the options.
std::string followPlan(mlir::ModuleOp module, const std::string &file,
                       const Options &options, planning::Plan &plan);

/// Returns the parameters and inputs of a module of phase `step`, as in its
/// text.
std::vector<planning::PlanValue> findValues(mlir::ModuleOp module);

/// Returns the plan with the decisions of phase `sharded`.
planning::Plan decidedPlan(mlir::ModuleOp module, planning::Plan plan);

/// Restores, from a text that is resumed, the parts of the plan that later
/// phases read and that the options leave open.
void resumePlan(mlir::ModuleOp module, planning::Plan &plan);

} // namespace zcc::planner

#endif
