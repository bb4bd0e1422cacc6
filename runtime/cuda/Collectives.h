// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives between ranks of one process that are on GPUs, on the streams of
// these: copies, and sums in the order of the group with the bits of
// runtime/comm/Reduce.h. Nothing goes through memory of the host.

#ifndef ZCC_RUNTIME_CUDA_COLLECTIVES_H
#define ZCC_RUNTIME_CUDA_COLLECTIVES_H

#include "runtime/core/Backend.h"
#include "runtime/cuda/DeviceGroup.h"
#include "runtime/cuda/ExchangePlan.h"

#include <atomic>
#include <functional>
#include <map>

namespace zcc::rt::cuda {

/// The GPU that a rank's device is on, as the driver counts.
using GpuOf = std::function<int(int rank)>;

/// What a rank's collectives take: words of reductions, and for each stream
/// what comes from other GPUs to be added.
ExchangePlan planDeviceExchange(const format::Executable &executable,
                                const Mesh &mesh, int rank, const GpuOf &gpuOf);

/// The groups of a process, and who waits in which.
class DeviceGroups {
public:
  explicit DeviceGroups(int ranks) : places(size_t(ranks)) {}

  std::shared_ptr<DeviceGroup> open(const std::vector<int> &ranks);
  /// The ranks that this one waits for now.
  std::vector<int> awaited(int rank) const;
  /// Where it is; null: in none.
  void setPlace(int rank, const DeviceGroup *group) { places[rank] = group; }

private:
  std::mutex mutex;
  std::map<std::vector<int>, std::shared_ptr<DeviceGroup>> groups;
  std::vector<std::atomic<const DeviceGroup *>> places; // by rank
};

/// What collectives of a rank are done with. All outlive the steps.
struct ExchangeSetting {
  const format::Executable &executable;
  const Gpu &gpu;
  const RankSetting &rank;
  const ExchangePlan &plan;
  DeviceGroups &groups;
  const GpuOf &gpuOf;
};

/// Null if the step is no collective, or reduces what the executable has no
/// kernel for.
std::unique_ptr<Step> createDeviceCollective(const format::Step &step,
                                             const ExchangeSetting &setting);

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_COLLECTIVES_H
