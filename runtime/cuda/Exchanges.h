// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who does the collectives of ranks on GPUs: the GPUs of the process, NCCL, or
// the host's transport on copies.

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

/// Of one process; ranks call at once.
class Exchanges {
public:
  /// `gpuOf`: of ranks of this process, which have so many GPUs. References
  /// outlive it.
  Exchanges(const format::Executable &executable, const CudaOptions &options,
            GpuOf gpuOf, size_t gpus);
  ~Exchanges();

  /// Bytes of the GPU's memory that a rank's collectives and transfers take
  /// beside their operands. Bad input where the choice does not suit the ranks,
  /// or NCCL is lacking.
  size_t bytesOf(const RankSetting &setting, int rank);

  /// Makes a rank's collectives. Steps keep what they use of it.
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
    std::optional<ExchangePlan> plan; // none: through the host
    std::shared_ptr<NcclRank> nccl;   // null: on devices, if there is a plan
  };
  /// Called by all ranks. `setting` outlives the factory.
  Factory open(const RankSetting &setting, const Gpu &gpu, CudaDevice &device);

  /// Where the arena of the rank comes from: NCCL, where that is used and has
  /// memory that networks take from where it is. Null: the driver.
  std::unique_ptr<const ArenaSource> arenaSource(const RankSetting &setting);

  /// Transfers between stages; null: through the host. Called by all ranks,
  /// before open(). What `setting` names outlives them.
  std::unique_ptr<DeviceTransfers>
  openTransfers(const RankSetting &setting, const Gpu &gpu, CudaDevice &device);

  /// The ranks that this one waits for between GPUs.
  std::vector<int> awaited(int rank) const;

private:
  /// What Auto stands for.
  CudaCollectives choose(const RankSetting &setting) const;
  const Nccl &library();
  ExchangePlan plan(CudaCollectives how, const Mesh &mesh, int rank) const;
  /// Opened by who asks first. It goes with those who use it.
  std::shared_ptr<NcclRank> ncclOf(const RankSetting &setting, const Gpu &gpu,
                                   CudaDevice &device);
  /// Behind what collectives take.
  TransferRooms roomsOf(const RankSetting &setting, CudaDevice &device) const;

  const format::Executable &executable;
  const CudaCollectives given;
  const std::string ncclFile;
  /// Says that a collective goes through the host though it was not meant to.
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
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_EXCHANGES_H
