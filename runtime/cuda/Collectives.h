// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives between ranks of one process that are on GPUs, on the GPUs'
// streams. They consist of copies, and of sums in the order of the group with
// the bits of runtime/comm/Reduce.h. Nothing goes through memory of the host.

#ifndef ZCC_RUNTIME_CUDA_COLLECTIVES_H
#define ZCC_RUNTIME_CUDA_COLLECTIVES_H

#include "runtime/core/Backend.h"
#include "runtime/cuda/DeviceGroup.h"
#include "runtime/cuda/ExchangePlan.h"

#include <atomic>
#include <functional>
#include <map>

namespace zcc::rt::cuda {

/// Returns the GPU that a rank's device is on, by the driver's number.
using GpuOf = std::function<int(int rank)>;

/// Plans the memory for a rank's collectives: words for its reductions, and for
/// each stream a buffer for operands that come from other GPUs to be added.
ExchangePlan planDeviceExchange(const format::Executable &executable,
                                const Mesh &mesh, int rank, const GpuOf &gpuOf);

/// The groups of a process, and the group that each rank is waiting in.
class DeviceGroups {
public:
  explicit DeviceGroups(int ranks) : places(size_t(ranks)) {}

  std::shared_ptr<DeviceGroup> open(const std::vector<int> &ranks);
  /// The ranks that this one waits for now.
  std::vector<int> awaited(int rank) const;
  /// Records the group that the rank is in; null: none.
  void setPlace(int rank, const DeviceGroup *group) { places[rank] = group; }

private:
  std::mutex mutex;
  std::map<std::vector<int>, std::shared_ptr<DeviceGroup>> groups;
  std::vector<std::atomic<const DeviceGroup *>> places; // by rank
};

/// The surroundings of a rank's collectives. All outlive the steps.
struct ExchangeSetting {
  const format::Executable &executable;
  const Gpu &gpu;
  const RankSetting &rank;
  const ExchangePlan &plan;
  DeviceGroups &groups;
  const GpuOf &gpuOf;
};

/// Null if the step is no collective, or if the executable has no kernel for
/// its reduction.
std::unique_ptr<Step> createDeviceCollective(const format::Step &step,
                                             const ExchangeSetting &setting);

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_COLLECTIVES_H
