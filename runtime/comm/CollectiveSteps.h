// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives as steps of a task.

#ifndef ZCC_RUNTIME_COMM_COLLECTIVESTEPS_H
#define ZCC_RUNTIME_COMM_COLLECTIVESTEPS_H

#include "runtime/core/Step.h"

namespace zcc::rt {

class Mesh;
class Transport;
namespace format {
class CollectiveBucket;
class CollectiveStep;
} // namespace format

/// `step`, `mesh` and `transport` outlive the result.
std::unique_ptr<Step> createCollectiveStep(const format::CollectiveStep &step,
                                           const Mesh &mesh, int rank,
                                           Transport &transport);
std::unique_ptr<Step> createBucketStep(const format::CollectiveBucket &bucket,
                                       const Mesh &mesh, int rank,
                                       Transport &transport);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_COLLECTIVESTEPS_H
