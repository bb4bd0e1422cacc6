// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between stages whose ranks are threads of one process: a copy
// between the places of the send and of the receive, on any two GPUs. It waits
// for an event of each rank's main stream: that the bytes are there, and that
// their place is free. The rank that enqueues second makes the copy. So both
// events were recorded, and a GPU only waits for work that was enqueued before,
// which excludes a circle. Hosts wait only for each other's enqueueing.

#ifndef ZCC_RUNTIME_CUDA_PEERTRANSFERS_H
#define ZCC_RUNTIME_CUDA_PEERTRANSFERS_H

#include "runtime/core/Backend.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/TransferRooms.h"

#include <map>
#include <mutex>
#include <tuple>

namespace zcc::rt::cuda {

/// A message between two ranks that is sent in each step.
struct Crossing;

/// The transfers of one process; several ranks may call it at the same time.
class PeerTransfers {
public:
  explicit PeerTransfers(int ranks);

  /// `device`, this object, and the references in `setting` outlive the result.
  std::unique_ptr<DeviceTransfers> open(const RankSetting &setting,
                                        const Gpu &gpu, CudaDevice &device,
                                        TransferRooms rooms);
  /// The rank that this one waits for now; empty: none.
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
