// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated kernels as steps of a task: launches.

#ifndef ZCC_RUNTIME_CUDA_KERNELSTEPS_H
#define ZCC_RUNTIME_CUDA_KERNELSTEPS_H

#include "runtime/core/Step.h"
#include "runtime/cuda/PointerTable.h"

namespace zcc::rt {
namespace format {
class Kernel;
class KernelStep;
} // namespace format

namespace cuda {

/// The table outlives the step, which runs on the table's device.
std::unique_ptr<Step> createKernelStep(const format::KernelStep &step,
                                       const format::Kernel &kernel,
                                       Function function,
                                       const PointerTable &table);

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_KERNELSTEPS_H
