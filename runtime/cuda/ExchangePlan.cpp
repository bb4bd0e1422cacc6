// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/ExchangePlan.h"

#include "runtime/format/Mesh.h"

#include <algorithm>

namespace zcc::rt::cuda {

static size_t alignedRoom(size_t bytes) { return (bytes + 255) / 256 * 256; }

PortionSteps portionsOf(const format::Step &step) {
  PortionSteps portions;
  if (step.has_collective())
    portions.push_back(&step.collective());
  for (const format::CollectiveStep &member : step.bucket().members())
    portions.push_back(&member);
  return portions;
}

bool reduces(const format::CollectiveStep &step) {
  return step.kind() == format::CollectiveStep::ALL_REDUCE ||
         step.kind() == format::CollectiveStep::REDUCE_SCATTER;
}

std::vector<int> groupOf(const format::CollectiveStep &step, const Mesh &mesh,
                         int rank) {
  return mesh.group(rank, {step.axes().begin(), step.axes().end()});
}

size_t indexIn(const std::vector<int> &group, int rank) {
  return size_t(std::find(group.begin(), group.end(), rank) - group.begin());
}

ExchangePlan::ExchangePlan(
    const format::Stage &stage,
    const std::function<Need(const format::Step &)> &needOf) {
  std::map<uint32_t, size_t> shared;
  forEachCollective(stage, [&](const format::Step &step) {
    Need need = needOf(step);
    words.insert({&step, bytes});
    bytes += need.own;
    if (need.shared != 0)
      shared[step.stream()] = std::max(shared[step.stream()], need.shared);
  });
  bytes = alignedRoom(bytes);
  for (auto [stream, room] : shared) {
    rooms[stream] = bytes;
    bytes += alignedRoom(room);
  }
}

} // namespace zcc::rt::cuda
