// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a GPU that a program's collectives need beside their operands.

#ifndef ZCC_RUNTIME_CUDA_EXCHANGEPLAN_H
#define ZCC_RUNTIME_CUDA_EXCHANGEPLAN_H

#include "runtime/format/executable.pb.h"

#include <functional>
#include <map>
#include <vector>

namespace zcc::rt {
class Mesh;

namespace cuda {

using PortionSteps = std::vector<const format::CollectiveStep *>;

/// Returns the collectives of a step; empty for other steps.
PortionSteps portionsOf(const format::Step &step);
bool reduces(const format::CollectiveStep &step);
std::vector<int> groupOf(const format::CollectiveStep &step, const Mesh &mesh,
                         int rank);
size_t indexIn(const std::vector<int> &group, int rank);

template <typename Visit>
void forEachCollective(const format::Stage &stage, Visit visit) {
  auto list = [&](const auto &steps) {
    for (const format::Step &step : steps)
      if (step.has_collective() || step.has_bucket())
        visit(step);
  };
  auto own = [&](const format::Task &task) {
    list(task.steps());
    for (const format::Step &step : task.steps()) {
      list(step.repeat().body());
      list(step.repeat().between());
    }
  };
  for (const format::Task &task : stage.tasks())
    own(task);
  own(stage.init());
}

struct ExchangePlan {
  /// Bytes that belong to a step, and bytes that it shares with all steps of
  /// its stream.
  struct Need {
    size_t own = 0, shared = 0;
  };
  ExchangePlan(const format::Stage &stage,
               const std::function<Need(const format::Step &)> &needOf);

  size_t bytes = 0;
  std::map<const format::Step *, size_t> words; // offset of a step's own bytes
  std::map<uint32_t, size_t> rooms; // offset of a stream's shared bytes
};

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_EXCHANGEPLAN_H
