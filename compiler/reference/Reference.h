// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_COMPILER_REFERENCE_REFERENCE_H
#define ZCC_COMPILER_REFERENCE_REFERENCE_H
#include "compiler/cpu/Codegen.h"
namespace zcc {
mlir::FailureOr<CompiledKernels> compileReference(llvm::ArrayRef<mlir::func::FuncOp> kernels);
} // namespace zcc
#endif
