// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target "reference": kernels are programs. Collectives are done by the
// host's transports, on copies.

#include "runtime/reference/ReferenceBackend.h"

#include "runtime/comm/CollectiveSteps.h"
#include "runtime/core/Error.h"
#include "runtime/core/Spaces.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/Cores.h"
#include "runtime/reference/Interpreter.h"
#include "runtime/reference/ReferenceDevice.h"

#include <deque>

namespace zcc::rt {

namespace {

constexpr const char *target = "reference";

class ProgramStep : public Step {
public:
  ProgramStep(const format::KernelStep &step,
              const reference::Interpreter &interpreter)
      : interpreter(interpreter),
        operands(step.operands().begin(), step.operands().end()) {
    reads.assign(operands.begin(), operands.begin() + step.reads());
    writes.assign(operands.begin() + step.reads(), operands.end());
  }

  void execute(const Frame &frame) override {
    auto &device = static_cast<ReferenceDevice &>(frame.device);
    std::vector<Address> places;
    for (uint32_t operand : operands)
      places.push_back(frame.operands[operand]);
    device.enqueue(frame.stream, [this, &device, places = std::move(places)] {
      std::vector<void *> memory;
      for (size_t i = 0; i < places.size(); ++i)
        memory.push_back(
            device.resolve(places[i], interpreter.buffers()[i].bytes()));
      interpreter.run(memory.data());
    });
  }

private:
  const reference::Interpreter &interpreter;
  std::vector<uint32_t> operands; // in the order of the program's buffers
};

/// The members, one after the other.
class BatchStep : public Step {
public:
  BatchStep(const format::KernelBatch &batch,
            const std::vector<reference::Interpreter> &programs) {
    for (const format::KernelStep &step : batch.members()) {
      members.emplace_back(step, programs[step.kernel()]);
      const ProgramStep &member = members.back();
      reads.insert(reads.end(), member.reads.begin(), member.reads.end());
      writes.insert(writes.end(), member.writes.begin(), member.writes.end());
    }
  }

  void execute(const Frame &frame) override {
    for (ProgramStep &member : members)
      member.execute(frame);
  }

private:
  std::deque<ProgramStep> members;
};

class ReferenceSteps : public StepFactory {
public:
  ReferenceSteps(const std::vector<reference::Interpreter> &programs,
                 const RankSetting &setting)
      : programs(programs), setting(setting) {}

  std::unique_ptr<Step> create(const format::Step &step,
                               const format::Task &task) override {
    if (step.has_kernel())
      return std::make_unique<ProgramStep>(step.kernel(),
                                           programs[step.kernel().kernel()]);
    if (step.has_batch())
      return std::make_unique<BatchStep>(step.batch(), programs);
    if (auto collective = createCollectiveStep(step, setting.mesh, setting.rank,
                                               setting.transport))
      return stageOnHost(std::move(collective), task);
    return createBasicStep(step, task, setting.observer);
  }

private:
  const std::vector<reference::Interpreter> &programs; // by kernel
  const RankSetting setting;
};

class ReferenceCode : public LoadedCode {
public:
  explicit ReferenceCode(const format::Executable &executable)
      : executable(executable) {
    for (const format::Kernel &kernel : executable.kernels())
      programs.emplace_back(kernel.program(),
                            text("kernel \"", kernel.symbol(), "\""));
  }

  std::unique_ptr<Device> makeDevice(const RankSetting &setting) override {
    int stage = setting.mesh.stageOf(setting.rank);
    return std::make_unique<ReferenceDevice>(
        arenaSizes(executable.stages(stage)), uint64_t(setting.rank),
        setting.cancellation);
  }
  std::unique_ptr<StepFactory> makeSteps(const RankSetting &setting,
                                         Device &) override {
    return std::make_unique<ReferenceSteps>(programs, setting);
  }

private:
  const format::Executable &executable;
  std::vector<reference::Interpreter> programs;
};

class ReferenceBackend : public Backend {
public:
  const char *name() const override { return target; }

  void check(const format::Executable &executable) const override {
    requireSpaces(executable, target, {MemorySpace::Device, MemorySpace::Host});
    for (const format::Kernel &kernel : executable.kernels()) {
      const format::Code &code = executable.codes(int(kernel.code()));
      if (code.target() != target)
        badInput("kernel \"", kernel.symbol(), "\" is code for ",
                 jsonText(code.target()), ", in a program for ",
                 jsonText(target));
      if (!kernel.has_program())
        badInput("kernel \"", kernel.symbol(), "\" has no program");
    }
  }

  Facts describe(const format::Executable &executable) const override {
    check(executable);
    ReferenceCode loads(executable);
    size_t ops = 0;
    for (const format::Kernel &kernel : executable.kernels())
      ops += size_t(kernel.program().ops_size());
    return {
        {"programs", text(executable.kernels_size(), ", of ", ops, " ops")}};
  }

  uint64_t memoryBytes() const override { return machineMemoryBytes(); }

  std::unique_ptr<LoadedCode>
  load(const format::Executable &executable) const override {
    return std::make_unique<ReferenceCode>(executable);
  }
};

} // namespace

const Backend &referenceBackend() {
  static const ReferenceBackend backend;
  return backend;
}

} // namespace zcc::rt
