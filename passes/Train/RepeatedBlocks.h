// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the forward pass is cut if only what lies between repeated blocks is
// kept.
#ifndef ZCC_PASSES_TRAIN_REPEATEDBLOCKS_H
#define ZCC_PASSES_TRAIN_REPEATEDBLOCKS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc {

// The values that are alive between repeated blocks of `ops`, a list in
// program order, or between every so many of them (`together`, at least 1);
// where nothing repeats, at about sqrt N places that hold little. `isFree`:
// next to free to compute again, so that it counts nothing and is never
// returned. `bytes`: that a device would hold.
llvm::DenseSet<mlir::Value>
valuesBetweenBlocks(llvm::ArrayRef<mlir::Operation *> ops,
                    llvm::function_ref<bool(mlir::Value)> isFree,
                    llvm::function_ref<double(mlir::Value)> bytes,
                    unsigned together = 1);

} // namespace zcc

#endif
