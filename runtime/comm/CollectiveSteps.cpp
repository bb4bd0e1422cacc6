// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives as steps of a task. A group of one rank is a copy.

#include "runtime/comm/CollectiveSteps.h"

#include "runtime/comm/BoxExchange.h"
#include "runtime/comm/Communicator.h"
#include "runtime/core/Bytes.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

namespace zcc::rt {

namespace {

class Collective : public Step {
public:
  /// All members are of the first one's kind, type, reduction and group.
  Collective(std::vector<const format::CollectiveStep *> steps,
             const Mesh &mesh, int rank, Transport &transport)
      : steps(std::move(steps)), first(*this->steps.front()), mesh(mesh),
        rank(rank), transport(transport), portions(this->steps.size()) {
    for (size_t i = 0; i < portions.size(); ++i) {
      const format::CollectiveStep &step = *this->steps[i];
      reads.push_back(step.source());
      writes.push_back(step.target());
      portions[i].outer = step.outer();
      portions[i].n = step.n();
      portions[i].inner = step.inner();
      portions[i].concat = step.concat() ? int64_t(step.concat()) : 1;
    }
  }

  void initialize() override {
    communicator = transport.open(
        mesh.group(rank, {first.axes().begin(), first.axes().end()}));
  }

  void execute(const Frame &frame) override {
    auto type = static_cast<ElementType>(first.type());
    auto reduction = static_cast<Reduction>(first.reduction());
    for (size_t i = 0; i < portions.size(); ++i) {
      portions[i].source = frame.operands[steps[i]->source()];
      portions[i].target = frame.operands[steps[i]->target()];
    }
    if (communicator->size() == 1) {
      for (const Portion &own : portions)
        if (own.source != own.target)
          copyBytes(own.target, own.source, own.elements() * byteSize(type));
      return;
    }
    switch (first.kind()) {
    case format::CollectiveStep::ALL_REDUCE:
      return communicator->allReduce(type, reduction, portions);
    case format::CollectiveStep::ALL_GATHER:
      return communicator->allGather(type, portions);
    case format::CollectiveStep::REDUCE_SCATTER:
      return communicator->reduceScatter(type, reduction, portions);
    case format::CollectiveStep::ALL_TO_ALL:
      return communicator->allToAll(type, portions);
    case format::CollectiveStep::PERMUTE:
      return communicator->permute(type, portions[0].source, portions[0].target,
                                   portions[0].elements(), first.shift());
    default:
      return;
    }
  }

private:
  const std::vector<const format::CollectiveStep *> steps;
  const format::CollectiveStep &first;
  const Mesh &mesh;
  const int rank;
  Transport &transport;
  std::vector<Portion> portions; // of the run under way
  std::shared_ptr<Communicator> communicator;
};

} // namespace

std::unique_ptr<Step> createCollectiveStep(const format::CollectiveStep &step,
                                           const Mesh &mesh, int rank,
                                           Transport &transport) {
  if (step.kind() == format::CollectiveStep::EXCHANGE_BOXES)
    return createBoxExchange(step, mesh, rank, transport);
  return std::make_unique<Collective>(
      std::vector<const format::CollectiveStep *>{&step}, mesh, rank,
      transport);
}

std::unique_ptr<Step> createBucketStep(const format::CollectiveBucket &bucket,
                                       const Mesh &mesh, int rank,
                                       Transport &transport) {
  std::vector<const format::CollectiveStep *> steps;
  for (const format::CollectiveStep &member : bucket.members())
    steps.push_back(&member);
  return std::make_unique<Collective>(std::move(steps), mesh, rank, transport);
}

} // namespace zcc::rt
