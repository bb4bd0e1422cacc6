// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Memory/StreamLifetimes.h"

#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/Steps.h"

#include <map>
#include <optional>

using namespace mlir;

namespace zcc {

namespace {

using Clock = std::map<int64_t, uint64_t>; // steps, by stream

/// What steps of other streams wait for before anybody has said all of it
/// (zcc-place-events): for steps that they must come after by the memory that
/// they touch, and for the step of the main stream before them.
class ImpliedWaits {
public:
  explicit ImpliedWaits(const StageTimeline &timeline)
      : timeline(timeline), memory(timeline.buffers.size()) {}

  /// Before the step is counted.
  void join(const StageTimeline::Moment &moment, int64_t stream,
            Clock &now) const {
    timeline.forEachAccess(moment,
                           [&](unsigned buffer, exec::BufferOp, bool writes) {
                             const Touched &own = memory[buffer];
                             if (own.writer != stream)
                               add(now, own.written);
                             for (auto &[other, end] : own.read)
                               if (writes && other != stream)
                                 add(now, end);
                           });
    if (stream != 0)
      add(now, lastMain);
  }
  /// `now`: at its end.
  void note(const StageTimeline::Moment &moment, int64_t stream,
            const Clock &now) {
    timeline.forEachAccess(moment,
                           [&](unsigned buffer, exec::BufferOp, bool writes) {
                             if (!writes)
                               memory[buffer].read[stream] = now;
                           });
    timeline.forEachAccess(moment,
                           [&](unsigned buffer, exec::BufferOp, bool writes) {
                             if (writes)
                               memory[buffer] = {stream, now, {}};
                           });
    if (stream == 0)
      lastMain = now;
  }

private:
  struct Touched {
    int64_t writer = 0; // stream
    Clock written;
    std::map<int64_t, Clock> read; // since then, by stream
  };
  static void add(Clock &now, const Clock &other) {
    for (auto [stream, count] : other)
      now[stream] = std::max(now[stream], count);
  }
  const StageTimeline &timeline;
  std::vector<Touched> memory; // by buffer
  Clock lastMain;
};

bool hasWaits(const StageTimeline &timeline) {
  return llvm::any_of(timeline.tasks, [](const TaskInfo &task) {
    return llvm::any_of(task.steps, [](Operation *step) {
      return !exec::getWaits(step).empty();
    });
  });
}

} // namespace

void extendUntilJoined(StageTimeline &timeline) {
  struct Pending {
    uint64_t count; // of its stream's steps
    int64_t tick;
    SmallVector<unsigned, 4> buffers;
  };
  std::map<int64_t, std::vector<Pending>> pending; // by stream, in order
  std::map<int64_t, uint64_t> counts;              // by stream
  std::map<int64_t, Clock> clocks;                 // by stream
  std::optional<ImpliedWaits> implied;
  dist::ScheduleOp table = timeline.table;
  if (!hasWaits(timeline) || table->hasAttr(exec::moreWaitsAttrName))
    implied.emplace(timeline);
  DenseMap<int64_t, Clock> events;
  auto extend = [&](const Pending &own, int64_t until) {
    for (unsigned index : own.buffers) {
      // That of the run: they are in order, one for each.
      std::vector<planning::Interval> &live = timeline.buffers[index].live;
      auto next = llvm::upper_bound(
          live, own.tick, [](int64_t tick, const planning::Interval &other) {
            return tick < other.lower;
          });
      if (next != live.begin() && own.tick < std::prev(next)->upper)
        std::prev(next)->upper = std::max(std::prev(next)->upper, until);
    }
  };
  auto visit = [&](const StageTimeline::Moment &moment) {
    int64_t stream = exec::getStream(moment.op);
    Clock &now = clocks[stream];
    for (int64_t event : exec::getWaits(moment.op))
      for (auto [other, count] : events.lookup(event))
        now[other] = std::max(now[other], count);
    if (implied)
      implied->join(moment, stream, now);
    now[stream] = ++counts[stream];
    if (implied)
      implied->note(moment, stream, now);
    if (auto event = exec::getEvent(moment.op))
      events[*event] = now;
    if (stream == 0) {
      for (auto &[other, waiting] : pending) {
        auto over = llvm::find_if(waiting, [&, other = other](auto &own) {
          return own.count > now[other];
        });
        // A repeat that waits in its turns has begun with what it writes.
        for (auto at = waiting.begin(); at != over; ++at)
          extend(*at, moment.tick + (moment.names ? 1 : 0));
        waiting.erase(waiting.begin(), over);
      }
      return;
    }
    Pending own{counts[stream], moment.tick, {}};
    timeline.forEachAccess(moment, [&](unsigned buffer, exec::BufferOp, bool) {
      if (!timeline.buffers[buffer].fixed)
        own.buffers.push_back(buffer);
    });
    pending[stream].push_back(std::move(own));
  };
  // At its end a step of training waits for everything, as init does.
  auto finish = [&](int64_t end) {
    for (auto &[stream, waiting] : pending)
      for (const Pending &own : waiting)
        extend(own, end);
    pending.clear();
  };
  timeline.forEachMoment(timeline.inits, visit);
  finish(timeline.actions.empty() ? timeline.length
                                  : timeline.actions.front().start);
  timeline.forEachMoment(timeline.actions, visit);
  finish(timeline.length);
}

} // namespace zcc
