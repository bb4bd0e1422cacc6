// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Memory/ValuePlaces.h"
#include "llvm/ADT/StringMap.h"
#include <set>

using namespace zcc;

namespace {

class Places {
public:
  Places(const StageTimeline &timeline, MemorySpace memory)
      : timeline(timeline), out(timeline.buffers.size(), -1) {
    llvm::StringMap<size_t> numbers;
    for (size_t i = 0; i < timeline.buffers.size(); ++i) {
      const TimelineBuffer &buffer = timeline.buffers[i];
      if (buffer.space != exec::BufferSpace::Value || buffer.memory != memory ||
          buffer.live.empty())
        continue;
      auto [at, isNew] = numbers.try_emplace(buffer.name, values.size());
      if (isNew)
        values.emplace_back();
      values[at->second].push_back(i);
      microbatches = std::max(microbatches, microbatchOf(i) + 1);
    }
  }

  std::vector<int64_t> run(int64_t most) {
    dist::MeshOp mesh = timeline.mesh;
    int64_t stages = mesh.getStages(), period = std::min(stages, microbatches);
    while (!mayTakeTurns(period))
      period = std::min(period + stages, microbatches);
    bool inTurn = countInTurn(period) <= most;
    for (const Instances &own : values) {
      if (!inTurn)
        shareMost(own);
      else
        for (size_t i : own)
          out[i] = microbatchOf(i) % period;
    }
    return std::move(out);
  }

private:
  using Instances = std::vector<size_t>; // buffers, in the order of their starts

  int64_t microbatchOf(size_t i) const {
    return std::max<int64_t>(timeline.buffers[i].microbatch, 0);
  }
  int64_t startOf(size_t i) const {
    return timeline.buffers[i].live.front().lower;
  }
  int64_t endOf(size_t i) const { return timeline.buffers[i].live.back().upper; }

  int64_t countInTurn(int64_t period) const {
    int64_t count = 0;
    for (const Instances &own : values)
      count += std::min<int64_t>(period, own.size());
    return count;
  }

  /// Returns true if each instance of every value is dead before the next
  /// instance with the same turn begins.
  bool mayTakeTurns(int64_t period) const {
    for (const Instances &own : values) {
      std::vector<int64_t> until(period, 0);
      for (size_t i : own) {
        int64_t &last = until[microbatchOf(i) % period];
        if (last > startOf(i))
          return false;
        last = endOf(i);
      }
    }
    return true;
  }

  /// Colours intervals: an instance takes the first place that is free again.
  /// That is optimal, because the instances come in the order of their starts.
  void shareMost(const Instances &own) {
    std::set<std::pair<int64_t, int64_t>> busy; // end, place
    std::set<int64_t> free;
    for (size_t i : own) {
      while (!busy.empty() && busy.begin()->first <= startOf(i)) {
        free.insert(busy.begin()->second);
        busy.erase(busy.begin());
      }
      if (free.empty())
        free.insert(static_cast<int64_t>(busy.size()));
      out[i] = *free.begin();
      free.erase(free.begin());
      busy.insert({endOf(i), out[i]});
    }
  }

  const StageTimeline &timeline;
  std::vector<Instances> values;
  int64_t microbatches = 1;
  std::vector<int64_t> out;
};

} // namespace

std::vector<int64_t> zcc::placeValues(const StageTimeline &timeline,
                                      MemorySpace memory, int64_t most) {
  return Places(timeline, memory).run(most);
}
