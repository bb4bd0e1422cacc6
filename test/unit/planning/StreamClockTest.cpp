// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock of a device with streams, with results computed by hand: waits,
// links in turn, exposed times and their causes, the host, slowed computation,
// repetitions.
#include "planning/StreamClock.h"
#include "gtest/gtest.h"

using namespace zcc::planning;

namespace {

TimedStep kernel(double seconds, std::vector<int64_t> waits = {},
                 int64_t event = -1) {
  TimedStep step;
  step.seconds = seconds;
  step.waits = std::move(waits);
  step.event = event;
  return step;
}

TimedStep collective(double seconds, int64_t stream,
                     std::vector<int64_t> waits = {}, int64_t event = -1) {
  TimedStep step = kernel(seconds, std::move(waits), event);
  step.stream = stream;
  step.communicates = true;
  step.group = {{2, 1}};
  step.sent = 8;
  return step;
}

TEST(StreamClock, AStepWaitsForItsStreamAndItsEvents) {
  StreamClock clock;
  TimedStep first = kernel(1, {}, 0), sum = collective(3, 1, {0}, 1),
            second = kernel(1), third = kernel(1, {1}), late = kernel(1, {7});
  clock.play(first);
  EXPECT_EQ(clock.play(sum).begin, 1);
  EXPECT_EQ(clock.play(second).begin, 1); // beside it
  EXPECT_EQ(clock.play(third).begin, 4);
  EXPECT_EQ(clock.play(late).begin, 5); // nothing was enqueued as event 7
  EXPECT_EQ(clock.now(), 6);
  EXPECT_EQ(clock.sums().compute, 4);
  EXPECT_EQ(clock.sums().communication, 3);
  EXPECT_EQ(clock.sums().exposed, 2); // of three seconds one was hidden
  EXPECT_EQ(clock.sums().sent, 8);
  ASSERT_EQ(clock.exposed().size(), 1U);
  EXPECT_EQ(clock.exposed().begin()->first, &sum);
  EXPECT_EQ(clock.busy().at(1), 3);
}

TEST(StreamClock, AnEventMayBeWhereTheMainStreamIs) {
  StreamClock clock;
  clock.waitUntil(5); // for a receive
  clock.record(0);
  TimedStep sum = collective(3, 1, {0}), before = collective(1, 2);
  EXPECT_EQ(clock.play(sum).begin, 5);
  EXPECT_EQ(clock.play(before).begin, 0);
}

TEST(StreamClock, ATransferMayWaitForACollective) {
  StreamClock clock;
  TimedStep sum = collective(3, 1, {}, 0);
  clock.play(sum);
  clock.waitFor({0, 7}); // nothing was enqueued as event 7
  EXPECT_EQ(clock.now(), 3);
  EXPECT_EQ(clock.sums().exposed, 3);
  clock.waitFor({});
  EXPECT_EQ(clock.now(), 3);
}

TEST(StreamClock, AWaitIsForWhatWasLastEnqueued) {
  StreamClock clock;
  TimedStep gather = collective(5, 1, {}, 0), reader = kernel(1, {0});
  clock.play(gather);
  clock.play(gather);
  EXPECT_EQ(clock.play(reader).begin, 10);
}

TEST(StreamClock, ALinkCarriesOneAfterTheOther) {
  StreamClock clock;
  TimedStep a = collective(2, 1), b = collective(2, 1),
            other = collective(2, 2);
  clock.play(a);
  EXPECT_EQ(clock.play(b).begin, 2);
  EXPECT_EQ(clock.play(other).begin, 0);
}

TEST(StreamClock, WhoHasJustMetDoesNotWaitAgain) {
  TimedStep sum = collective(3, 0), between = kernel(1);
  sum.skew = 1;
  StreamClock clock;
  clock.play(sum);
  EXPECT_EQ(clock.play(sum).end, 5);
  clock.play(between);
  EXPECT_EQ(clock.play(sum).end, 9);
  // On a link of its own what stands between is time.
  StreamClock beside;
  TimedStep first = collective(3, 1), later = collective(3, 1, {0});
  first.skew = later.skew = 1;
  TimedStep made = kernel(4, {}, 0);
  beside.play(first);
  EXPECT_EQ(beside.play(first).end, 5);
  beside.play(made);
  beside.play(made);
  EXPECT_EQ(beside.play(later).end, 11);
}

TEST(StreamClock, TheHostStartsOneStepAfterTheOther) {
  StreamClock clock(/*dispatch=*/2);
  TimedStep step = kernel(1);
  EXPECT_EQ(clock.play(step).begin, 0);
  EXPECT_EQ(clock.play(step).begin, 2);
  clock.join();
  EXPECT_EQ(clock.now(), 4);
  EXPECT_EQ(clock.sums().host, 2);
}

TEST(StreamClock, AHostThatIsHeldIsNotAhead) {
  TimedStep step = kernel(1);
  StreamClock clock(/*dispatch=*/2), free(/*dispatch=*/0);
  clock.play(step);
  clock.waitUntil(10);
  clock.holdHost();
  EXPECT_EQ(clock.play(step).begin, 10);
  EXPECT_EQ(clock.play(step).begin, 12); // started from 10 on
  // Without it the first one after the wait was started long before.
  free.waitUntil(10);
  free.holdHost();
  TimedStep beside = collective(3, 1);
  EXPECT_EQ(free.play(beside).begin, 0); // costs the host nothing
}

TEST(StreamClock, JoiningWaitsForAll) {
  StreamClock clock;
  TimedStep sum = collective(3, 1), step = kernel(1);
  clock.play(sum);
  clock.play(step);
  EXPECT_EQ(clock.now(), 1);
  clock.join();
  EXPECT_EQ(clock.now(), 3);
  EXPECT_EQ(clock.sums().exposed, 2);
  clock.waitUntil(10);
  clock.waitUntil(4);
  EXPECT_EQ(clock.now(), 10);
  EXPECT_EQ(clock.sums().idle, 7);
}

TEST(StreamClock, WhatRunsBesideSlowsComputationDown) {
  StreamClock clock;
  TimedStep sum = collective(3, 1), step = kernel(4);
  sum.slows = 0.5;
  clock.play(sum);
  // Two seconds of it in the first three, then two more.
  EXPECT_DOUBLE_EQ(clock.play(step).end, 5);
  EXPECT_DOUBLE_EQ(clock.sums().compute, 5);
  EXPECT_DOUBLE_EQ(clock.play(step).end, 9);
}

TEST(StreamClock, LongRepetitionsGoOnAsTheyBegan) {
  auto repeated = [](int64_t turns) {
    TimedStep ring;
    ring.turns = turns;
    ring.body = {kernel(1, {}, 0), collective(3, 1, {0}, 1), kernel(1, {1})};
    ring.between = {collective(1, 0)};
    return ring;
  };
  for (int64_t turns : {1, 2, 256, 257, 1000}) {
    StreamClock clock;
    TimedStep ring = repeated(turns), after = collective(1, 1);
    size_t seen = 0;
    StreamClock::Span span =
        clock.play(ring, [&](const TimedStep &, StreamClock::Span) { ++seen; });
    auto times = static_cast<double>(turns);
    EXPECT_DOUBLE_EQ(span.end, 5 * times + (times - 1)) << turns;
    EXPECT_DOUBLE_EQ(clock.now(), span.end);
    EXPECT_DOUBLE_EQ(clock.sums().exposed, 3 * times + (times - 1));
    EXPECT_DOUBLE_EQ(clock.busy().at(1), 3 * times);
    EXPECT_EQ(seen,
              static_cast<size_t>(turns <= 256 ? 4 * turns - 1 : 4 * 256 + 3));
    EXPECT_DOUBLE_EQ(clock.play(after).begin, span.end - 1);
  }
}

/// Blocks of two seconds, sent in one: only the first turn waits for nothing.
TEST(StreamClock, WhatIsSentAheadIsHidden) {
  for (double sent : {1.0, 3.0})
    for (int64_t turns : {1, 2, 5, 300}) {
      TimedStep ring;
      ring.turns = turns;
      ring.ahead = true;
      ring.waits = {1};
      ring.body = {kernel(2, {}, 0)};
      ring.between = {collective(sent, 1, {0}, 1)};
      StreamClock clock;
      auto times = static_cast<double>(turns);
      EXPECT_DOUBLE_EQ(clock.play(ring).end,
                       2 + (times - 1) * std::max(sent, 2.0))
          << turns;
      EXPECT_DOUBLE_EQ(clock.sums().exposed,
                       (times - 1) * std::max(sent - 2, 0.0));
    }
}

} // namespace
