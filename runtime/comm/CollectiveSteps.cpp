// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives as steps of a task. A group of one rank is a copy.

#include "runtime/comm/CollectiveSteps.h"

#include "runtime/comm/BoxExchange.h"
#include "runtime/comm/Communicator.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <cstring>

namespace zcc::rt {

namespace {

class Collective : public Step {
public:
  Collective(const format::CollectiveStep &step, const Mesh &mesh, int rank,
             Transport &transport)
      : step(step), mesh(mesh), rank(rank), transport(transport) {
    reads = {step.source()};
    writes = {step.target()};
  }

  void initialize() override {
    communicator = transport.open(
        mesh.group(rank, {step.axes().begin(), step.axes().end()}));
  }

  void execute(const Frame &frame) override {
    const void *source = frame.operands[step.source()];
    void *target = frame.operands[step.target()];
    auto type = static_cast<ElementType>(step.type());
    auto reduction = static_cast<Reduction>(step.reduction());
    int64_t outer = step.outer(), n = step.n(), inner = step.inner();
    if (communicator->size() == 1) {
      if (source != target)
        std::memcpy(target, source, outer * n * inner * byteSize(type));
      return;
    }
    switch (step.kind()) {
    case format::CollectiveStep::ALL_REDUCE:
      return communicator->allReduce(type, reduction, source, target, n);
    case format::CollectiveStep::ALL_GATHER:
      return communicator->allGather(type, source, target, outer, n, inner);
    case format::CollectiveStep::REDUCE_SCATTER:
      return communicator->reduceScatter(type, reduction, source, target, outer,
                                         n, inner);
    case format::CollectiveStep::ALL_TO_ALL:
      return communicator->allToAll(type, source, target, outer, n, inner,
                                    step.concat() ? int64_t(step.concat()) : 1);
    case format::CollectiveStep::PERMUTE:
      return communicator->permute(type, source, target, outer * n * inner,
                                   step.shift());
    default:
      return;
    }
  }

private:
  const format::CollectiveStep &step;
  const Mesh &mesh;
  const int rank;
  Transport &transport;
  std::shared_ptr<Communicator> communicator;
};

} // namespace

std::unique_ptr<Step> createCollectiveStep(const format::CollectiveStep &step,
                                           const Mesh &mesh, int rank,
                                           Transport &transport) {
  if (step.kind() == format::CollectiveStep::EXCHANGE_BOXES)
    return createBoxExchange(step, mesh, rank, transport);
  return std::make_unique<Collective>(step, mesh, rank, transport);
}

} // namespace zcc::rt
