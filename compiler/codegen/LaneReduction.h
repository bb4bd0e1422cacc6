// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_COMPILER_CODEGEN_LANEREDUCTION_H
#define ZCC_COMPILER_CODEGEN_LANEREDUCTION_H

#include "compiler/codegen/ElementEmitter.h"

namespace zcc {

// Combines 16 lanes, given as 16 / lanes() vectors, by the tree of
// train.reduce: lane i with lane i + 8, then + 4, + 2, + 1. The result is a
// scalar.
llvm::Value *reduceLanes(KernelBuilder &kernel, train::ReduceKind kind,
                         mlir::Type elementType,
                         llvm::ArrayRef<llvm::Value *> vectors);
// Lanes [from, from + 8, ...) of 16 as one vector of `count` lanes.
llvm::Value *sliceLanes(KernelBuilder &kernel, llvm::Value *v, unsigned from,
                        unsigned count);

} // namespace zcc

#endif
