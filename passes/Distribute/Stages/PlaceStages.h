// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the ops of a partitioned step onto the stages of a pipeline.
#ifndef ZCC_PASSES_DISTRIBUTE_STAGES_PLACESTAGES_H
#define ZCC_PASSES_DISTRIBUTE_STAGES_PLACESTAGES_H

#include "passes/Distribute/Stages/StageRow.h"

namespace zcc::distribute {

// A part of the model: a chunk of a stage.
struct StagePart {
  int64_t stage = 0, chunk = 0;
};

// Places the step by `partOf`, the part of each place of the row. Every op gets
// `dist.stage` and `dist.chunk`. Ops that follow from inputs or states alone
// are copied to each part that reads them. A state of several stages gets an
// argument and a result on each, an input gets an argument; those after the
// first carry their stage as `dist.copy`. It is an error, at the reader, if a
// variable that changes with each microbatch is in several parts.
mlir::LogicalResult placeStages(mlir::func::FuncOp step, const StageRow &row,
                                llvm::ArrayRef<unsigned> partOf,
                                llvm::ArrayRef<StagePart> parts);

} // namespace zcc::distribute

#endif
