// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated kernels as steps: the kernels' items are split over the pool, any
// split gives the same bits.

#include "runtime/cpu/KernelSteps.h"

#include "runtime/core/NanOrigins.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt {

const format::Kernel &KernelTable::describe(uint32_t kernel) const {
  return executable.kernels(int(kernel));
}

namespace {

/// Looks for NaN in the buffers that kernels of a rank have read and written.
class NanLook {
public:
  NanLook(const format::Task &task, const RankSetting &setting)
      : task(task), origins(setting.nanOrigins), rank(setting.rank) {}

  explicit operator bool() const { return origins; }

  /// Tells of a kernel that has run on the buffers, if it wrote a NaN.
  void operator()(const Step &step, const format::KernelStep &launch,
                  const format::Kernel &kernel,
                  const std::vector<void *> &buffers) const {
    auto has = [&](int i) {
      return i < kernel.types_size() &&
             hasNan(kernel.types(i), buffers[size_t(i)],
                    task.operands(int(launch.operands(i))).size());
    };
    const int reads = int(launch.reads()), all = launch.operands_size();
    bool wrote = false;
    for (int i = reads; i < all && !wrote; ++i)
      wrote = has(i);
    if (!wrote)
      return;
    for (int i = 0; i < reads; ++i) {
      // An update in place has overwritten the operand that it read.
      auto first = launch.operands().begin() + reads;
      if (std::find(first, launch.operands().end(), launch.operands(i)) ==
              launch.operands().end() &&
          has(i))
        return origins->addOperand(
            task.operands(int(launch.operands(i))).name(), step.name);
    }
    origins->addStep(step.name, rank);
  }

private:
  const format::Task &task;
  NanOrigins *origins;
  int rank;
};

class Kernel : public Step {
public:
  Kernel(const format::KernelStep &step, const format::Kernel &kernel,
         KernelFunction function, ThreadPool &pool, const NanLook &look)
      : launch(step), kernel(kernel), look(look), pool(pool),
        function(function), items(int64_t(kernel.items())),
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
    if (look)
      look(*this, launch, kernel, buffers);
  }

private:
  const format::KernelStep &launch;
  const format::Kernel &kernel;
  const NanLook look;
  ThreadPool &pool;
  KernelFunction function;
  int64_t items;
  uint64_t itemCost;
  size_t scratchBytes;
  std::vector<uint32_t> operands; // in the order of the kernel's buffers
  std::vector<void *> buffers;
};

/// Runs the items of all members as those of one kernel, one after the other.
class Batch : public Step {
public:
  Batch(const format::KernelBatch &batch, const KernelTable &kernels,
        ThreadPool &pool, const NanLook &look)
      : batch(batch), kernels(kernels), look(look), pool(pool) {
    double cost = 0;
    for (const format::KernelStep &step : batch.members()) {
      const format::Kernel &kernel = kernels.describe(step.kernel());
      Member member;
      member.function = kernels.functions[step.kernel()];
      member.operands.assign(step.operands().begin(), step.operands().end());
      member.buffers.resize(member.operands.size());
      member.begin = items;
      items += int64_t(kernel.items());
      member.end = items;
      cost += double(kernel.items()) * double(kernel.item_cost());
      scratchBytes = std::max<size_t>(scratchBytes, kernel.scratch());
      auto *first = member.operands.data();
      reads.insert(reads.end(), first, first + step.reads());
      writes.insert(writes.end(), first + step.reads(),
                    first + member.operands.size());
      members.push_back(std::move(member));
    }
    if (items > 0)
      itemCost = uint64_t(cost / double(items)) + 1;
  }

  void prepare(ResourceRequest &request) override {
    request.scratchBytes = std::max(request.scratchBytes, scratchBytes);
  }

  void execute(const Frame &frame) override {
    for (Member &member : members)
      for (size_t i = 0; i < member.operands.size(); ++i)
        member.buffers[i] = frame.operands[member.operands[i]].host();
    pool.run(
        [](void *self, int64_t begin, int64_t end, int thread) {
          static_cast<Batch *>(self)->work(begin, end, thread);
        },
        this, items, itemCost);
    for (size_t i = 0; look && i < members.size(); ++i) {
      const format::KernelStep &launch = batch.members(int(i));
      look(*this, launch, kernels.describe(launch.kernel()),
           members[i].buffers);
    }
  }

private:
  struct Member {
    KernelFunction function = nullptr;
    std::vector<uint32_t> operands; // in the order of the kernel's buffers
    std::vector<void *> buffers;
    int64_t begin = 0, end = 0; // of all items
  };

  void work(int64_t begin, int64_t end, int thread) {
    auto member = std::upper_bound(
        members.begin(), members.end(), begin,
        [](int64_t item, const Member &own) { return item < own.end; });
    for (; begin < end; ++member) {
      int64_t stop = std::min(end, member->end);
      if (begin < stop)
        member->function(member->buffers.data(), begin - member->begin,
                         stop - member->begin, pool.scratch(thread));
      begin = stop;
    }
  }

  const format::KernelBatch &batch;
  const KernelTable &kernels;
  const NanLook look;
  ThreadPool &pool;
  std::vector<Member> members;
  int64_t items = 0;
  uint64_t itemCost = 0;
  size_t scratchBytes = 0;
};

} // namespace

std::unique_ptr<Step> createKernelStep(const format::Step &step,
                                       const format::Task &task,
                                       const KernelTable &kernels,
                                       const RankSetting &setting) {
  const NanLook look(task, setting);
  if (step.has_batch())
    return std::make_unique<Batch>(step.batch(), kernels, setting.pool, look);
  if (!step.has_kernel())
    return nullptr;
  uint32_t kernel = step.kernel().kernel();
  return std::make_unique<Kernel>(step.kernel(), kernels.describe(kernel),
                                  kernels.functions[kernel], setting.pool,
                                  look);
}

} // namespace zcc::rt
