// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events: the proof that they order all accesses, the validator's
// messages about them, and the queue that runs beside the main stream.

#include "Toy.h"

#include "runtime/core/Error.h"
#include "runtime/core/HostQueue.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/OrderProof.h"
#include "runtime/format/Validate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <utility>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

constexpr std::nullopt_t none = std::nullopt;

TEST(OrderProofTest, AStreamIsInOrder) {
  OrderProof proof(2, 1);
  EXPECT_FALSE(proof.step(0, 0, {}, {{0, 64, true}}, none));
  EXPECT_FALSE(proof.step(1, 0, {}, {{32, 96, true}}, none));
  EXPECT_FALSE(proof.step(2, 0, {}, {{0, 128, false}}, none));
}

TEST(OrderProofTest, StreamsAreInNoOrderWithoutAnEvent) {
  OrderProof proof(2, 1);
  EXPECT_FALSE(proof.step(0, 0, {}, {{0, 64, true}}, none));
  auto conflict = proof.step(7, 1, {}, {{32, 48, false}}, none);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->earlier, 0u);
  EXPECT_EQ(conflict->begin, 32u);
  EXPECT_EQ(conflict->end, 48u);
  EXPECT_TRUE(conflict->earlierWrites);
}

TEST(OrderProofTest, ReadsMayMeetAndWritesWaitForThem) {
  OrderProof proof(2, 2);
  EXPECT_FALSE(proof.step(0, 0, {}, {{0, 64, false}}, none));
  EXPECT_FALSE(proof.step(1, 1, {}, {{0, 64, false}}, 0));
  OrderProof other = proof;
  auto conflict = other.step(2, 0, {}, {{8, 16, true}}, none);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->earlier, 1u);
  EXPECT_FALSE(conflict->earlierWrites);
  EXPECT_FALSE(proof.step(2, 0, {0}, {{8, 16, true}}, none));
}

TEST(OrderProofTest, AWaitIsForTheLastRecordBeforeIt) {
  OrderProof proof(2, 1);
  EXPECT_FALSE(proof.step(0, 1, {}, {{0, 64, true}}, 0));
  EXPECT_FALSE(proof.step(1, 1, {}, {{64, 128, true}}, none));
  // The event is of the first step only: the second is not waited for.
  EXPECT_FALSE(proof.step(2, 0, {0}, {{0, 64, false}}, none));
  EXPECT_TRUE(proof.step(3, 0, {0}, {{64, 128, false}}, none));
}

TEST(OrderProofTest, AnEventThatNeverWasIsNotWaitedFor) {
  OrderProof proof(2, 1);
  EXPECT_FALSE(proof.step(0, 1, {}, {{0, 64, true}}, none));
  EXPECT_TRUE(proof.step(1, 0, {0}, {{0, 64, true}}, none));
}

TEST(OrderProofTest, OrderIsHandedOn) {
  OrderProof proof(3, 2);
  EXPECT_FALSE(proof.step(0, 2, {}, {{0, 64, true}}, 0));
  EXPECT_FALSE(proof.step(1, 1, {0}, {}, 1));
  EXPECT_FALSE(proof.step(2, 0, {1}, {{0, 64, true}}, none));
}

TEST(OrderProofTest, JoiningWaitsForAllStreams) {
  OrderProof proof(3, 0);
  EXPECT_FALSE(proof.step(0, 2, {}, {{0, 64, true}}, none));
  EXPECT_FALSE(proof.step(1, 1, {}, {{64, 65, true}}, none));
  proof.join(0);
  EXPECT_FALSE(proof.step(2, 0, {}, {{0, 128, true}}, none));
}

TEST(OrderProofTest, ForkingLetsAllStreamsBeginThere) {
  OrderProof proof(3, 0);
  EXPECT_FALSE(proof.step(0, 2, {}, {{0, 64, true}}, none));
  proof.join(0);
  EXPECT_TRUE(proof.step(1, 1, {}, {{0, 32, true}}, none));
  proof.join(0);
  proof.fork(0);
  EXPECT_FALSE(proof.step(2, 1, {}, {{32, 64, true}}, none));
  EXPECT_FALSE(proof.step(3, 2, {}, {{0, 32, false}}, none));
}

