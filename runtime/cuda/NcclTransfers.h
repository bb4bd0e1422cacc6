// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between stages whose ranks are processes, by ncclSend and ncclRecv
// from and to the planned places. A lane has a communicator of its two ranks
// and a stream on each side. One side sends and the other receives, in the
// lane's order. So a receive may be enqueued long before the send, and messages
// in the other direction are not held up.

#ifndef ZCC_RUNTIME_CUDA_NCCLTRANSFERS_H
#define ZCC_RUNTIME_CUDA_NCCLTRANSFERS_H

#include "runtime/cuda/NcclRank.h"
#include "runtime/cuda/TransferRooms.h"

namespace zcc::rt::cuda {

/// Bytes of a rank's rooms that lanes are tried with.
constexpr size_t trialBytes = 1;

/// Opens the transfers. Called by all ranks. Sends one byte through each lane,
/// since the library connects two ranks at their first call, and the caller
/// waits for that. `device` and the references in `setting` outlive the result.
std::unique_ptr<DeviceTransfers>
openNcclTransfers(const RankSetting &setting, const Gpu &gpu,
                  CudaDevice &device, std::shared_ptr<NcclRank> nccl,
                  TransferRooms rooms);

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_NCCLTRANSFERS_H
