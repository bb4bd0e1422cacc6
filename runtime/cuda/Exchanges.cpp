// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Exchanges.h"

#include "runtime/comm/CollectiveSteps.h"
#include "runtime/cuda/NcclCollectives.h"
#include "runtime/cuda/NcclTransfers.h"
#include "runtime/cuda/SharedLibrary.h"
#include "runtime/format/CollectiveText.h"
#include "runtime/format/ElementType.h"
#include "runtime/format/Mesh.h"

namespace zcc::rt::cuda {

Exchanges::Exchanges(const format::Executable &executable,
                     const CudaOptions &options, GpuOf gpuOf, size_t gpus)
    : executable(executable), given(options.collectives),
      ncclFiles(libraryFiles<Nccl>(options.nccl, options.folders)),
      gpuOf(std::move(gpuOf)), gpus(gpus), groups(Mesh(executable).ranks()),
      peers(Mesh(executable).ranks()) {}

Exchanges::~Exchanges() = default;

/// Returns true if the program has any collective.
static bool hasCollectives(const format::Executable &executable) {
  bool any = false;
  for (const format::Stage &stage : executable.stages())
    forEachCollective(stage, [&](const format::Step &) { any = true; });
  return any;
}

static bool hasExchanges(const format::Executable &executable) {
  return executable.stages_size() > 1 || hasCollectives(executable);
}

bool Exchanges::hasNccl(const RankSetting &setting) {
  std::call_once(looksForNccl, [&] {
    try {
      (void)library(true);
      foundNccl = true;
    } catch (const Error &error) {
      if (setting.note)
        setting.note(text("GPUs exchange by copies of their memory, which is "
                          "slower than NCCL: ",
                          error.what()));
    }
  });
  return foundNccl;
}

CudaCollectives Exchanges::choose(const RankSetting &setting) {
  if (given == CudaCollectives::Auto && setting.isProcess)
    return CudaCollectives::Nccl;
  if (given == CudaCollectives::Auto) {
    int ranks = setting.mesh.ranks();
    return ranks > 1 && size_t(ranks) <= gpus && hasExchanges(executable) &&
                   hasNccl(setting)
               ? CudaCollectives::Nccl
               : CudaCollectives::Device;
  }
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

const Nccl &Exchanges::library(bool isTried) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!nccl)
    nccl = std::make_unique<const Nccl>(ncclFiles, isTried);
  return *nccl;
}

ExchangePlan Exchanges::plan(CudaCollectives how, const Mesh &mesh,
                             int rank) const {
  return how == CudaCollectives::Nccl
             ? planNcclExchange(executable, mesh, rank)
             : planDeviceExchange(executable, mesh, rank, gpuOf);
}

size_t Exchanges::bytesOf(const RankSetting &setting, int rank) {
  CudaCollectives how = choose(setting);
  if (how == CudaCollectives::Host || !hasExchanges(executable))
    return 0;
  // Checked before anything is allocated.
  if (how == CudaCollectives::Nccl)
    (void)library();
  return plan(how, setting.mesh, rank).bytes +
         TransferRooms::bytesOf(executable, setting.mesh.stageOf(rank),
                                how == CudaCollectives::Nccl ? trialBytes : 0);
}

namespace {
class NcclMemory : public ArenaSource {
public:
  NcclMemory(const Nccl &library, const RankSetting &setting)
      : library(library), rank(setting.rank), note(setting.note) {}

  DevicePointer allocate(size_t bytes) const override {
    void *at = nullptr;
    nccl::Result code = library.allocate(&at, bytes);
    if (code == nccl::success)
      return hostPointer(at);
    if (note)
      note(text("rank ", rank, ": NCCL gives no memory (",
                library.describe(code, nullptr),
                "), the arena is the driver's"));
    return 0;
  }
  void release(DevicePointer at) const override {
    (void)library.release(reinterpret_cast<void *>(uintptr_t(at)));
  }

private:
  const Nccl &library;
  const int rank;
  const std::function<void(const std::string &)> note;
};
} // namespace