/// Against what happens-before is: paths through streams and waits.
TEST(OrderProofTest, RandomProgramsAgreeWithPaths) {
  std::mt19937 random(7);
  auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  int conflicts = 0;
  for (int round = 0; round < 400; ++round) {
    const uint32_t streams = 1 + below(4), events = 1 + below(4);
    OrderProof proof(streams, events);
    struct Past {
      uint32_t stream;
      std::vector<ByteAccess> accesses;
      std::vector<bool> after; // steps that come before this one
    };
    std::vector<Past> past;
    std::vector<int> last(streams, -1), recorded(events, -1);
    for (uint32_t i = 0; i < 24; ++i) {
      Past own{below(streams), {}, std::vector<bool>(24, false)};
      std::vector<uint32_t> waits;
      auto follow = [&](int other) {
        if (other < 0)
          return;
        own.after[size_t(other)] = true;
        for (size_t k = 0; k < past[size_t(other)].after.size(); ++k)
          if (past[size_t(other)].after[k])
            own.after[k] = true;
      };
      follow(last[own.stream]);
      for (uint32_t k = below(3); k > 0; --k) {
        waits.push_back(below(events));
        follow(recorded[waits.back()]);
      }
      for (uint32_t k = 1 + below(3); k > 0; --k) {
        uint64_t begin = below(16);
        own.accesses.push_back({begin, begin + below(5), below(3) == 0});
      }
      bool expected = false;
      for (size_t k = 0; k < past.size(); ++k)
        for (const ByteAccess &a : own.accesses)
          for (const ByteAccess &b : past[k].accesses)
            expected |= !own.after[k] && (a.writes || b.writes) &&
                        std::max(a.begin, b.begin) < std::min(a.end, b.end);
      std::optional<uint32_t> event;
      if (below(2))
        event = below(events);
      bool found =
          proof.step(i, own.stream, waits, own.accesses, event).has_value();
      ASSERT_EQ(found, expected) << "round " << round << ", step " << i;
      if (found) { // later steps mean nothing then
        ++conflicts;
        break;
      }
      last[own.stream] = int(i);
      if (event)
        recorded[*event] = int(i);
      past.push_back(std::move(own));
    }
  }
  EXPECT_GT(conflicts, 50);
}

format::Executable onStreams() {
  ToyOptions options;
  options.data = 2;
  options.streams = true;
  options.shardWeights = true;
  format::Executable e = makeToy(options);
  e.mutable_codes(0)->set_object("not code, but nothing is loaded here");
  return e;
}

/// Each step waits for all: circles are no harm where the rest is in order.
TEST(ValidateOrderTest, StreamsAndEventsThatOrderEverything) {
  EXPECT_EQ(validate(onStreams()), "");
}

