// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From LLVM IR to objects.
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

} // namespace zcc

#endif
