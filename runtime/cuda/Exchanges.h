// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who does the collectives of ranks on GPUs: the GPUs of the process, NCCL, or
// the host's transport on copies.

#ifndef ZCC_RUNTIME_CUDA_EXCHANGES_H
#define ZCC_RUNTIME_CUDA_EXCHANGES_H

#include "runtime/cuda/Collectives.h"
#include "runtime/cuda/CudaBackend.h"

#include <optional>

namespace zcc::rt::cuda {

class Nccl;
class NcclRank;

/// Of one process; ranks call at once.
class Exchanges {
public:
  /// `gpuOf`: of ranks of this process, which have so many GPUs. References
  /// outlive it.
  Exchanges(const format::Executable &executable, const CudaOptions &options,
            GpuOf gpuOf, size_t gpus);
  ~Exchanges();

  /// Bytes of the GPU's memory that a rank's collectives take beside their
  /// operands. Bad input where the choice does not suit the ranks, or NCCL is
  /// lacking.
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

  /// The ranks that this one waits for in a collective between GPUs.
  std::vector<int> awaited(int rank) const { return groups.awaited(rank); }

private:
  /// What Auto stands for.
  CudaCollectives choose(const RankSetting &setting) const;
  const Nccl &library();
  ExchangePlan plan(CudaCollectives how, const Mesh &mesh, int rank) const;

  const format::Executable &executable;
  const CudaCollectives given;
  const std::string ncclFile;
  const GpuOf gpuOf;
  const size_t gpus;
  DeviceGroups groups;
  std::mutex mutex;
  std::unique_ptr<const Nccl> nccl; // null: not opened yet
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_EXCHANGES_H
