// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Exchanges.h"

#include "runtime/comm/CollectiveSteps.h"
#include "runtime/cuda/NcclCollectives.h"
#include "runtime/format/Mesh.h"

namespace zcc::rt::cuda {

Exchanges::Exchanges(const format::Executable &executable,
                     const CudaOptions &options, GpuOf gpuOf, size_t gpus)
    : executable(executable), given(options.collectives),
      ncclFile(options.nccl), gpuOf(std::move(gpuOf)), gpus(gpus),
      groups(Mesh(executable).ranks()) {}

Exchanges::~Exchanges() = default;

CudaCollectives Exchanges::choose(const RankSetting &setting) const {
  if (given == CudaCollectives::Auto)
    return setting.isProcess ? CudaCollectives::Nccl : CudaCollectives::Device;
  if (given == CudaCollectives::Device && setting.isProcess)
    badInput("--collectives device is for ranks of one process, these are "
             "processes of their own; expected nccl or host");
  if (given == CudaCollectives::Nccl && !setting.isProcess &&
      size_t(setting.mesh.ranks()) > gpus)
    badInput("--collectives nccl: ", setting.mesh.ranks(), " ranks on ", gpus,
             gpus == 1 ? " GPU" : " GPUs",
             ", expected one for each; device and host let ranks share one");
  return given;
}

const Nccl &Exchanges::library() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!nccl)
    nccl = std::make_unique<const Nccl>(ncclFile);
  return *nccl;
}

ExchangePlan Exchanges::plan(CudaCollectives how, const Mesh &mesh,
                             int rank) const {
  return how == CudaCollectives::Nccl
             ? planNcclExchange(executable, mesh, rank)
             : planDeviceExchange(executable, mesh, rank, gpuOf);
}

/// Whether there is anything to exchange.
static bool hasCollectives(const format::Executable &executable) {
  bool any = false;
  for (const format::Stage &stage : executable.stages())
    forEachCollective(stage, [&](const format::Step &) { any = true; });
  return any;
}

size_t Exchanges::bytesOf(const RankSetting &setting, int rank) {
  CudaCollectives how = choose(setting);
  if (how == CudaCollectives::Host || !hasCollectives(executable))
    return 0;
  // Before anything is taken.
  if (how == CudaCollectives::Nccl)
    (void)library();
  return plan(how, setting.mesh, rank).bytes;
}

Exchanges::Factory Exchanges::open(const RankSetting &setting, const Gpu &gpu,
                                   CudaDevice &device) {
  Factory factory;
  factory.parent = this;
  factory.gpu = &gpu;
  factory.setting = &setting;
  CudaCollectives how = choose(setting);
  if (how == CudaCollectives::Host || !hasCollectives(executable))
    return factory;
  factory.plan = plan(how, setting.mesh, setting.rank);
  if (how == CudaCollectives::Nccl) {
    factory.nccl =
        std::make_shared<NcclRank>(library(), gpu, executable, setting);
    device.setWatch([nccl = std::weak_ptr<NcclRank>(factory.nccl)] {
      if (auto own = nccl.lock())
        own->check();
    });
  }
  return factory;
}

std::unique_ptr<Step> Exchanges::Factory::create(const format::Step &step,
                                                 const format::Task &task) {
  std::unique_ptr<Step> made;
  if (nccl)
    made = createNcclCollective(step, *setting, *plan, nccl);
  else if (plan)
    made = createDeviceCollective(step, {parent->executable, *gpu, *setting,
                                         *plan, parent->groups, parent->gpuOf});
  if (made)
    return made;
  made = createCollectiveStep(step, setting->mesh, setting->rank,
                              setting->transport);
  return made ? stageOnHost(std::move(made), task) : nullptr;
}

} // namespace zcc::rt::cuda
