// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/KernelSteps.h"

#include "runtime/cuda/BatchTable.h"
#include "runtime/cuda/CudnnSteps.h"
#include "runtime/cuda/ProductSteps.h"

#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <set>

namespace zcc::rt::cuda {

namespace {

class KernelLaunch : public Step {
public:
  KernelLaunch(const format::KernelStep &step, const format::Kernel &kernel,
               Function function, Function second, const PointerTable &table)
      : kernel(kernel), function(function), second(second), table(table),
        operands(step.operands().begin(), step.operands().end()),
        places(operands.size()), parameters(operands.size() + 1) {
    reads.assign(operands.begin(), operands.begin() + step.reads());
    writes.assign(operands.begin() + step.reads(), operands.end());
  }

  void prepare(ResourceRequest &request) override {
    request.scratchBytes =
        std::max(request.scratchBytes, size_t(kernel.scratch()));
  }

  void execute(const Frame &frame) override {
    if (kernel.items() == 0)
      return;
    for (size_t i = 0; i < operands.size(); ++i)
      // Most operands have the same place as in the last run.
      if (Address now = frame.operands[operands[i]];
          parameters[i] == 0 || now != places[i]) {
        places[i] = now;
        parameters[i] = table.wordOf(now);
      }
    auto &device = static_cast<CudaDevice &>(frame.device);
    parameters.back() = device.workspace(frame.stream).bits();
    device.launch(frame.stream,
                  {function, uint32_t(kernel.items()), kernel.threads(),
                   kernel.shared(), parameters, name});
    if (second)
      device.launch(frame.stream, {second, uint32_t(kernel.second().blocks()),
                                   kernel.second().threads(),
                                   kernel.second().shared(), parameters, name});
  }

private:
  const format::Kernel &kernel;
  const Function function, second; // the second is null if there is none
  const PointerTable &table;
  const std::vector<uint32_t> operands; // in the order of the kernel's buffers
  std::vector<Address> places;          // of the run before
  std::vector<uint64_t> parameters;     // words, then the workspace
};

std::unique_ptr<Step> create(const format::KernelStep &step,
                             const KernelSetting &setting) {
  const format::Kernel &kernel = setting.executable.kernels(int(step.kernel()));
  if (kernel.has_product())
    return createProductStep(step, kernel, *setting.products);
  if (kernel.has_convolution() || kernel.has_attention())
    return createCudnnStep(step, kernel, *setting.cudnn);
  return std::make_unique<KernelLaunch>(
      step, kernel, setting.gpu.function(step.kernel()),
      setting.gpu.secondFunction(step.kernel()), setting.table);
}

/// The launches of a batch, and its other members one after the other.
class Batch : public Step {
public:
  Batch(const format::KernelBatch &batch, const KernelSetting &setting)
      : batch(batch), table(setting.batches) {
    std::set<uint32_t> launched; // kernels
    for (const format::BatchLaunch &own : batch.launches()) {
      const format::Kernel &kernel =
          setting.executable.kernels(int(own.kernel()));
      launched.insert(kernel.segments().kernels().begin(),
                      kernel.segments().kernels().end());
      BatchTable::Segments segments = table.segments(own);
      launches.push_back({&kernel,
                          setting.gpu.function(own.kernel()),
                          segments.count,
                          {segments.at, 0}});
    }
    for (const format::KernelStep &step : batch.members()) {
      auto first = step.operands().begin();
      reads.insert(reads.end(), first, first + step.reads());
      writes.insert(writes.end(), first + step.reads(), step.operands().end());
      operands.insert(operands.end(), first, step.operands().end());
      if (!launched.count(step.kernel()))
        members.push_back(create(step, setting));
    }
    places.resize(operands.size());
  }

  void prepare(ResourceRequest &request) override {
    for (auto &member : members) {
      member->name = name;
      member->prepare(request);
    }
  }
  void initialize() override {
    for (auto &member : members)
      member->initialize();
  }
  bool warmUp(const Frame &frame) override {
    bool any = false;
    for (auto &member : members)
      any |= member->warmUp(frame);
    return any;
  }
  void execute(const Frame &frame) override {
    auto &device = static_cast<CudaDevice &>(frame.device);
    bool isMoved = false;
    for (size_t i = 0; i < operands.size() && !launches.empty(); ++i)
      if (uint64_t now = frame.operands[operands[i]].bits(); now != places[i]) {
        places[i] = now;
        isMoved = true;
      }
    if (isMoved)
      words = table.wordsOf(batch, places);
    for (Launch &one : launches) {
      one.parameters[1] = words;
      device.launch(frame.stream,
                    {one.function, one.blocks, one.kernel->threads(),
                     one.kernel->shared(), one.parameters, name});
    }
    for (auto &member : members)
      member->execute(frame);
  }

private:
  struct Launch {
    const format::Kernel *kernel;
    Function function;
    uint32_t blocks;
    std::vector<uint64_t> parameters; // table of segments, words of the run
  };

  const format::KernelBatch &batch;
  const BatchTable &table;
  std::vector<uint32_t> operands; // of all members
  BatchTable::Addresses places;   // of the run before
  uint64_t words = 0;             // of it
  std::vector<Launch> launches;
  std::vector<std::unique_ptr<Step>> members; // in no launch
};

} // namespace

std::unique_ptr<Step> createKernelStep(const format::Step &step,
                                       const KernelSetting &setting) {
  if (step.has_batch())
    return std::make_unique<Batch>(step.batch(), setting);
  return step.has_kernel() ? create(step.kernel(), setting) : nullptr;
}

} // namespace zcc::rt::cuda
