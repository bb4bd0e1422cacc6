// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads cases from the functions in a file, and compiles their code.
#ifndef ZCC_TEST_CONFORMANCE_KERNELCODE_H
#define ZCC_TEST_CONFORMANCE_KERNELCODE_H

#include "compiler/backend/Target.h"
#include "test/conformance/KernelCases.h"

namespace zcc::conformance {

/// Converts the function. Throws errors of the function.
rt::format::Program programOf(mlir::func::FuncOp function);

/// Throws if a function does not compile.
CaseCode compileCases(llvm::ArrayRef<mlir::func::FuncOp> functions,
                      const Target &target);

} // namespace zcc::conformance

#endif
