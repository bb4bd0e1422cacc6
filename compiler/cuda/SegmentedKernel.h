// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch for the members of a batch: which kernels share one, and what a
// block of it does (docs/decisions/0028-cuda-kernels.md).
#ifndef ZCC_COMPILER_CUDA_SEGMENTEDKERNEL_H
#define ZCC_COMPILER_CUDA_SEGMENTEDKERNEL_H

#include "compiler/backend/Target.h"
#include "compiler/cuda/CudaKernelBuilder.h"

namespace zcc::cuda {

/// What is planned before code is made.
struct SegmentedPlan {
  std::vector<SegmentedKernel> segmented; // without `info` but for threads
  std::vector<std::vector<BatchLaunch>> launches; // by batch
};

/// `partThreads`: of each kernel (CudaKernelBuilder::partThreads()).
SegmentedPlan planSegments(llvm::ArrayRef<KernelInfo> kernels,
                           llvm::ArrayRef<unsigned> partThreads,
                           llvm::ArrayRef<KernelBatch> batches);

/// Calls of parts, emitted into their module: a function that finds its block's
/// entry of the table and calls the part that the entry names, for one block
/// after the other.
class SegmentedBuilder {
public:
  SegmentedBuilder(llvm::Module &module, bool forHost)
      : module(module), forHost(forHost) {}

  /// In the order of the branches' numbers.
  void addPart(const CudaKernelBuilder &part);
  /// `threads`: of a block, all parts' own.
  KernelInfo finish(llvm::StringRef symbol, unsigned threads);

private:
  struct Part {
    llvm::Function *function;
    bool usesShared;
  };
  llvm::Module &module;
  bool forHost;
  llvm::SmallVector<Part> parts;
  uint64_t shared = 0;
  unsigned resident = ~0u;
};

} // namespace zcc::cuda

#endif
