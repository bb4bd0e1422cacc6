// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel generators, one a form of compiler/cpu/KernelForm.h. Each emits
// the body of `kernel.function` (the insertion point is its entry; the caller
// adds the return) and sets kernel.info's items and itemNanoseconds. A failure
// has been reported at the function.
#ifndef ZCC_COMPILER_CPU_GENERATORS_H
#define ZCC_COMPILER_CPU_GENERATORS_H

#include "compiler/cpu/KernelBuilder.h"
#include "compiler/cpu/KernelForm.h"

namespace zcc {
mlir::LogicalResult
emitLoopKernel(KernelBuilder &kernel,
               const cpu::KernelForm &form); // LoopKernel.cpp
mlir::LogicalResult
emitReduceKernel(KernelBuilder &kernel,
                 const cpu::KernelForm &form); // ReduceKernel.cpp (Row, Column)
mlir::LogicalResult
emitSquaresKernel(KernelBuilder &kernel,
                  const cpu::KernelForm &form); // SquaresKernel.cpp
mlir::LogicalResult emitDotKernel(KernelBuilder &kernel,
                                  const cpu::KernelForm &form); // DotKernel.cpp
mlir::LogicalResult
emitConvolutionKernel(KernelBuilder &kernel,
                      const cpu::KernelForm &form); // ConvKernel.cpp
mlir::LogicalResult
emitSpecialKernel(KernelBuilder &kernel,
                  const cpu::KernelForm &form); // SpecialKernel.cpp
} // namespace zcc

#endif
