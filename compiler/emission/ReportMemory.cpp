// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes memory by category over the timeline of a stage, and the largest
// values at its peak.
#include "compiler/emission/ReportMemory.h"
#include "compiler/emission/NameGroup.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Place.h"
#include "mlir/IR/Threading.h"
#include "passes/Memory/Memory.h"
#include "passes/Memory/Timeline.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>
#include <map>

using namespace mlir;

namespace zcc {

const MemoryReport *findWorst(ArrayRef<MemoryReport> stages) {
  const MemoryReport *out = nullptr;
  for (const MemoryReport &stage : stages)
    if (!out || stage.peak > out->peak)
      out = &stage;
  return out;
}

const MemoryReport *Report::worst() const { return findWorst(stages); }

int64_t Report::mostCallerInputs() const {
  int64_t most = 0;
  for (const MemoryReport &stage : stages)
    most = std::max(most, stage.callerInputs);
  return most;
}

static int64_t &share(MemoryShares &shares, dist::MemoryCategory category) {
  switch (category) {
  case dist::MemoryCategory::Parameters:
    return shares.parameters;
  case dist::MemoryCategory::Gradients:
    return shares.gradients;
  case dist::MemoryCategory::Optimizer:
    return shares.optimizer;
  case dist::MemoryCategory::Residuals:
    return shares.residuals;
  case dist::MemoryCategory::Workspace:
    return shares.workspace;
  case dist::MemoryCategory::Temporary:
    return shares.temporary;
  }
  llvm_unreachable("a category of memory");
}

std::vector<LargeBuffer> findLargest(const StageTimeline &timeline,
                                     int64_t tick, size_t most,
                                     MemorySpace memory) {
  std::vector<unsigned> found;
  for (auto [i, buffer] : llvm::enumerate(timeline.buffers))
    if (buffer.isIn(memory) &&
        llvm::any_of(buffer.live, [&](const planning::Interval &live) {
          return live.lower <= tick && tick < live.upper;
        }))
      found.push_back(i);
  auto larger = [&](unsigned a, unsigned b) {
    int64_t first = timeline.buffers[a].size, second = timeline.buffers[b].size;
    return first != second ? first > second : a < b;
  };
  size_t count = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + count, found.end(), larger);
  found.resize(count);
  // A temporary has no name of its own, so it gets the place of the step that
  // makes it.
  std::map<unsigned, std::string> places;
  for (auto [op, index] : timeline.placed)
    for (Operation *user : op->getUsers()) {
      auto launch = dyn_cast<exec::LaunchOp>(user);
      if (launch && llvm::is_contained(launch.getTargets(), op->getResult(0)))
        if (std::string place = printPlace(launch->getLoc()); !place.empty()) {
          // The result must not depend on the order of the map: the first place
          // by text is taken.
          auto [at, isNew] = places.insert({index, place});
          if (!isNew && place < at->second)
            at->second = place;
        }
    }
  std::vector<LargeBuffer> out;
  for (unsigned index : found) {
    const TimelineBuffer &buffer = timeline.buffers[index];
    std::string name = buffer.label();
    if (auto at = places.find(index);
        at != places.end() && buffer.space != exec::BufferSpace::State)
      name += " (" + at->second + ")";
    out.push_back({index,
                   {name, dist::stringifyMemoryCategory(buffer.category).str(),
                    buffer.size}});
  }
  return out;
}

std::vector<MemoryLevel> readLevels(const StageTimeline &timeline,
                                    MemorySpace memory) {
  struct Event {
    int64_t time;
    bool starts;
    const TimelineBuffer *buffer;
  };
  std::vector<Event> events;
  for (const TimelineBuffer &buffer : timeline.buffers)
    for (const planning::Interval &live : buffer.live) {
      if (!buffer.isIn(memory))
        continue;
      events.push_back({live.lower, true, &buffer});
      events.push_back({live.upper, false, &buffer});
    }
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return a.time != b.time ? a.time < b.time : a.starts < b.starts;
  });
  std::vector<MemoryLevel> out;
  for (const Event &event : events) {
    if (out.empty())
      out.push_back({event.time, {}});
    else if (out.back().tick != event.time)
      out.push_back({event.time, out.back().bytes});
    share(out.back().bytes, event.buffer->category) +=
        event.starts ? event.buffer->size : -event.buffer->size;
  }
  // The last level is that of the end, at which nothing is live.
  if (!out.empty() && out.back().tick >= timeline.length)
    out.pop_back();
  return out;
}

