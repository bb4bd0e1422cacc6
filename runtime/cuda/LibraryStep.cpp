// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/LibraryStep.h"

#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt::cuda {

LibraryStep::LibraryStep(const format::KernelStep &step,
                         const format::Kernel &kernel, FirstRuns &firstRuns)
    : kernel(kernel), operands(step.operands().begin(), step.operands().end()),
      firstRuns(firstRuns) {
  reads.assign(operands.begin(), operands.begin() + step.reads());
  writes.assign(operands.begin() + step.reads(), operands.end());
}

void LibraryStep::prepare(ResourceRequest &request) {
  request.scratchBytes =
      std::max(request.scratchBytes, size_t(kernel.scratch()));
}

bool LibraryStep::warmUp(const Frame &frame) {
  if (!firstRuns.isFirst(kernel))
    return false;
  execute(frame);
  return true;
}

} // namespace zcc::rt::cuda
