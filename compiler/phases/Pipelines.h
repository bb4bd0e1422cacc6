// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which passes lead to a phase, from the options and the plan.
#ifndef ZCC_COMPILER_PHASES_PIPELINES_H
#define ZCC_COMPILER_PHASES_PIPELINES_H

#include "compiler/backend/Target.h"
#include "compiler/phases/Options.h"
#include "compiler/phases/Phases.h"
#include "planning/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Pipeline/Pipeline.h"

namespace zcc {
// Adds the passes that bring a module of the phase before to `phase` (graph to
// planned), its verifier last. The backend lives as long as they do, as does
// what --remat=auto may keep.
void addPhasePasses(Phase phase, mlir::OpPassManager &pm,
                    const Options &options, const planning::Plan &plan,
                    const planning::Machine &machine,
                    const planning::MachineFacts &facts, const Target &backend,
                    ResidualBudget *residuals = nullptr);

// What the passes of `sharded` and `partitioned` take of them.
DistributeOptions getDistributeOptions(const Options &options,
                                       const planning::Plan &plan,
                                       const planning::Machine &machine,
                                       const planning::MachineFacts &facts);

// What the passes of `tasks` take; see PipelineOptions.
PipelineOptions getPipelineOptions(const Options &options,
                                   const planning::Plan &plan,
                                   const planning::Machine &machine,
                                   ResidualBudget *residuals);

// Checks that a text has what the passes of later phases take for granted: a
// phase that zcc ran has checked that itself.
mlir::LogicalResult verifyText(Phase phase, mlir::ModuleOp module,
                               const exec::Backend &backend);

// Imports the text of an initialization function and adds it to a module of
// phase `graph` as @init.
mlir::LogicalResult addInit(mlir::ModuleOp module, mlir::ModuleOp init);
} // namespace zcc

#endif
