// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated kernels as steps of a task.

#ifndef ZCC_RUNTIME_CPU_KERNELSTEPS_H
#define ZCC_RUNTIME_CPU_KERNELSTEPS_H

#include "runtime/core/Step.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/cpu/ObjectCode.h"

namespace zcc::rt {

namespace format {
class Kernel;
class KernelStep;
} // namespace format

std::unique_ptr<Step> createKernelStep(const format::KernelStep &step,
                                       const format::Kernel &kernel,
                                       KernelFunction function,
                                       ThreadPool &pool);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CPU_KERNELSTEPS_H
