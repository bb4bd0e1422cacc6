// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analyses how a kernel uses its buffers as a whole: results that are a part of
// an argument's memory, arguments that are parts of the result's memory, and
// results that may be written to an argument's memory.
#ifndef ZCC_PASSES_SCHEDULE_KERNELVIEWS_H
#define ZCC_PASSES_SCHEDULE_KERNELVIEWS_H

#include "dialects/Exec/Backend.h"
#include "llvm/ADT/SmallVector.h"

namespace zcc {

/// A view of an argument that begins at byte `begin`.
struct ArgumentView {
  unsigned argument = 0;
  int64_t begin = 0;
};

/// Returns one view for each result, if all results of the kernel are
/// contiguous parts of arguments (slices, reshapes); else an empty list.
llvm::SmallVector<ArgumentView> findSlices(mlir::func::FuncOp kernel);

/// Returns the arguments and where each begins in the result (bytes), in order,
/// if the kernel only puts arguments one after the other; else an empty list.
llvm::SmallVector<ArgumentView> findParts(mlir::func::FuncOp kernel);

/// Returns true if a kernel of that form may write its result `result` to the
/// memory of its argument `argument`: no element of the argument is read after
/// another one took its place.
bool mayWriteInto(mlir::func::FuncOp kernel, const exec::KernelForm &form,
                  unsigned argument, unsigned result);

} // namespace zcc

#endif
