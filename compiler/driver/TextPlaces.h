// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places for errors of a text's ops that have none of the user's code.
#ifndef ZCC_COMPILER_DRIVER_TEXTPLACES_H
#define ZCC_COMPILER_DRIVER_TEXTPLACES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace zcc {

/// Runs `verify`, which changes nothing, on the module that was parsed from
/// `text`. What it reports of ops without a place is reported at the line of
/// the text: only then is the text read again, with its places.
mlir::LogicalResult
verifyAtPlaces(mlir::ModuleOp module, llvm::MemoryBufferRef text,
               llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)> verify);

} // namespace zcc

#endif
