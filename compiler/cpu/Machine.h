// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates the LLVM machine that turns IR into objects.
#ifndef ZCC_COMPILER_CPU_MACHINE_H
#define ZCC_COMPILER_CPU_MACHINE_H

#include "compiler/cpu/Codegen.h"
#include <memory>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace zcc {

// Returns a machine, which threads must not share.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const CpuLevel &cpu);

} // namespace zcc

#endif