std::unique_ptr<const ArenaSource>
Exchanges::arenaSource(const RankSetting &setting) {
  if (choose(setting) != CudaCollectives::Nccl || !hasExchanges(executable))
    return nullptr;
  const Nccl &opened = library();
  if (opened.allocate && opened.release)
    return std::make_unique<NcclMemory>(opened, setting);
  if (setting.rank == 0 && setting.note)
    setting.note(text("NCCL ", opened.versionText(),
                      " has no memory of its own (2.19 has): arenas are the "
                      "driver's"));
  return nullptr;
}

TransferRooms Exchanges::roomsOf(const RankSetting &setting,
                                 CudaDevice &device) {
  return TransferRooms(device.exchange() +
                       plan(choose(setting), setting.mesh, setting.rank).bytes);
}

std::shared_ptr<NcclRank> Exchanges::ncclOf(const RankSetting &setting,
                                            const Gpu &gpu,
                                            CudaDevice &device) {
  const Nccl &opened = library();
  std::unique_lock<std::mutex> lock(mutex);
  std::shared_ptr<NcclRank> found = ncclRanks[setting.rank].lock();
  if (found)
    return found;
  lock.unlock(); // others open theirs at once
  found = std::make_shared<NcclRank>(opened, gpu, executable, setting);
  found->registerMemory(device.at(0), device.allocatedBytes(), setting);
  device.setWatch([nccl = std::weak_ptr<NcclRank>(found)] {
    if (auto own = nccl.lock())
      own->check();
  });
  lock.lock();
  ncclRanks[setting.rank] = found;
  return found;
}

std::unique_ptr<DeviceTransfers>
Exchanges::openTransfers(const RankSetting &setting, const Gpu &gpu,
                         CudaDevice &device) {
  CudaCollectives how = choose(setting);
  if (how == CudaCollectives::Host || executable.stages_size() == 1)
    return nullptr;
  TransferRooms rooms = roomsOf(setting, device);
  return how == CudaCollectives::Nccl
             ? openNcclTransfers(setting, gpu, device,
                                 ncclOf(setting, gpu, device), rooms)
             : peers.open(setting, gpu, device, rooms);
}

std::vector<int> Exchanges::awaited(int rank) const {
  std::vector<int> ranks = groups.awaited(rank);
  return ranks.empty() ? peers.awaited(rank) : ranks;
}

static const char *reductionText(format::CollectiveStep::Reduction reduction) {
  switch (reduction) {
  case format::CollectiveStep::MAX:
    return "maximum";
  case format::CollectiveStep::MIN:
    return "minimum";
  case format::CollectiveStep::AND:
    return "logical and";
  case format::CollectiveStep::OR:
    return "logical or";
  case format::CollectiveStep::PRODUCT:
    return "product";
  default:
    return "sum";
  }
}

void Exchanges::noteDetour(const RankSetting &setting, const format::Step &step,
                           bool isNccl) {
  // One rank of each stage speaks for all.
  int first = 0;
  while (setting.mesh.stageOf(first) != setting.mesh.stageOf(setting.rank))
    ++first;
  if (!setting.note || first != setting.rank)
    return;
  const format::CollectiveStep &own = *collectiveOf(step);
  std::string message =
      text(describeCollective(executable, step),
           " goes through the host's memory: ",
           isNccl ? "NCCL" : "the executable", " has no ",
           reductionText(own.reduction()), " of ",
           typeName(static_cast<ElementType>(own.type())));
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!noted.insert(message).second)
      return;
  }
  setting.note(message);
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
  if (how == CudaCollectives::Nccl)
    factory.nccl = ncclOf(setting, gpu, device);
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
  if (made && plan)
    parent->noteDetour(*setting, step, nccl != nullptr);
  return made ? stageOnHost(std::move(made), task) : nullptr;
}

} // namespace zcc::rt::cuda
