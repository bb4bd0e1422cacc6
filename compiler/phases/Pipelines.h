// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the pass pipelines of phases from the options and the plan.
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
// Adds the passes that bring a module of the previous phase to `phase` (graph
// to planned), with its verifier last. The backend
// must outlive the passes.
void addPhasePasses(Phase phase, mlir::OpPassManager &pm,
                    const Options &options, const planning::Plan &plan,
                    const planning::Machine &machine,
                    const planning::MachineFacts &facts, const Target &backend,
                    const MemoryLimits *limits = nullptr);

// Returns the options of the passes of `sharded` and `partitioned`.
DistributeOptions getDistributeOptions(const Options &options,
                                       const planning::Plan &plan,
                                       const planning::Machine &machine,
                                       const planning::MachineFacts &facts);

// Returns the options of the passes of `tasks`; see PipelineOptions.
PipelineOptions getPipelineOptions(const Options &options,
                                   const planning::Plan &plan,
                                   const planning::Machine &machine,
                                   const MemoryLimits *limits);

// Checks that a text has the properties that the passes of later phases rely
// on; a phase that zcc itself ran has already checked them.
mlir::LogicalResult verifyText(Phase phase, mlir::ModuleOp module,
                               const exec::Backend &backend);

// Imports the text of an initialization function and adds it to a module of
// phase `graph` as @init.
mlir::LogicalResult addInit(mlir::ModuleOp module, mlir::ModuleOp init);
} // namespace zcc

#endif
