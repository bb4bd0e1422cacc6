// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiling kernels is for every target: one LLVM module a kernel, so that
// the result does not depend on how kernels are shared out over threads.
#ifndef ZCC_COMPILER_CODEGEN_COMPILE_H
#define ZCC_COMPILER_CODEGEN_COMPILE_H

#include "compiler/codegen/KernelForm.h"
#include "llvm/Support/CodeGen.h"
#include <functional>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace zcc {

/// The form of a kernel function; where it has none, an error is reported at
/// it.
std::optional<codegen::KernelForm> findKernelForm(mlir::func::FuncOp kernel);

/// There is nothing to do for results without elements.
bool hasNoElements(mlir::func::FuncOp kernel);

/// Scalar replacement, common subexpressions and hoisting: the generators leave
/// these to LLVM. Nothing here reassociates or vectorizes.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// An object or assembly of the module. False where LLVM has no such form for
/// the machine.
bool writeCode(llvm::Module &module, llvm::TargetMachine &machine,
               llvm::CodeGenFileType type, std::string &out);

/// Does the work on each kernel, by its number, on at most so many threads;
/// each thread makes its own (a TargetMachine is not to be shared).
void forEachKernel(llvm::ArrayRef<mlir::func::FuncOp> kernels, unsigned threads,
                   llvm::function_ref<std::function<void(size_t)>()> makeWork);

} // namespace zcc

#endif
