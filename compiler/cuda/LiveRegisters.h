// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the registers of a kernel's thread.
#ifndef ZCC_COMPILER_CUDA_LIVEREGISTERS_H
#define ZCC_COMPILER_CUDA_LIVEREGISTERS_H

#include "llvm/IR/Function.h"
#include <cstdint>

namespace zcc::cuda {

/// Returns an estimate of the registers of a thread: those of the values that
/// are live at the same time (Aho et al., "Compilers", section 9.2.5), and some
/// for addresses and constants.
int64_t estimateRegisters(llvm::Function &function);

} // namespace zcc::cuda

#endif
