// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compilation of kernels that all targets share: each kernel is an LLVM
// module of its own, so that the result does not depend on how kernels are
// distributed over threads.
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

/// Returns the form of a kernel function; if it has none, reports an error at
/// it and returns nullopt.
std::optional<codegen::KernelForm> findKernelForm(mlir::func::FuncOp kernel);

/// Returns true if the results have no elements, so that there is nothing to
/// do.
bool hasNoElements(mlir::func::FuncOp kernel);

/// Runs scalar replacement, common subexpression elimination and hoisting,
/// which the generators leave to LLVM. Nothing here reassociates or vectorizes.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Writes an object or assembly of the module. Returns false if LLVM cannot do
/// so for the machine.
bool writeCode(llvm::Module &module, llvm::TargetMachine &machine,
               llvm::CodeGenFileType type, std::string &out);

/// Runs work on each kernel, by its number, on at most so many threads. Each
/// thread calls `makeWork` for a work function of its own (threads must not
/// share a TargetMachine).
void forEachKernel(llvm::ArrayRef<mlir::func::FuncOp> kernels, unsigned threads,
                   llvm::function_ref<std::function<void(size_t)>()> makeWork);

} // namespace zcc

#endif