TEST(ValidateOrderTest, DamageIsNamed) {
  auto step = [](format::Executable &e, bool collective) -> format::Step & {
    for (format::Task &task : *e.mutable_stages(0)->mutable_tasks())
      for (format::Step &own : *task.mutable_steps())
        if (own.has_collective() == collective)
          return own;
    throw std::logic_error("no such step");
  };
  // The first collective of the last task, whose value the step of training
  // itself makes.
  auto last = [](format::Executable &e) -> format::Step & {
    format::Step *found = nullptr;
    for (format::Task &task : *e.mutable_stages(0)->mutable_tasks()) {
      bool isFirst = true;
      for (format::Step &own : *task.mutable_steps())
        if (own.has_collective() && std::exchange(isFirst, false))
          found = &own;
    }
    return *found;
  };
  using Damage = std::function<void(format::Executable &)>;
  const std::pair<Damage, const char *> cases[] = {
      {[&](auto &e) { step(e, true).set_stream(2); }, "stream 2 of 2"},
      {[&](auto &e) { step(e, true).add_waits(1000); },
       "waits for event 1000 of "},
      {[&](auto &e) { step(e, false).set_event(1001); }, "is event 1000 of "},
      {[&](auto &e) { step(e, false).clear_event(); }, ", which no step is"},
      {[&](auto &e) {
         for (format::Action &own : *e.mutable_stages(0)->mutable_actions())
           if (own.has_run())
             own.mutable_run()->set_event(1001);
       },
       "begins with event 1000 of "},
      {[&](auto &e) { e.mutable_stages(0)->set_streams(1000); },
       "1000 streams and "},
      {[&](auto &e) { e.mutable_stages(0)->set_events(1u << 30); },
       " events, expected at most 64 and 16777216"},
      {[&](auto &e) { last(e).clear_waits(); },
       "no event orders the one after the other"},
      // A circle orders nothing: what it waits for is the last time.
      {[&](auto &e) {
         format::Step &own = last(e);
         own.clear_waits();
         own.add_waits(own.event() - 1);
       },
       "no event orders the one after the other"},
      {[&](auto &e) { step(e, false).set_stream(1); },
       "is neither a collective nor a copy, on stream 1: expected stream 0"},
  };
  for (const auto &[damage, says] : cases) {
    format::Executable e = onStreams();
    damage(e);
    EXPECT_NE(validate(e).find(says), std::string::npos)
        << says << " in " << validate(e);
  }
}

/// A run's begin stands for all that came before it on the main stream.
TEST(ValidateOrderTest, ARunMayBeginWithAnEvent) {
  ToyOptions options;
  options.data = 2;
  format::Executable e = makeToy(options);
  e.mutable_codes(0)->set_object("not code, but nothing is loaded here");
  format::Stage &stage = *e.mutable_stages(0);
  stage.set_streams(2);
  stage.set_events(2);
  int last = stage.tasks_size() - 1;
  format::Task &after = *stage.mutable_tasks(last);
  ASSERT_TRUE(after.steps(0).has_collective());
  ASSERT_GT(after.steps_size(), 1);
  after.mutable_steps(0)->set_stream(1);
  after.mutable_steps(0)->add_waits(0);
  after.mutable_steps(0)->set_event(2);
  after.mutable_steps(1)->add_waits(1);
  EXPECT_NE(validate(e).find("waits for event 0, which no step is"),
            std::string::npos)
      << validate(e);
  for (format::Action &own : *stage.mutable_actions())
    if (own.has_run() && int(own.run().task()) == last)
      own.mutable_run()->set_event(1);
  EXPECT_EQ(validate(e), "");
}

/// A send waits for an event that a step of its stage is.
TEST(ValidateOrderTest, ATransferMayWaitForEvents) {
  ToyOptions options;
  options.stages = 2;
  format::Executable e = makeToy(options);
  e.mutable_codes(0)->set_object("not code, but nothing is loaded here");
  format::Stage &stage = *e.mutable_stages(0);
  stage.set_events(2);
  auto send = std::find_if(
      stage.mutable_actions()->begin(), stage.mutable_actions()->end(),
      [](const format::Action &action) { return action.has_send(); });
  ASSERT_NE(send, stage.mutable_actions()->end());
  send->mutable_send()->add_waits(2);
  EXPECT_NE(validate(e).find("waits for event 2 of 2"), std::string::npos)
      << validate(e);
  send->mutable_send()->set_waits(0, 1);
  EXPECT_NE(validate(e).find("waits for event 1, which no step is"),
            std::string::npos)
      << validate(e);
  format::Task &task = *stage.mutable_tasks(0);
  task.mutable_steps(task.steps_size() - 1)->set_event(2);
  EXPECT_EQ(validate(e), "");
}

