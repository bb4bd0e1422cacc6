// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emission/MemoryCurve.h"
#include "compiler/emission/ReportMemory.h"
#include "dialects/Exec/Exec.h"
#include "passes/Memory/Memory.h"
#include "passes/Memory/Timeline.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;

namespace zcc {
namespace {
constexpr size_t mostResidents = 10;
// The width of `init` in the picture, as a share of the step: nothing gives its
// time.
constexpr double initShare = 0.06;

/// Maps ticks of the timeline to the horizontal axis of the curve.
class Clock {
public:
  Clock(const StageTimeline &timeline, const ActionTimes &times,
        double seconds) {
    inSeconds = !timeline.actions.empty() && seconds > 0 &&
                llvm::all_of(timeline.actions, [&](const auto &action) {
                  return times.contains(action.op);
                });
    int64_t first =
        timeline.actions.empty() ? 0 : timeline.actions.front().start;
    double end =
        inSeconds ? seconds : static_cast<double>(timeline.length - first);
    places.assign(timeline.length + 1, end);
    for (int64_t tick = 0; tick < first; ++tick)
      places[tick] = -initShare * end * static_cast<double>(first - tick) /
                     static_cast<double>(first);
    if (!inSeconds) {
      for (int64_t tick = first; tick < timeline.length; ++tick)
        places[tick] = static_cast<double>(tick - first);
      return;
    }
    for (auto [i, action] : llvm::enumerate(timeline.actions)) {
      int64_t next = i + 1 < timeline.actions.size()
                         ? timeline.actions[i + 1].start
                         : timeline.length;
      const std::vector<double> &own = times.find(action.op)->second;
      for (int64_t tick = action.start; tick < next; ++tick)
        if (size_t step = tick - action.start; step < own.size())
          places[tick] = std::min(own[step], end);
        else // a task without steps
          places[tick] = tick > first ? places[tick - 1] : 0;
    }
  }

  double at(int64_t tick) const { return places[tick]; }

  bool inSeconds = false;

private:
  std::vector<double> places; // by tick, and one for the end
};

MemoryCurve::Action describe(const StageTimeline &timeline,
                             const TimelineAction &action) {
  MemoryCurve::Action out;
  auto name = [&](const Twine &text, int64_t microbatch) {
    out.name = (text + " " + Twine(microbatch)).str();
  };
  if (auto run = dyn_cast<dist::RunOp>(action.op)) {
    out.kind = exec::TaskOp(timeline.tasks[action.task].op).getKind();
    name(run.getTask(), run.getMicrobatch());
    if (out.kind == dist::TaskKind::Prologue ||
        out.kind == dist::TaskKind::Epilogue)
      out.name = run.getTask().str();
  } else if (auto send = dyn_cast<dist::SendOp>(action.op)) {
    name("send " + send.getValue(), send.getMicrobatch());
  } else if (auto receive = dyn_cast<dist::ReceiveOp>(action.op)) {
    name("receive " + receive.getValue(), receive.getMicrobatch());
  }
  return out;
}

/// Adds the actions `of`, in order; the last one ends at `end`.
void addActions(const StageTimeline &timeline, const Clock &clock,
                ArrayRef<TimelineAction> of, int64_t end,
                std::vector<MemoryCurve::Action> &out) {
  for (auto [i, action] : llvm::enumerate(of)) {
    MemoryCurve::Action own = describe(timeline, action);
    if (own.name.empty()) {
      own.kind = dist::TaskKind::Init;
      own.name = dist::stringifyTaskKind(*own.kind).str();
    }
    own.begin = clock.at(action.start);
    own.end = clock.at(i + 1 < of.size() ? of[i + 1].start : end);
    out.push_back(std::move(own));
  }
}

std::vector<MemoryCurve::Family> findFamilies(ArrayRef<LargeBuffer> all) {
  std::map<std::pair<std::string, std::string>, MemoryCurve::Family> by;
  for (const LargeBuffer &own : all) {
    const LargeValue &value = own.value;
    MemoryCurve::Family &family = by[{value.category, familyOf(value.name)}];
    family.name = family.count++ ? familyOf(value.name) : value.name;
    family.category = value.category;
    family.bytes += value.bytes;
  }
  std::vector<MemoryCurve::Family> out;
  for (auto &[key, family] : by)
    out.push_back(std::move(family));
  llvm::sort(out, [](const auto &a, const auto &b) {
    return std::tie(b.bytes, a.category, a.name) <
           std::tie(a.bytes, b.category, b.name);
  });
  return out;
}

MemoryCurve readCurve(const StageTimeline &timeline, const Clock &clock,
                      MemorySpace memory) {
  dist::ScheduleOp table = timeline.table;
  MemoryCurve out;
  out.space = memory;
  out.stage = static_cast<int64_t>(table.getStage());
  out.inSeconds = clock.inSeconds;
  out.begin = clock.at(0);
  out.end = clock.at(timeline.length);
  int64_t most = -1, peakTick = 0;
  for (const MemoryLevel &level : readLevels(timeline, memory)) {
    if (int64_t bytes = level.bytes.total(); bytes > most) {
      most = bytes;
      peakTick = level.tick;
      out.peak = out.levels.size();
    }
    out.levels.push_back({clock.at(level.tick), level.bytes});
  }
  out.planned = exec::getArenaBytes(table, memory).value_or(0);
  int64_t first = timeline.actions.empty() ? timeline.length
                                           : timeline.actions.front().start;
  addActions(timeline, clock, timeline.inits, first, out.actions);
  addActions(timeline, clock, timeline.actions, timeline.length, out.actions);
  std::vector<LargeBuffer> all =
      findLargest(timeline, peakTick, timeline.buffers.size(), memory);
  out.families = findFamilies(all);
  all.resize(std::min(all.size(), mostResidents));
  for (LargeBuffer &own : all) {
    MemoryCurve::Resident &resident = out.residents.emplace_back();
    resident.value = std::move(own.value);
    for (const planning::Interval &live : timeline.buffers[own.index].live)
      resident.live.emplace_back(clock.at(live.lower), clock.at(live.upper));
  }
  return out;
}
} // namespace

std::string familyOf(StringRef name) {
  std::string out;
  while (!name.empty()) {
    StringRef digits = name.take_while(llvm::isDigit);
    if (digits.empty()) {
      out += name.front();
      name = name.drop_front();
      continue;
    }
    name = name.drop_front(digits.size());
    StringRef before = out;
    if (before.ends_with("#"))
      out.pop_back();
    else // those after a colon are a line
      out += before.ends_with(":") ? digits.str() : "*";
  }
  return out;
}

FailureOr<std::vector<MemoryCurve>>
readCurves(ModuleOp planned, const ActionTimes &times, double seconds) {
  std::vector<MemoryCurve> out;
  for (auto table : planned.getOps<dist::ScheduleOp>()) {
    if (failed(exec::expectPlanned(table)))
      return failure();
    FailureOr<StageTimeline> timeline = StageTimeline::build(planned, table);
    if (failed(timeline))
      return failure();
    Clock clock(*timeline, times, seconds);
    for (const MemorySpaceInfo &row : memorySpaces)
      if (row.space == MemorySpace::Device ||
          exec::getArenaBytes(table, row.space).value_or(0) > 0)
        out.push_back(readCurve(*timeline, clock, row.space));
  }
  if (out.empty())
    return planned.emitError() << "the module has no dist.schedule";
  return out;
}

} // namespace zcc
