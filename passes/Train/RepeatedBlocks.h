// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds where to cut the forward pass if only values between repeated blocks
// are kept.
#ifndef ZCC_PASSES_TRAIN_REPEATEDBLOCKS_H
#define ZCC_PASSES_TRAIN_REPEATEDBLOCKS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc {

// Returns the values that are alive between repeated blocks of `ops`, a list in
// program order, or between groups of `together` blocks (at least 1). If
// nothing repeats, returns the values at about sqrt N places where few bytes
// are alive. `isFree`: true if a value is next to free to compute again; it
// then counts nothing and is never returned. `bytes`: the bytes of a value on a
// device.
llvm::DenseSet<mlir::Value>
valuesBetweenBlocks(llvm::ArrayRef<mlir::Operation *> ops,
                    llvm::function_ref<bool(mlir::Value)> isFree,
                    llvm::function_ref<double(mlir::Value)> bytes,
                    unsigned together = 1);

} // namespace zcc

#endif
