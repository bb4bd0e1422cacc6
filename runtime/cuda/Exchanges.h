// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how collectives of ranks on GPUs are done: over the memory of the
// process's GPUs, by NCCL, or on copies over the host's transport.

#ifndef ZCC_RUNTIME_CUDA_EXCHANGES_H
#define ZCC_RUNTIME_CUDA_EXCHANGES_H

#include "runtime/cuda/Collectives.h"
#include "runtime/cuda/CudaBackend.h"
#include "runtime/cuda/PeerTransfers.h"

#include <optional>
#include <set>

namespace zcc::rt::cuda {

class Nccl;
class NcclRank;
class TransferRooms;

/// The collectives of one process; several ranks may call it at the same time.
class Exchanges {
public:
  /// `gpuOf` is for ranks of this process, which have `gpus` GPUs. References
  /// outlive it.
  Exchanges(const format::Executable &executable, const CudaOptions &options,
            GpuOf gpuOf, size_t gpus);
  ~Exchanges();

  /// Returns the bytes of the GPU's memory that a rank's collectives and
  /// transfers need beside their operands. Bad input if the choice does not
  /// suit the ranks, or NCCL is missing.
  size_t bytesOf(const RankSetting &setting, int rank);

  /// Makes a rank's collectives. The steps share ownership of what they use.
  class Factory {
  public:
    /// Null if the step is no collective.
    std::unique_ptr<Step> create(const format::Step &step,
                                 const format::Task &task);

  private:
    friend class Exchanges;
    Exchanges *parent = nullptr;
    const Gpu *gpu = nullptr;
    const RankSetting *setting = nullptr;
    std::optional<ExchangePlan> plan; // nothing: through the host
    std::shared_ptr<NcclRank> nccl;   // null: on devices, if there is a plan
  };
  /// Called by all ranks. `setting` outlives the factory.
  Factory open(const RankSetting &setting, const Gpu &gpu, CudaDevice &device);

  /// Returns the allocator of the rank's arena: NCCL, if it is used and can
  /// allocate memory that networks read and write in place. Null: the driver.
  std::unique_ptr<const ArenaSource> arenaSource(const RankSetting &setting);

  /// Opens transfers between stages; null: they go through the host. Called by
  /// all ranks, before open(). The references in `setting` outlive them.
  std::unique_ptr<DeviceTransfers>
  openTransfers(const RankSetting &setting, const Gpu &gpu, CudaDevice &device);

  /// The ranks whose GPU work this rank waits for.
  std::vector<int> awaited(int rank) const;

private:
  /// Returns the choice that Auto stands for. Its first call comes with the
  /// context of a GPU in use.
  CudaCollectives choose(const RankSetting &setting);
  const Nccl &library(bool isTried = false);
  /// Returns true if NCCL begins here; says why if not.
  bool hasNccl(const RankSetting &setting);
  ExchangePlan plan(CudaCollectives how, const Mesh &mesh, int rank) const;
  /// Opened at the first call. It is closed with the last user.
  std::shared_ptr<NcclRank> ncclOf(const RankSetting &setting, const Gpu &gpu,
                                   CudaDevice &device);
  /// Rooms for transfers, behind the memory of collectives.
  TransferRooms roomsOf(const RankSetting &setting, CudaDevice &device);

  const format::Executable &executable;
  const CudaCollectives given;
  const std::vector<std::string> ncclFiles;
  /// Notes that a collective goes through the host against the choice.
  void noteDetour(const RankSetting &setting, const format::Step &step,
                  bool isNccl);

  const GpuOf gpuOf;
  const size_t gpus;
  DeviceGroups groups;
  PeerTransfers peers;
  std::map<int, std::weak_ptr<NcclRank>> ncclRanks; // by rank
  std::mutex mutex;
  std::set<std::string> noted;
  std::unique_ptr<const Nccl> nccl; // null: not opened yet
  std::once_flag looksForNccl;
  bool foundNccl = false;
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_EXCHANGES_H
