// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch for the members of a batch: plans which kernels share a launch,
// and emits the code that a block runs
// (docs/decisions/cuda/0028-cuda-kernels.md).
#ifndef ZCC_COMPILER_CUDA_SEGMENTEDKERNEL_H
#define ZCC_COMPILER_CUDA_SEGMENTEDKERNEL_H

#include "compiler/backend/Target.h"
#include "compiler/cuda/CudaKernelBuilder.h"

namespace zcc::cuda {

/// The plan, which is made before code is generated.
struct SegmentedPlan {
  std::vector<SegmentedKernel> segmented;         // `info` has only the threads
  std::vector<std::vector<BatchLaunch>> launches; // by batch
};

/// Plans the launches. `partThreads` has CudaKernelBuilder::partThreads() of
/// each kernel.
SegmentedPlan planSegments(llvm::ArrayRef<KernelInfo> kernels,
                           llvm::ArrayRef<unsigned> partThreads,
                           llvm::ArrayRef<LaunchBatch> batches);

/// Emits a function into the module of the parts that finds its block's entry
/// of the table and calls the part that the entry names, for one block after
/// the other.
class SegmentedBuilder {
public:
  SegmentedBuilder(llvm::Module &module, bool forHost)
      : module(module), forHost(forHost) {}

  /// Adds a part; parts are numbered in the order of calls.
  void addPart(const CudaKernelBuilder &part);
  /// Emits the function. `threads` is the number of threads per block, which is
  /// the same for all parts.
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
