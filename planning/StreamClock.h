// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock of one device whose steps run on streams and wait for events, as
// they are enqueued: a step begins when its stream is free, what was last
// enqueued as the events that it waits for is done, and the host has started
// it. Links are streams too: what is on one of them is in turn there.
#ifndef ZCC_PLANNING_STREAMCLOCK_H
#define ZCC_PLANNING_STREAMCLOCK_H

#include "planning/Collective.h"
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace zcc::planning {

struct TimedStep {
  double seconds = 0; // alone
  int64_t stream = 0; // 0: computation
  std::vector<int64_t> waits;
  int64_t event = -1; // none
  bool communicates = false;
  /// Of a collective: who meets, the part of its seconds that they wait for
  /// the last of them, and bytes that are sent.
  std::vector<AxisGroup> group;
  double skew = 0, sent = 0;
  /// By what share computation is slower while this runs beside it.
  double slows = 0;
  /// If it has a body it is this, as often as `turns` says; between two turns
  /// what stands in `between`, which a turn begins with if it goes `ahead`.
  /// Waits are those of every turn.
  std::vector<TimedStep> body, between;
  int64_t turns = 0;
  bool ahead = false;
};

class StreamClock {
public:
  /// Seconds that the host needs to start a step; it starts the first one while
  /// the step of training before still runs.
  explicit StreamClock(double dispatch = 0) : dispatch(dispatch) {}

  struct Span {
    double begin = 0, end = 0;
  };
  /// What became of the time of stream 0 and of others. Sums, seconds.
  struct Sums {
    double compute = 0;       // stream 0, and what slows it down
    double communication = 0; // hidden or not
    double exposed = 0;       // stream 0 communicates, or waits for it
    double host = 0;          // waits for the host to start steps
    double idle = 0;          // waits for what waitUntil() says
    double sent = 0;          // bytes
  };

  /// Enqueues a step. Of a repeated one, the span of all of it. `visit`, if
  /// given, is called for each step that is not repeated, as often as it runs
  /// (the first `mostTurns` turns).
  template <typename Visit> Span play(const TimedStep &step, Visit &&visit) {
    if (step.turns == 0) {
      Span span = enqueue(step);
      visit(step, span);
      return span;
    }
    Span all{std::numeric_limits<double>::infinity(), 0};
    auto playTurn = [&](bool isLast) {
      streams[0].free = waitedFor(step, now());
      if (step.ahead && !isLast)
        playAll(step.between, all, visit);
      playAll(step.body, all, visit);
      if (!step.ahead && !isLast)
        playAll(step.between, all, visit);
    };
    bool isLong = step.turns > mostTurns;
    int64_t played = isLong ? mostTurns : step.turns;
    for (int64_t turn = 0; turn < played; ++turn) {
      std::optional<StreamClock> before;
      if (isLong && turn + 1 == played)
        before.emplace(*this);
      playTurn(turn + 1 == step.turns);
      if (before) {
        repeatSince(*before, step.turns - played - 1);
        playTurn(true);
      }
    }
    all.end = all.end > now() ? all.end : now();
    if (step.event >= 0)
      events[step.event] = {now(), &step};
    return all;
  }
  Span play(const TimedStep &step) {
    return play(step, [](const TimedStep &, Span) {});
  }

  /// Stream 0 waits until then, for another device.
  void waitUntil(double seconds);
  /// The event is where stream 0 is now.
  void record(int64_t event) { events[event] = {now(), nullptr}; }
  /// A host that needs time to start steps starts no more of them until stream
  /// 0 is free.
  void holdHost() {
    if (dispatch > 0)
      host = std::max(host, now());
  }
  /// What a link does by itself, without a stream of this device.
  void addTransfer(double seconds, double bytes) {
    total.communication += seconds;
    total.sent += bytes;
  }
  /// Stream 0 waits for all others.
  void join();
  /// When stream 0 is free.
  double now() const { return free(0); }
  double free(int64_t stream) const {
    auto at = streams.find(stream);
    return at == streams.end() ? 0 : at->second.free;
  }
  const Sums &sums() const { return total; }
  /// Seconds that a stream is in use, by stream.
  std::map<int64_t, double> busy() const;
  /// Seconds that stream 0 waits for a step, or that a step on it communicates:
  /// what is not hidden, by the step.
  const std::map<const TimedStep *, double> &exposed() const {
    return exposedBy;
  }

  /// Of a long repetition a turn takes as long as the one before it.
  static constexpr int64_t mostTurns = 256;

private:
  struct Stream {
    double free = 0, busy = 0;
    std::vector<AxisGroup> met; // by its last step
    double metAt = 0;
    // What last ran on it beside others; the latest last.
    std::vector<std::pair<Span, double>> slowing;
    const TimedStep *last = nullptr;
  };
  struct Event {
    double end = 0;
    const TimedStep *step = nullptr;
  };

  template <typename Visit>
  void playAll(const std::vector<TimedStep> &steps, Span &all, Visit &visit) {
    for (const TimedStep &one : steps) {
      Span span = play(one, visit);
      all.begin = span.begin < all.begin ? span.begin : all.begin;
      all.end = span.end > all.end ? span.end : all.end;
    }
  }
  Span enqueue(const TimedStep &step);
  /// When all that a step waits for is done, at the earliest then.
  double waitedFor(const TimedStep &step, double begin);
  void expose(const TimedStep *step, double seconds);
  /// When computation that begins then and takes so long alone is done.
  double slowed(double begin, double seconds) const;
  /// All that happened since, so many times more.
  void repeatSince(const StreamClock &before, int64_t times);

  double dispatch, host = 0;
  std::map<int64_t, Stream> streams;
  std::map<int64_t, Event> events;
  std::map<const TimedStep *, double> exposedBy;
  Sums total;
};

} // namespace zcc::planning

#endif
