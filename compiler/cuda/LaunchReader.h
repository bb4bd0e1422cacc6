// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the work of a launch of a generated kernel from its code, for the cost
// model.
#ifndef ZCC_COMPILER_CUDA_LAUNCHREADER_H
#define ZCC_COMPILER_CUDA_LAUNCHREADER_H

#include "compiler/backend/Target.h"
#include "planning/LaunchWork.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace llvm {
class Function;
} // namespace llvm

namespace zcc::cuda {

/// The launch that a function is the code of.
struct LaunchShape {
  uint64_t blocks = 0;
  unsigned threads = 0; // of a block
  uint64_t shared = 0;  // bytes of a block
  /// The bytes of the kernel's arguments and results, which are the function's
  /// first parameters. All other memory that it reads is in a cache, where a
  /// launch before it has left it.
  llvm::SmallVector<double> arguments, results;
};

/// Returns the work of the launch. `bytesRead` is left to the caller, because a
/// kernel may read parts of its arguments; `bytesWritten` has the results that
/// the function stores to. `function` is
/// optimized LLVM IR in the form for PTX (CudaKernelBuilder). Returns nullopt
/// if the number of iterations of a loop depends on data and its branch has no
/// weights (KernelBuilder::loop), or if a thread has memory of its own.
std::optional<planning::LaunchWork> readLaunch(llvm::Function &function,
                                               const LaunchShape &shape);

} // namespace zcc::cuda

#endif