/// Two threads must not give collectives to one transport, whatever bytes they
/// move.
TEST(ValidateOrderTest, WhatCommunicatesIsInOrder) {
  ToyOptions options;
  options.data = 2;
  format::Executable e = makeToy(options);
  e.mutable_codes(0)->set_object("not code, but nothing is loaded here");
  // The loss on another stream, the gradient on the main one.
  format::Stage &stage = *e.mutable_stages(0);
  format::Task &after = *stage.mutable_tasks(stage.tasks_size() - 1);
  stage.set_streams(2);
  stage.set_events(2);
  format::Task &before = *stage.mutable_tasks(stage.tasks_size() - 2);
  before.mutable_steps(before.steps_size() - 1)->set_event(1);
  ASSERT_TRUE(after.steps(0).has_collective());
  after.mutable_steps(0)->set_stream(1);
  after.mutable_steps(0)->add_waits(0);
  after.mutable_steps(0)->set_event(2);
  EXPECT_NE(validate(e).find("communicates, as \"after: all_reduce loss\" of "
                             "another stream does before it"),
            std::string::npos)
      << validate(e);
  ASSERT_TRUE(after.steps(1).has_collective());
  after.mutable_steps(1)->add_waits(1);
  EXPECT_EQ(validate(e), "");
}

/// Two collectives of a GPU must not run at once, whatever their streams.
TEST(ValidateOrderTest, CollectivesOfGpusAreOneByOne) {
  ToyOptions options;
  options.data = 2;
  for (bool cuda : {false, true}) {
    options.cuda = cuda;
    format::Executable e = makeToy(options);
    // The loss and the gradient, beside the main stream and each other.
    format::Stage &stage = *e.mutable_stages(0);
    format::Task &after = *stage.mutable_tasks(stage.tasks_size() - 1);
    format::Task &before = *stage.mutable_tasks(stage.tasks_size() - 2);
    before.mutable_steps(before.steps_size() - 1)->set_event(1);
    stage.set_streams(3);
    stage.set_events(3);
    for (int i : {0, 1}) {
      ASSERT_TRUE(after.steps(i).has_collective());
      after.mutable_steps(i)->set_stream(uint32_t(i + 1));
      after.mutable_steps(i)->add_waits(0);
      after.mutable_steps(i)->set_event(uint32_t(i + 2));
    }
    for (int i = 2; i < after.steps_size(); ++i)
      for (uint32_t event : {1, 2})
        after.mutable_steps(i)->add_waits(event);
    if (!cuda)
      e.mutable_codes(0)->set_object("not code, but nothing is loaded here");
    std::string wrong = validate(e);
    if (!cuda) {
      EXPECT_EQ(wrong, "");
      continue;
    }
    EXPECT_NE(wrong.find("of stream 2 communicates, as \"after: all_reduce "
                         "loss\" of another stream does before it"),
              std::string::npos)
        << wrong;
    after.mutable_steps(1)->add_waits(1);
    EXPECT_EQ(validate(e), "");
  }
}

/// Two parts of one buffer, each written by an all-to-all of its own, in the
/// order of a stream. A part counts as all that its buffer has, so an order is
/// needed though no element is written twice.
TEST(ValidateOrderTest, PartsOfABufferAreWrittenOneAfterTheOther) {
  ToyOptions options;
  options.data = 2;
  format::Executable e = makeToy(options);
  e.mutable_codes(0)->set_object("not code, but nothing is loaded here");
  format::Stage &stage = *e.mutable_stages(0);
  stage.set_streams(3);
  stage.set_events(1);
  format::Task &task = *stage.mutable_tasks(stage.tasks_size() - 1);
  task.mutable_steps(task.steps_size() - 1)->set_event(1);
  uint64_t end = arenaBytes(stage);
  setArenaBytes(stage, end + 128);
  for (uint64_t i : {0, 1}) { // the source, the target
    format::Operand &operand = *task.add_operands();
    operand.set_offset(end + 64 * i);
    operand.set_size(64);
    operand.set_written(i == 1);
  }
  auto add = [&](uint64_t begin) {
    format::Step &step = *task.add_steps();
    step.set_name("part at " + std::to_string(begin));
    step.set_stream(1);
    step.add_waits(0);
    format::CollectiveStep &own = *step.mutable_collective();
    own.set_kind(format::CollectiveStep::ALL_TO_ALL);
    own.set_type(format::F32);
    own.add_axes(2);
    own.set_source(uint32_t(task.operands_size() - 2));
    own.set_target(uint32_t(task.operands_size() - 1));
    own.set_outer(1);
    own.set_n(8);
    own.set_inner(1);
    own.mutable_target_rows()->set_begin(begin);
    own.mutable_target_rows()->set_pitch(8);
  };
  add(0);
  add(4);
  EXPECT_EQ(validate(e), "");
  task.mutable_steps(task.steps_size() - 1)->set_stream(2);
  EXPECT_NE(validate(e).find("which \"part at 0\" writes before it: no event "
                             "orders the one after the other"),
            std::string::npos)
      << validate(e);
}

