// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates the memory of the parts of a pipeline, before the step is cut: an
// estimate of what memory planning will find.
#ifndef ZCC_PASSES_DISTRIBUTE_STAGES_STAGEMEMORY_H
#define ZCC_PASSES_DISTRIBUTE_STAGES_STAGEMEMORY_H

#include "planning/CostModel.h"
#include "planning/Plan.h"
#include "planning/StageCut.h"
#include "passes/Distribute/Stages/StageRow.h"

namespace zcc::distribute {

// Fills in the fields of the pieces and of the problem that are about memory,
// except the limit and the schedule. `residuals`: which values of the forward
// pass the plan keeps.
void describeMemory(mlir::func::FuncOp step, const StageRow &row,
                    const std::vector<planning::PlanResidual> &residuals,
                    planning::StageCutProblem &problem);

// For a cut that does not fit: describes how much of the held residuals can be
// computed again, and in how many seconds. The share of them that cannot be is
// held in any case.
void describeRecomputation(mlir::func::FuncOp step, const StageRow &row,
                           const planning::CostModel &model,
                           planning::StageCutProblem &problem);

} // namespace zcc::distribute

#endif
