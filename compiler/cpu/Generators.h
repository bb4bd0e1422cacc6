// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generators of kernels for CPU cores, one per form of
// compiler/codegen/KernelForm.h; those of other forms are in compiler/codegen.
// Each emits the body of `kernel.function` (the insertion point is its entry;
// the caller adds the return) and sets kernel.info's items and itemNanoseconds.
// If one fails, it has reported the error at the function.
#ifndef ZCC_COMPILER_CPU_GENERATORS_H
#define ZCC_COMPILER_CPU_GENERATORS_H

#include "compiler/codegen/KernelForm.h"
#include "compiler/cpu/CpuKernelBuilder.h"

namespace zcc {
mlir::LogicalResult
emitLoopKernel(CpuKernelBuilder &kernel,
               const codegen::KernelForm &form); // LoopKernel.cpp
mlir::LogicalResult emitReduceKernel(
    KernelBuilder &kernel,
    const codegen::KernelForm &form); // ReduceKernel.cpp (Row, Column)
mlir::LogicalResult
emitSquaresKernel(KernelBuilder &kernel,
                  const codegen::KernelForm &form); // SquaresKernel.cpp
} // namespace zcc

#endif