std::vector<LargeValues> groupLargest(ArrayRef<LargeValue> values,
                                      size_t most) {
  // A temporary is "backward/t87 (zoo.py:133)": its number says nothing, but
  // its place does.
  using Key = std::tuple<std::string, std::string, std::string, int64_t>;
  llvm::MapVector<Key, NameGroup, std::map<Key, unsigned>> groups;
  std::map<Key, int64_t> counts; // some names are those of several values
  for (const LargeValue &value : values) {
    auto [name, place] = StringRef(value.name).split(" (");
    Key key{NameGroup::patternOf(name), place.str(), value.category,
            value.bytes};
    groups[key].add(name);
    ++counts[key];
  }
  std::vector<LargeValues> out;
  for (auto &[key, names] : groups) {
    auto &[pattern, place, category, bytes] = key;
    out.push_back({names.text() + (place.empty() ? "" : " (" + place), category,
                   counts[key], bytes * counts[key]});
  }
  llvm::stable_sort(out, [](const LargeValues &a, const LargeValues &b) {
    return a.bytes > b.bytes;
  });
  out.resize(std::min(most, out.size()));
  return out;
}

static MemoryReport readStage(const StageTimeline &timeline,
                              MemoryDetail detail) {
  MemoryReport out;
  int64_t peakTick = 0;
  for (const MemoryLevel &level : readLevels(timeline)) {
    MemoryShares now = level.bytes;
    for (unsigned i = 0; i <= dist::getMaxEnumValForMemoryCategory(); ++i) {
      auto category = static_cast<dist::MemoryCategory>(i);
      int64_t &most = share(out.most, category);
      most = std::max(most, share(now, category));
    }
    if (int64_t live = now.total(); live > out.lowerBound) {
      out.lowerBound = live;
      out.atPeak = now;
      peakTick = level.tick;
    }
  }
  if (detail == MemoryDetail::Largest) {
    for (LargeBuffer &own :
         findLargest(timeline, peakTick, timeline.buffers.size()))
      out.largest.push_back(std::move(own.value));
    constexpr size_t most = 8;
    out.alike = groupLargest(out.largest, most);
    out.largest.resize(std::min(most, out.largest.size()));
  }
  dist::ScheduleOp table = timeline.table;
  out.peak = exec::getArenaBytes(table).value_or(0);
  out.waste = out.peak - out.lowerBound;
  out.callerInputs = exec::getCallerBytes(table);
  for (const MemorySpaceInfo &row : memorySpaces)
    if (row.space != MemorySpace::Device)
      out.most.away[row.space] =
          exec::getArenaBytes(table, row.space).value_or(0);
  return out;
}

FailureOr<std::vector<MemoryReport>> readMemory(ModuleOp module,
                                                MemoryDetail detail) {
  SmallVector<dist::ScheduleOp> tables;
  for (auto table : module.getOps<dist::ScheduleOp>())
    if (exec::getArenaBytes(table))
      tables.push_back(table);
  std::vector<MemoryReport> stages(tables.size());
  if (failed(failableParallelForEachN(
          module.getContext(), 0, tables.size(), [&](size_t i) {
            FailureOr<StageTimeline> timeline =
                StageTimeline::build(module, tables[i]);
            if (succeeded(timeline))
              stages[i] = readStage(*timeline, detail);
            return LogicalResult(timeline);
          })))
    return failure();
  return stages;
}

} // namespace zcc
