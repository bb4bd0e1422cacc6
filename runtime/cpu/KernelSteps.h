// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated kernels as steps of a task.

#ifndef ZCC_RUNTIME_CPU_KERNELSTEPS_H
#define ZCC_RUNTIME_CPU_KERNELSTEPS_H

#include "runtime/core/Backend.h"
#include "runtime/core/Step.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/cpu/ObjectCode.h"

namespace zcc::rt {

namespace format {
class Executable;
class Kernel;
} // namespace format

/// An executable's kernels, and their code in this process.
struct KernelTable {
  const format::Executable &executable;
  std::vector<KernelFunction> functions; // by kernel

  const format::Kernel &describe(uint32_t kernel) const;
};

/// Null if the step is neither a kernel nor a batch of kernels. All outlive the
/// result.
std::unique_ptr<Step> createKernelStep(const format::Step &step,
                                       const format::Task &task,
                                       const KernelTable &kernels,
                                       const RankSetting &setting);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CPU_KERNELSTEPS_H
