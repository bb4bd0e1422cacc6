// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives between processes on GPUs, by NCCL, on the GPUs' streams. Sums
// have NCCL's order: two runs have the same bits, but other transports may have
// others.

#ifndef ZCC_RUNTIME_CUDA_NCCLCOLLECTIVES_H
#define ZCC_RUNTIME_CUDA_NCCLCOLLECTIVES_H

#include "runtime/cuda/ExchangePlan.h"
#include "runtime/cuda/NcclRank.h"

namespace zcc::rt::cuda {

/// Plans, for each stream, the buffers for data that is packed before or
/// unpacked after a collective.
ExchangePlan planNcclExchange(const format::Executable &executable,
                              const Mesh &mesh, int rank);

/// Null if the step is no collective, or if NCCL lacks its reduction. All
/// references but the plan outlive the steps.
std::unique_ptr<Step> createNcclCollective(const format::Step &step,
                                           const RankSetting &setting,
                                           const ExchangePlan &plan,
                                           std::shared_ptr<NcclRank> nccl);

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_NCCLCOLLECTIVES_H
