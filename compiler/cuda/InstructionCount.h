// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the instructions of a GPU that those of LLVM become, as far as one can
// say before ptxas has seen them.
#ifndef ZCC_COMPILER_CUDA_INSTRUCTIONCOUNT_H
#define ZCC_COMPILER_CUDA_INSTRUCTIONCOUNT_H

#include "planning/LaunchWork.h"
#include "llvm/IR/Instruction.h"

namespace zcc::cuda {

/// PTX's address space of shared memory (LLVM's NVPTX usage guide).
inline constexpr unsigned sharedSpace = 3;

/// The instructions of a thread that one of LLVM becomes, and the cycles until
/// its result can be used: four for arithmetic (Jia et al., arXiv 1804.06826,
/// table 4.1), 29 for shared memory (arXiv 2402.13499, from memory).
struct Counted {
  planning::LaunchInstructions counts;
  double cycles = 0;
};

/// Loads from memory take no cycles: they are rounds of LaunchWork.
Counted countInstruction(const llvm::Instruction &own);

/// Returns true if all threads of the block meet there.
bool isBarrier(const llvm::Instruction &own);

} // namespace zcc::cuda

#endif
