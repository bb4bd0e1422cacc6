// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the ops of a partitioned step onto the stages of a pipeline.
#ifndef ZCC_PASSES_DISTRIBUTE_STAGES_PLACESTAGES_H
#define ZCC_PASSES_DISTRIBUTE_STAGES_PLACESTAGES_H

#include "passes/Distribute/Stages/StageRow.h"

namespace zcc::dist {

// A part of the model: a chunk of a stage.
struct StagePart {
  int64_t stage = 0, chunk = 0;
};

// `partOf`: by the place of the row. Every op gets `dist.stage` and
// `dist.chunk`. What several parts read of inputs or states alone is there for
// each; a state of several stages has an argument and a result for each
// (`dist.copy`, the stage, on those after the first), an input an argument.
void placeStages(mlir::func::FuncOp step, const StageRow &row,
                 llvm::ArrayRef<unsigned> partOf,
                 llvm::ArrayRef<StagePart> parts);

} // namespace zcc::dist

#endif
