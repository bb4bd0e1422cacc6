// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives between processes on GPUs, by NCCL, on the streams of these. Sums
// have NCCL's order: two runs have the same bits, other transports have others.

#ifndef ZCC_RUNTIME_CUDA_NCCLCOLLECTIVES_H
#define ZCC_RUNTIME_CUDA_NCCLCOLLECTIVES_H

#include "runtime/cuda/ExchangePlan.h"
#include "runtime/cuda/NcclRank.h"

namespace zcc::rt::cuda {

/// For each stream: what is packed for a collective, or comes packed.
ExchangePlan planNcclExchange(const format::Executable &executable,
                              const Mesh &mesh, int rank);

/// Null if the step is no collective, or reduces what NCCL does not. All but
/// the plan outlive the steps.
std::unique_ptr<Step> createNcclCollective(const format::Step &step,
                                           const RankSetting &setting,
                                           const ExchangePlan &plan,
                                           std::shared_ptr<NcclRank> nccl);

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_NCCLCOLLECTIVES_H
