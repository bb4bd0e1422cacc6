// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target "cpu": its code is ELF objects for a processor's features, loaded
// once for all ranks of a process.

#include "runtime/cpu/CpuBackend.h"

#include "runtime/comm/CollectiveSteps.h"
#include "runtime/core/Error.h"
#include "runtime/core/Spaces.h"
#include "runtime/cpu/CpuDevice.h"
#include "runtime/cpu/CpuFeatures.h"
#include "runtime/cpu/KernelSteps.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/Cores.h"

namespace zcc::rt {

namespace {

constexpr const char *target = "cpu";

std::vector<std::string> featuresOf(const format::Code &code) {
  return {code.features().begin(), code.features().end()};
}

/// Steps of one rank.
class CpuSteps : public StepFactory {
public:
  CpuSteps(const KernelTable &kernels, const RankSetting &setting)
      : kernels(kernels), setting(setting) {}

  std::unique_ptr<Step> create(const format::Step &step,
                               const format::Task &task) override {
    if (auto kernel = createKernelStep(step, task, kernels, setting))
      return kernel;
    if (auto collective = createCollectiveStep(step, setting.mesh, setting.rank,
                                               setting.transport))
      return collective;
    return createBasicStep(step, task, setting.observer);
  }

private:
  const KernelTable &kernels;
  const RankSetting setting;
};

class CpuCode : public LoadedCode {
public:
  explicit CpuCode(const format::Executable &executable)
      : executable(executable), kernels{executable, {}} {
    for (const format::Code &code : executable.codes())
      objects.push_back(code.target() == target && !code.object().empty()
                            ? std::make_unique<ObjectCode>(code.object())
                            : nullptr);
    for (const format::Kernel &kernel : executable.kernels())
      kernels.functions.push_back(
          objects[kernel.code()]->find(kernel.symbol()));
  }

  std::unique_ptr<Device> makeDevice(const RankSetting &setting) override {
    int stage = setting.mesh.stageOf(setting.rank);
    return std::make_unique<CpuDevice>(arenaSizes(executable.stages(stage)),
                                       setting.pool, setting.cancellation);
  }
  std::unique_ptr<StepFactory> makeSteps(const RankSetting &setting,
                                         Device &) override {
    return std::make_unique<CpuSteps>(kernels, setting);
  }

private:
  const format::Executable &executable;
  std::vector<std::unique_ptr<ObjectCode>> objects; // by code; null elsewhere
  KernelTable kernels;
};

class CpuBackend : public Backend {
public:
  const char *name() const override { return target; }

  void check(const format::Executable &executable) const override {
    checkCode(executable);
    requireSpaces(executable, target, {MemorySpace::Device, MemorySpace::Host});
    for (const format::Code &code : executable.codes()) {
      if (code.target() != target)
        continue;
      std::vector<std::string> lacking = lackingFeatures(featuresOf(code));
      if (!lacking.empty())
        badInput("the executable is compiled for ", code.device(),
                 ", this processor lacks ", listText(lacking));
    }
  }

  Facts describe(const format::Executable &executable) const override {
    checkCode(executable);
    CpuCode loads(executable);
    std::vector<std::string> devices, features;
    for (const format::Code &code : executable.codes()) {
      if (code.target() != target)
        continue;
      devices.push_back(code.device());
      for (const std::string &feature : code.features())
        features.push_back(feature);
    }
    std::vector<std::string> lacking = lackingFeatures(features);
    return {{"compiled for", listText(devices, 1000)},
            {"features", features.empty() ? "none" : listText(features, 1000)},
            {"processor", lacking.empty() ? "has all of them"
                                          : text("lacks ", listText(lacking))}};
  }

  bool looksForNan() const override { return true; }

  uint64_t memoryBytes() const override { return machineMemoryBytes(); }

  std::unique_ptr<LoadedCode>
  load(const format::Executable &executable) const override {
    return std::make_unique<CpuCode>(executable);
  }

private:
  /// Throws bad input unless all kernels are code of this target.
  static void checkCode(const format::Executable &executable) {
    for (const format::Kernel &kernel : executable.kernels()) {
      const format::Code &code = executable.codes(int(kernel.code()));
      if (code.target() != target)
        badInput("kernel \"", kernel.symbol(), "\" is code for ",
                 jsonText(code.target()), ", in a program for ",
                 jsonText(target));
      if (code.object().empty())
        badInput("kernel \"", kernel.symbol(), "\" has no object code");
    }
  }
};

} // namespace

const Backend &cpuBackend() {
  static const CpuBackend backend;
  return backend;
}

} // namespace zcc::rt
