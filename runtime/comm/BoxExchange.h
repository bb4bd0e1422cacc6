// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The step that moves a tensor from one sharding to another.

#ifndef ZCC_RUNTIME_COMM_BOXEXCHANGE_H
#define ZCC_RUNTIME_COMM_BOXEXCHANGE_H

#include "runtime/core/Step.h"

#include <memory>

namespace zcc::rt {

namespace format {
class CollectiveStep;
} // namespace format
class Mesh;
struct Shard;
class Transport;

/// The box of the tensor that a rank holds before and after a step of kind
/// EXCHANGE_BOXES. The target box may begin before the tensor.
Shard sourceBox(const format::CollectiveStep &step, const Mesh &mesh, int rank);
Shard targetBox(const format::CollectiveStep &step, const Mesh &mesh, int rank);

/// Makes the step for kind EXCHANGE_BOXES. `step` and `mesh` outlive the
/// result.
std::unique_ptr<Step> createBoxExchange(const format::CollectiveStep &step,
                                        const Mesh &mesh, int rank,
                                        Transport &transport);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_BOXEXCHANGE_H
