// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the inputs that are rows of a batch: most inputs have the batch's
// extent in front. An input counts only if its first dim can be a batch: the
// dim ends in a sum, as the rows of a loss do (the words of a key are taken one
// by one, a table is looked up), and no parameter has the dim (as class weights
// do, or positions with embeddings).
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_BATCH_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_BATCH_H

#include "passes/Distribute/Sharding/StepSharding.h"

namespace zcc::distribute {

class BatchChoice {
public:
  // `step` must have the rules of its ops.
  BatchChoice(mlir::func::FuncOp func, const StepSharding &step);

  // Returns the inputs whose first dim is the batch, without those of these
  // names. If two extents are equally frequent, it takes the one that more
  // operations run along, then the one that would send less, then the larger
  // one.
  llvm::SmallVector<mlir::BlockArgument>
  find(llvm::ArrayRef<std::string> notBatched) const;

private:
  struct Front {
    mlir::BlockArgument input;
    int64_t extent;
    bool summed, ofParameter;
    // operations along the dim; bytes moved if it is sharded
    double flops = 0, moved = 0;
  };
  llvm::SmallVector<Front> fronts;
};

} // namespace zcc::distribute

#endif
