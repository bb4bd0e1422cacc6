// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives errors about ops of a text a place, even if the ops have none in the
// user's code.
#ifndef ZCC_COMPILER_DRIVER_TEXTPLACES_H
#define ZCC_COMPILER_DRIVER_TEXTPLACES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace zcc {

/// Runs `verify`, which must not change the module, on the module that was
/// parsed from `text`. Errors about ops without a place are reported at the
/// line of the text; only then is the text read again, with its places.
mlir::LogicalResult
verifyAtPlaces(mlir::ModuleOp module, llvm::MemoryBufferRef text,
               llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)> verify);

} // namespace zcc

#endif
