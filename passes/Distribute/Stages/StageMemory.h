// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of a pipeline hold, before it is cut: an estimate of what
// memory planning will find.
#ifndef ZCC_PASSES_DISTRIBUTE_STAGES_STAGEMEMORY_H
#define ZCC_PASSES_DISTRIBUTE_STAGES_STAGEMEMORY_H

#include "compiler/planning/CostModel.h"
#include "compiler/planning/Plan.h"
#include "compiler/planning/StageCut.h"
#include "passes/Distribute/Stages/StageRow.h"

namespace zcc::dist {

// Fills what pieces of the row and the problem say of memory, but for the limit
// and the schedule. `residuals`: what of the forward pass is kept by the plan.
void describeMemory(mlir::func::FuncOp step, const StageRow &row,
                    const std::vector<planning::PlanResidual> &residuals,
                    planning::StageCutProblem &problem);

// Where that is too much, what may be computed again, and for which seconds:
// what some of it cannot be is held in any case.
void describeRecomputation(mlir::func::FuncOp step, const StageRow &row,
                           const planning::CostModel &model,
                           planning::StageCutProblem &problem);

} // namespace zcc::dist

#endif
