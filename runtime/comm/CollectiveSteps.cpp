// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives as steps of a task. A group of one rank is a copy.

#include "runtime/comm/CollectiveSteps.h"

#include "runtime/comm/BoxExchange.h"
#include "runtime/comm/Exchange.h"
#include "runtime/core/Bytes.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt {

namespace {

class Collective : public Step {
public:
  /// All members have the first one's kind, type, reduction and group.
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
      auto rows = [](const format::CollectiveStep::Rows &own) {
        return PortionRows{int64_t(own.begin()), int64_t(own.pitch())};
      };
      portions[i].sourceRows = rows(step.source_rows());
      portions[i].targetRows = rows(step.target_rows());
    }
  }

  bool isHostWork() const override { return true; }

  void initialize() override {
    communicator = transport.open(
        mesh.group(rank, {first.axes().begin(), first.axes().end()}));
  }

  void execute(const Frame &frame) override {
    auto type = static_cast<ElementType>(first.type());
    auto reduction = static_cast<Reduction>(first.reduction());
    for (size_t i = 0; i < portions.size(); ++i) {
      portions[i].source = frame.operands[steps[i]->source()].host();
      portions[i].target = frame.operands[steps[i]->target()].host();
    }
    if (communicator->size() == 1) {
      for (const Portion &own : portions)
        if (first.kind() == format::CollectiveStep::ALL_TO_ALL)
          copyRegion(blockFrom(own, byteSize(type), 1, 0),
                     blockTo(own, byteSize(type), 1, 0));
        else if (own.source != own.target)
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

/// Runs a step on copies of its operands. Operands that it writes are copied
/// out, too, since it may leave parts of them as they are.
class Staged : public Step {
public:
  Staged(std::unique_ptr<Step> step, const format::Task &task)
      : inner(std::move(step)), operands(task.operands_size()) {
    reads = inner->reads;
    writes = inner->writes;
    used = reads;
    used.insert(used.end(), writes.begin(), writes.end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (uint32_t operand : used)
      copies.emplace_back(task.operands(int(operand)).size());
    for (size_t i = 0; i < used.size(); ++i)
      operands[used[i]] = Address::ofHost(copies[i].data());
  }

  bool isHostWork() const override { return true; }
  void prepare(ResourceRequest &request) override { inner->prepare(request); }
  void initialize() override { inner->initialize(); }

  void execute(const Frame &frame) override {
    Device &device = frame.device;
    for (size_t i = 0; i < used.size(); ++i)
      device.readNow(copies[i].data(), frame.operands[used[i]],
                     copies[i].size());
    Frame onHost = frame;
    onHost.operands = operands.data();
    inner->execute(onHost);
    for (size_t i = 0; i < used.size(); ++i)
      if (std::find(writes.begin(), writes.end(), used[i]) != writes.end())
        device.writeNow(frame.operands[used[i]], copies[i].data(),
                        copies[i].size());
  }

private:
  std::unique_ptr<Step> inner;
  std::vector<uint32_t> used; // operands, ascending
  std::vector<std::vector<char>> copies;
  std::vector<Address> operands; // as the inner step names them
};

} // namespace

std::unique_ptr<Step> createCollectiveStep(const format::Step &step,
                                           const Mesh &mesh, int rank,
                                           Transport &transport) {
  std::vector<const format::CollectiveStep *> steps;
  if (step.has_bucket())
    for (const format::CollectiveStep &member : step.bucket().members())
      steps.push_back(&member);
  else if (step.has_collective())
    steps = {&step.collective()};
  else
    return nullptr;
  if (steps.front()->kind() == format::CollectiveStep::EXCHANGE_BOXES)
    return createBoxExchange(*steps.front(), mesh, rank, transport);
  return std::make_unique<Collective>(std::move(steps), mesh, rank, transport);
}

std::unique_ptr<Step> stageOnHost(std::unique_ptr<Step> step,
                                  const format::Task &task) {
  return std::make_unique<Staged>(std::move(step), task);
}

} // namespace zcc::rt