/// No wait can be missing unless another implies it: where all are but those
/// for one event, either nothing conflicts or it is said.
TEST(ValidateOrderTest, StepsThatWaitForNothingAreSeen) {
  format::Executable whole = onStreams();
  int seen = 0;
  for (int t = 0; t < whole.stages(0).tasks_size(); ++t)
    for (int s = 0; s < whole.stages(0).tasks(t).steps_size(); ++s) {
      format::Executable e = whole;
      format::Step &step =
          *e.mutable_stages(0)->mutable_tasks(t)->mutable_steps(s);
      step.clear_waits();
      seen += !validate(e).empty();
    }
  EXPECT_GT(seen, 2);
}

/// Work that is over when it is done.
template <typename Body> HostWork atOnce(Body body) {
  return [body] {
    body();
    return std::chrono::steady_clock::time_point();
  };
}

TEST(HostQueueTest, WorksInOrder) {
  HostQueue queue;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i)
    queue.enqueue(atOnce([&order, i] { order.push_back(i); }));
  EXPECT_EQ(queue.enqueued(), 100u);
  queue.wait(100);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(order[size_t(i)], i);
}

TEST(HostQueueTest, RunsBesideWhoGivesAndWaitsForAsMuchAsAsked) {
  HostQueue queue;
  std::atomic<bool> may{false};
  std::atomic<int> done{0};
  queue.enqueue(atOnce([&] { ++done; }));
  queue.enqueue(atOnce([&] {
    while (!may)
      std::this_thread::yield();
    ++done;
  }));
  queue.wait(1);
  EXPECT_EQ(done, 1);
  may = true;
  queue.wait(2);
  EXPECT_EQ(done, 2);
}

TEST(HostQueueTest, TheFirstErrorEndsItAndIsThrownToWhoWaits) {
  HostQueue queue;
  int after = 0;
  queue.enqueue(atOnce([] { fail("broken"); }));
  queue.enqueue(atOnce([&] { ++after; }));
  for (int i = 0; i < 2; ++i)
    EXPECT_THROW(queue.wait(2), Error);
  EXPECT_EQ(after, 0);
}

TEST(HostQueueTest, SaysWhenWorkIsOver) {
  using Time = std::chrono::steady_clock::time_point;
  auto at = [](int hours) { return Time(std::chrono::hours(hours)); };
  HostQueue queue;
  for (int hours : {1, 0, 2, 3})
    queue.enqueue([=] { return at(hours); });
  EXPECT_EQ(queue.wait(2), at(1)); // though nothing of it is over
  EXPECT_EQ(queue.wait(4), at(3));
  EXPECT_EQ(queue.wait(3), Time()) << "who asks has waited for more";
}

TEST(HostQueueTest, EndsWithWorkLeft) {
  std::atomic<int> done{0};
  {
    HostQueue queue;
    for (int i = 0; i < 10; ++i)
      queue.enqueue(atOnce([&] { ++done; }));
  }
  EXPECT_EQ(done, 10);
}

} // namespace
