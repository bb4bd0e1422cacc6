// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans as texts: one of a file is applied to a step, and what was decided for a
// step becomes one. PlanTrials.h chooses.
#ifndef ZCC_COMPILER_DRIVER_PLANCHOICE_H
#define ZCC_COMPILER_DRIVER_PLANCHOICE_H

#include "compiler/driver/Options.h"
#include "compiler/planning/Machine.h"
#include "compiler/planning/Plan.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Distribute/Choose/ChoosePlan.h"

namespace zcc {

/// Applies the plan of a file to a module of phase `step`. Returns errors, a line
/// each, or "": the file is no plan, or one for another model, mesh, ZeRO stage
/// or number of microbatches than the options name.
std::string followPlan(mlir::ModuleOp module, const std::string &file,
                       const Options &options);

/// What was decided so far for a module of phase `step`: what it is for, pins and
/// annotations. completePlan() adds what phase `sharded` says.
planning::Plan describePlan(mlir::ModuleOp module, const Options &options);
void completePlan(mlir::ModuleOp module, planning::Plan &plan);

} // namespace zcc

#endif
