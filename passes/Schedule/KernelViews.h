// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel does to its buffers as wholes: results that are a part of an
// argument's memory, arguments that are parts of the result's, results that may
// be written where an argument is.
#ifndef ZCC_PASSES_SCHEDULE_KERNELVIEWS_H
#define ZCC_PASSES_SCHEDULE_KERNELVIEWS_H

#include "dialects/Exec/Backend.h"
#include "llvm/ADT/SmallVector.h"

namespace zcc {

/// The bytes from `begin` on of an argument.
struct ArgumentView {
  unsigned argument = 0;
  int64_t begin = 0;
};

/// Of a kernel all of whose results are contiguous parts of arguments
/// (slices, reshapes), one each; else none.
llvm::SmallVector<ArgumentView> findSlices(mlir::func::FuncOp kernel);

/// Of a kernel that does nothing but put arguments one after the other, in
/// their order and where each begins in the result; else none.
llvm::SmallVector<ArgumentView> findParts(mlir::func::FuncOp kernel);

/// Whether a kernel of that form may write its result `result` into the memory
/// of its argument `argument`: nothing reads an element of that after another
/// one took its place.
bool mayWriteInto(mlir::func::FuncOp kernel, const exec::KernelForm &form,
                  unsigned argument, unsigned result);

} // namespace zcc

#endif
