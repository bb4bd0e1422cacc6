// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as steps of a task: launches of generated ones, and calls of
// libraries.

#ifndef ZCC_RUNTIME_CUDA_KERNELSTEPS_H
#define ZCC_RUNTIME_CUDA_KERNELSTEPS_H

#include "runtime/core/Step.h"
#include "runtime/cuda/PointerTable.h"

namespace zcc::rt {
namespace format {
class Executable;
class KernelStep;
} // namespace format

namespace cuda {

class BatchTable;
class CudnnCalls;
class Gpu;
class Products;

/// The tables and libraries that run a rank's kernels. All outlive the steps.
struct KernelSetting {
  const format::Executable &executable;
  const Gpu &gpu;
  const PointerTable &table; // of the rank's device
  const BatchTable &batches; // the same
  Products *products;        // null: the executable has none
  CudnnCalls *cudnn;         // null: no convolutions or attention
};

/// Null if the step is neither a kernel nor a batch of them.
std::unique_ptr<Step> createKernelStep(const format::Step &step,
                                       const KernelSetting &setting);

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_KERNELSTEPS_H
