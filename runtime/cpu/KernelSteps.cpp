// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated kernels as steps: the kernel's items are split over the pool, any
// split gives the same bits.

#include "runtime/cpu/KernelSteps.h"

#include "runtime/format/executable.pb.h"

namespace zcc::rt {

namespace {

class Kernel : public Step {
public:
  Kernel(const format::KernelStep &step, const format::Kernel &kernel,
         KernelFunction function, ThreadPool &pool)
      : pool(pool), function(function), items(int64_t(kernel.items())),
        itemCost(kernel.item_cost()), scratchBytes(kernel.scratch()),
        operands(step.operands().begin(), step.operands().end()),
        buffers(operands.size()) {
    reads.assign(operands.begin(), operands.begin() + step.reads());
    writes.assign(operands.begin() + step.reads(), operands.end());
  }

  void prepare(ResourceRequest &request) override {
    request.scratchBytes = std::max(request.scratchBytes, scratchBytes);
  }

  void execute(const Frame &frame) override {
    for (size_t i = 0; i < operands.size(); ++i)
      buffers[i] = frame.operands[operands[i]].host();
    pool.run(
        [](void *self, int64_t begin, int64_t end, int thread) {
          auto *step = static_cast<Kernel *>(self);
          step->function(step->buffers.data(), begin, end,
                         step->pool.scratch(thread));
        },
        this, items, itemCost);
  }

private:
  ThreadPool &pool;
  KernelFunction function;
  int64_t items;
  uint64_t itemCost;
  size_t scratchBytes;
  std::vector<uint32_t> operands; // in the order of the kernel's buffers
  std::vector<void *> buffers;
};

} // namespace

std::unique_ptr<Step> createKernelStep(const format::KernelStep &step,
                                       const format::Kernel &kernel,
                                       KernelFunction function,
                                       ThreadPool &pool) {
  return std::make_unique<Kernel>(step, kernel, function, pool);
}

} // namespace zcc::rt
