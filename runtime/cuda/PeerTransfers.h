// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between stages whose ranks are threads of one process: a copy from
// the place of what is sent to that of what is received, on whichever GPU. It
// waits for an event of either rank's main stream: that the bytes are there,
// that their place is free. The rank that comes second while they enqueue makes
// it, so that both events were recorded, and whatever a GPU waits for was
// enqueued before: no circle. Hosts wait for each other's enqueueing alone.

#ifndef ZCC_RUNTIME_CUDA_PEERTRANSFERS_H
#define ZCC_RUNTIME_CUDA_PEERTRANSFERS_H

#include "runtime/core/Backend.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/TransferRooms.h"

#include <map>
#include <mutex>
#include <tuple>

namespace zcc::rt::cuda {

/// A message of each step, on its way between two ranks.
struct Crossing;

/// Of a process; ranks call at once.
class PeerTransfers {
public:
  explicit PeerTransfers(int ranks);

  /// `device`, this, and what `setting` names outlive the result.
  std::unique_ptr<DeviceTransfers> open(const RankSetting &setting,
                                        const Gpu &gpu, CudaDevice &device,
                                        TransferRooms rooms);
  /// The rank that this one waits for now, or none.
  std::vector<int> awaited(int rank) const;

private:
  class Rank;
  class End;
  std::shared_ptr<Crossing> crossing(int from, int to, uint64_t tag);

  std::mutex mutex;
  std::map<std::tuple<int, int, uint64_t>, std::shared_ptr<Crossing>> crossings;
  std::vector<std::atomic<int>> waitsFor; // by rank; -1: nobody
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_PEERTRANSFERS_H
