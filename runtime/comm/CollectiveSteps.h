// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives as steps of a task, over transports between memory of the host.

#ifndef ZCC_RUNTIME_COMM_COLLECTIVESTEPS_H
#define ZCC_RUNTIME_COMM_COLLECTIVESTEPS_H

#include "runtime/core/Step.h"

namespace zcc::rt {

class Mesh;
class Transport;

/// Null if the step is no collective. It runs at once, on operands in memory of
/// the host that nothing else uses. `step`, `mesh` and `transport` outlive the
/// result.
std::unique_ptr<Step> createCollectiveStep(const format::Step &step,
                                           const Mesh &mesh, int rank,
                                           Transport &transport);

/// The same for a device whose memory the host cannot address: operands are
/// copied out, `step` runs on the copies, and what it writes is copied in.
/// `task` outlives the result.
std::unique_ptr<Step> stageOnHost(std::unique_ptr<Step> step,
                                  const format::Task &task);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_COLLECTIVESTEPS_H
