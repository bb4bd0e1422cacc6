// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Memory/StreamLifetimes.h"

#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/Steps.h"

#include <optional>

using namespace mlir;

namespace zcc {

namespace {

/// The number of steps of each stream that have ended.
using Clock = SmallVector<uint64_t, 4>;

void advance(Clock &now, ArrayRef<uint64_t> other) {
  if (now.size() < other.size())
    now.resize(other.size(), 0);
  for (auto [own, count] : llvm::zip(now, other))
    own = std::max(own, count);
}

/// The clocks at the ends of steps.
class Ends {
public:
  unsigned add(const Clock &now) {
    counts.insert(counts.end(), now.begin(), now.end());
    ends.push_back(counts.size());
    return ends.size() - 1;
  }
  ArrayRef<uint64_t> of(unsigned step) const {
    size_t begin = step == 0 ? 0 : ends[step - 1];
    return ArrayRef(counts).slice(begin, ends[step] - begin);
  }

private:
  std::vector<uint64_t> counts;
  std::vector<size_t> ends;
};

struct Access {
  unsigned buffer;
  bool writes;
};

/// The waits of steps of other streams that zcc-place-events has not written
/// yet: for the steps that must come before them by the memory that they use,
/// and for the step of the main stream before them.
class ImpliedWaits {
public:
  ImpliedWaits(size_t buffers, const Ends &ends)
      : ends(ends), memory(buffers) {}

  /// Adds the waits of a step to its clock, before the step is counted.
  void join(ArrayRef<Access> accesses, unsigned stream, Clock &now) const {
    for (auto [buffer, writes] : accesses) {
      const Touched &own = memory[buffer];
      if (own.writer && own.writer->stream != stream)
        advance(now, ends.of(own.writer->step));
      for (auto [other, step] : own.readers)
        if (writes && other != stream)
          advance(now, ends.of(step));
    }
    if (stream != 0 && lastMain)
      advance(now, ends.of(*lastMain));
  }
  void note(ArrayRef<Access> accesses, unsigned stream, unsigned step) {
    for (auto [buffer, writes] : accesses) {
      SmallVectorImpl<Toucher> &readers = memory[buffer].readers;
      if (writes)
        continue;
      llvm::erase_if(readers,
                     [&](const Toucher &own) { return own.stream == stream; });
      readers.push_back({stream, step});
    }
    for (auto [buffer, writes] : accesses)
      if (writes)
        memory[buffer] = {Toucher{stream, step}, {}};
    if (stream == 0)
      lastMain = step;
  }

private:
  struct Toucher {
    unsigned stream, step;
  };
  struct Touched {
    std::optional<Toucher> writer;
    // The last reader of each stream since that write.
    SmallVector<Toucher, 2> readers;
  };
  const Ends &ends;
  std::vector<Touched> memory; // by buffer
  std::optional<unsigned> lastMain;
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
    uint64_t count; // the step's number in its stream
    int64_t tick;
    SmallVector<unsigned, 4> buffers;
  };
  struct Stream {
    std::vector<Pending> pending; // in order
    uint64_t count = 0;           // steps so far
    Clock clock;
  };
  // The first stream is the main one; the others come in the order of their
  // first steps.
  std::vector<Stream> streams(1);
  DenseMap<int64_t, unsigned> numbers = {{0, 0}};
  Ends ends;
  std::optional<ImpliedWaits> implied;
  dist::ScheduleOp table = timeline.table;
  bool saysWaits = hasWaits(timeline);
  if (!saysWaits || table->hasAttr(exec::moreWaitsAttrName))
    implied.emplace(timeline.buffers.size(), ends);
  DenseMap<int64_t, unsigned> events; // steps
  auto extend = [&](const Pending &own, int64_t until) {
    for (unsigned index : own.buffers) {
      // This finds the live range at the step's tick: they are in order and
      // disjoint.
      std::vector<planning::Interval> &live = timeline.buffers[index].live;
      auto next = llvm::upper_bound(
          live, own.tick, [](int64_t tick, const planning::Interval &other) {
            return tick < other.lower;
          });
      if (next != live.begin() && own.tick < std::prev(next)->upper)
        std::prev(next)->upper = std::max(std::prev(next)->upper, until);
    }
  };
  SmallVector<Access> accesses;
  auto visit = [&](const StageTimeline::Moment &moment) {
    auto [known, isNew] =
        numbers.insert({exec::getStream(moment.op), streams.size()});
    unsigned stream = known->second;
    if (isNew)
      streams.emplace_back();
    if (implied || stream != 0) {
      accesses.clear();
      timeline.forEachAccess(moment,
                             [&](unsigned buffer, exec::BufferOp, bool writes) {
                               accesses.push_back({buffer, writes});
                             });
    }
    Clock &now = streams[stream].clock;
    if (saysWaits)
      for (int64_t event : exec::getWaits(moment.op))
        if (auto step = events.find(event); step != events.end())
          advance(now, ends.of(step->second));
    if (implied)
      implied->join(accesses, stream, now);
    if (now.size() <= stream)
      now.resize(stream + 1, 0);
    now[stream] = ++streams[stream].count;
    std::optional<int64_t> event =
        saysWaits ? exec::getEvent(moment.op) : std::nullopt;
    if (implied || event) {
      unsigned step = ends.add(now);
      if (implied)
        implied->note(accesses, stream, step);
      if (event)
        events[*event] = step;
    }
    if (stream == 0) {
      for (unsigned other = 1; other < now.size(); ++other) {
        std::vector<Pending> &waiting = streams[other].pending;
        auto over = llvm::find_if(waiting, [&](const Pending &own) {
          return own.count > now[other];
        });
        // A repeat that waits in its turns has begun to write by then.
        for (auto at = waiting.begin(); at != over; ++at)
          extend(*at, moment.tick + (moment.names ? 1 : 0));
        waiting.erase(waiting.begin(), over);
      }
      return;
    }
    Pending own{streams[stream].count, moment.tick, {}};
    for (const Access &access : accesses)
      if (!timeline.buffers[access.buffer].fixed)
        own.buffers.push_back(access.buffer);
    streams[stream].pending.push_back(std::move(own));
  };
  // At its end a step of training waits for all steps, and so does init.
  auto finish = [&](int64_t end) {
    for (Stream &stream : streams) {
      for (const Pending &own : stream.pending)
        extend(own, end);
      stream.pending.clear();
    }
  };
  timeline.forEachMoment(timeline.inits, visit);
  finish(timeline.actions.empty() ? timeline.length
                                  : timeline.actions.front().start);
  timeline.forEachMoment(timeline.actions, visit);
  finish(timeline.length);
}

} // namespace zcc
