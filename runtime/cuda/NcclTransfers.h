// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between stages whose ranks are processes, by ncclSend and ncclRecv
// from and to the places that were planned. A lane has a communicator of its
// two ranks and a stream on either side, on which one sends and one receives,
// in the lane's order: so a receive may be enqueued long before it is sent, and
// what goes the other way is not held up.

#ifndef ZCC_RUNTIME_CUDA_NCCLTRANSFERS_H
#define ZCC_RUNTIME_CUDA_NCCLTRANSFERS_H

#include "runtime/cuda/NcclRank.h"
#include "runtime/cuda/TransferRooms.h"

namespace zcc::rt::cuda {

/// What lanes try each other with, of a rank's rooms.
constexpr size_t trialBytes = 1;

/// Tries each lane with a byte, as the library connects two ranks when both
/// first call, and the caller waits: called by all ranks. `device` and
/// what `setting` names outlive the result.
std::unique_ptr<DeviceTransfers>
openNcclTransfers(const RankSetting &setting, const Gpu &gpu,
                  CudaDevice &device, std::shared_ptr<NcclRank> nccl,
                  TransferRooms rooms);

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_NCCLTRANSFERS_H
