// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The iteration space of a kernel of the form Loop. The elements' row-major
// space is divided into dims wherever any tensor of the kernel has a dim
// boundary; adjacent dims that every access walks as one are joined again.
#ifndef ZCC_COMPILER_CODEGEN_LOOPSPACE_H
#define ZCC_COMPILER_CODEGEN_LOOPSPACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc {

struct LoopSpace {
  llvm::SmallVector<int64_t> dims; // their product is the number of elements
  // The dim to walk in tiles together with the last one, or -1: some tensor (a
  // transpose) is contiguous along it and strided along the last one.
  int tiled = -1;
};

/// Returns the space of a kernel whose results have `count` elements.
LoopSpace getLoopSpace(mlir::func::FuncOp func, int64_t count);

} // namespace zcc

#endif
