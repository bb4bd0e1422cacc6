// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which inputs are rows of a batch. Extents say it, by what most inputs have in
// front, but only of inputs that may have one: the dim ends in a sum, as the
// rows of a loss do (the words of a key are taken one by one, a table is looked
// up), and no parameter has it (class weights, positions with embeddings).
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_BATCH_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_BATCH_H

#include "passes/Distribute/Place/Propagation.h"

namespace zcc::dist {

class BatchChoice {
public:
  // `step`: with the rules of its ops.
  BatchChoice(mlir::func::FuncOp func, const StepSharding &step);

  // The inputs whose first dim is the batch, without those of these names. Of
  // two extents as frequent that along which more operations run, then less
  // would be sent, then the larger one.
  llvm::SmallVector<mlir::BlockArgument>
  find(llvm::ArrayRef<std::string> notBatched) const;

private:
  struct Front {
    mlir::BlockArgument input;
    int64_t extent;
    bool summed, ofParameter;
    double flops = 0, moved = 0; // along the dim; if sharded
  };
  llvm::SmallVector<Front> fronts;
};

} // namespace zcc::dist

#endif
