// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates the time of one device whose steps are enqueued on streams and wait
// for events. A step begins when its stream is free, the events that it waits
// for are complete (those most recently recorded before it), and the host has
// started it. Links are modelled as streams, too: their transfers run one after
// the other.
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
  double seconds = 0; // if it runs alone
  int64_t stream = 0; // 0: computation
  std::vector<int64_t> waits;
  int64_t event = -1; // none
  bool communicates = false;
  /// For a collective: its group, the part of its seconds that ranks wait for
  /// the last of them, and the bytes that it sends.
  std::vector<AxisGroup> group;
  double skew = 0, sent = 0;
  /// The relative slowdown of computation that runs beside this step.
  double slows = 0;
  /// If `turns` is not 0, the step is a loop that runs `body` so often, and
  /// `between` between two turns: at the end of a turn, or at its beginning if
  /// `ahead`. Each turn waits for the events in `waits`.
  std::vector<TimedStep> body, between;
  int64_t turns = 0;
  bool ahead = false;
};

class StreamClock {
public:
  /// `dispatch` is the seconds that the host needs to start a step. It starts
  /// the first one while the previous training step still runs.
  explicit StreamClock(double dispatch = 0) : dispatch(dispatch) {}

  struct Span {
    double begin = 0, end = 0;
  };
  /// Sums of the time of stream 0 and of other streams, in seconds.
  struct Sums {
    double compute = 0;       // on stream 0, with its slowdown
    double communication = 0; // hidden or not
    double exposed = 0;       // stream 0 communicates, or waits for it
    double host = 0;          // waits for the host to start steps
    double idle = 0;          // waits for other devices (waitUntil())
    double sent = 0;          // bytes
  };

  /// Enqueues a step and returns its span; that of a loop covers all turns.
  /// `visit` is called for each step that is not a loop, as often as it runs
  /// (in the first `mostTurns` turns).
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

  /// Makes stream 0 wait for another device until that time.
  void waitUntil(double seconds);
  /// Makes stream 0 wait for events.
  void waitFor(std::vector<int64_t> waits) {
    TimedStep step;
    step.waits = std::move(waits);
    streams[0].free = waitedFor(step, now());
  }
  /// Records the event on stream 0.
  void record(int64_t event) { events[event] = {now(), nullptr}; }
  /// Stops the host from starting more steps until stream 0 is free, unless
  /// starting a step takes no time.
  void holdHost() {
    if (dispatch > 0)
      host = std::max(host, now());
  }
  /// Counts a transfer that uses no stream of this device.
  void addTransfer(double seconds, double bytes) {
    total.communication += seconds;
    total.sent += bytes;
  }
  /// Makes stream 0 wait for all other streams.
  void join();
  /// Returns the time at which stream 0 is free.
  double now() const { return free(0); }
  double free(int64_t stream) const {
    auto at = streams.find(stream);
    return at == streams.end() ? 0 : at->second.free;
  }
  const Sums &sums() const { return total; }
  /// Returns the seconds that each stream is in use.
  std::map<int64_t, double> busy() const;
  /// Returns the exposed communication of each step: the seconds that stream 0
  /// waits for it, or that it takes on stream 0.
  const std::map<const TimedStep *, double> &exposed() const {
    return exposedBy;
  }

  /// After so many turns of a loop, each turn takes as long as the one before
  /// it.
  static constexpr int64_t mostTurns = 256;

private:
  struct Stream {
    double free = 0, busy = 0;
    std::vector<AxisGroup> met; // the group of its last step
    double metAt = 0;
    // Steps on it that slow down computation, with their slowdown, in order.
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
  /// Returns the time at which all events that a step waits for are complete;
  /// at least `begin`.
  double waitedFor(const TimedStep &step, double begin);
  void expose(const TimedStep *step, double seconds);
  /// Returns the end of computation that begins at `begin` and takes `seconds`
  /// alone.
  double slowed(double begin, double seconds) const;
  /// Repeats all that happened since `before`, `times` more times.
  void repeatSince(const StreamClock &before, int64_t times);

  double dispatch, host = 0;
  std::map<int64_t, Stream> streams;
  std::map<int64_t, Event> events;
  std::map<const TimedStep *, double> exposedBy;
  Sums total;
};

} // namespace zcc::planning

#endif
