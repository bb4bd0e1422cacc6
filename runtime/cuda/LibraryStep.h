// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that a library computes, as a step of a task.

#ifndef ZCC_RUNTIME_CUDA_LIBRARYSTEP_H
#define ZCC_RUNTIME_CUDA_LIBRARYSTEP_H

#include "runtime/core/Step.h"

#include <set>

namespace zcc::rt {
namespace format {
class Kernel;
class KernelStep;
} // namespace format

namespace cuda {

/// The kernels that a library has run on a rank. The first run of one may load
/// code and allocate memory.
class FirstRuns {
public:
  /// Returns true at the first call for a kernel.
  bool isFirst(const format::Kernel &kernel) {
    return ran.insert(&kernel).second;
  }

private:
  std::set<const format::Kernel *> ran;
};

/// The operands of a library's kernel, its scratch and its first run. The
/// kernel and `firstRuns` outlive the step.
class LibraryStep : public Step {
public:
  LibraryStep(const format::KernelStep &step, const format::Kernel &kernel,
              FirstRuns &firstRuns);
  void prepare(ResourceRequest &request) override;
  bool warmUp(const Frame &frame) override;

protected:
  const format::Kernel &kernel;
  const std::vector<uint32_t> operands; // in the order of the kernel's buffers

private:
  FirstRuns &firstRuns;
};

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_LIBRARYSTEP_H
