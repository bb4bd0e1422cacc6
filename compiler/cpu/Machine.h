// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From LLVM IR to objects, and from objects to one shared object.
#ifndef ZCC_COMPILER_CPU_MACHINE_H
#define ZCC_COMPILER_CPU_MACHINE_H

#include "compiler/cpu/Codegen.h"
#include <memory>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace zcc {

// Not to be shared between threads.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const CpuTarget &cpu);

// Links ELF objects into a shared object that exports all their functions.
// Deterministic; no path and no time stays in the result. An undefined symbol
// is a failure; `error` then has the linker's words.
mlir::FailureOr<std::string> linkShared(llvm::ArrayRef<std::string> objects,
                                        std::string &error);

} // namespace zcc

#endif
