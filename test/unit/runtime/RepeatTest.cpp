// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A repeat of toy steps: the buffers that they see in each turn, the value of
// `member`, and how often the steps between turns run.

#include "runtime/core/RepeatStep.h"
#include "runtime/cpu/CpuDevice.h"
#include "runtime/format/executable.pb.h"

#include <gtest/gtest.h>

#include <functional>

using namespace zcc::rt;

namespace {

class Call : public Step {
public:
  explicit Call(std::function<void(const Frame &)> what) : what(what) {}
  void prepare(ResourceRequest &request) override { request.scratchBytes = 64; }
  void execute(const Frame &frame) override { what(frame); }

private:
  std::function<void(const Frame &)> what;
};

/// Operand 0 is the member, 1, 2, 3 a block that is passed on, 4 and 5 one that
/// comes home.
struct Seen {
  std::vector<int> members, between;
  std::vector<int> held, next, home, away;
  std::string order; // of waits, what is between and the body
  size_t scratch = 0;
};

class Waiting : public StepRunner {
public:
  explicit Waiting(std::string &order) : order(order) {}
  void run(Step &step, const Frame &frame) override { step.execute(frame); }
  void wait(const Step &) override { order += 'w'; }

private:
  std::string &order;
};

Seen run(int group, int own, bool ahead = false) {
  format::RepeatStep description;
  description.set_member(0);
  description.set_ahead(ahead);
  auto rotate = [&](int held, int next, int spare) {
    format::RepeatStep::Rotation &own = *description.add_rotations();
    own.set_held(held);
    own.set_next(next);
    own.set_spare(spare);
  };
  rotate(1, 2, 3);
  rotate(4, 5, 4);
  Seen seen;
  std::vector<int32_t> memory = {-1, 1, 2, 3, 4, 5};
  std::vector<Address> operands;
  for (int32_t &v : memory)
    operands.push_back(Address::ofHost(&v));
  auto at = [](const Frame &frame, int operand) {
    return *static_cast<int32_t *>(frame.operands[operand].host());
  };
  Steps body, between;
  body.push_back(std::make_unique<Call>([&](const Frame &frame) {
    seen.order += 'k';
    seen.members.push_back(at(frame, 0));
    seen.held.push_back(at(frame, 1));
    seen.next.push_back(at(frame, 2));
    seen.home.push_back(at(frame, 4));
    seen.away.push_back(at(frame, 5));
  }));
  between.push_back(std::make_unique<Call>([&](const Frame &frame) {
    seen.between.push_back(at(frame, 1));
    seen.order += 's';
  }));
  auto step = createRepeatStep(description, group, own, operands.size(),
                               std::move(body), std::move(between));
  ResourceRequest request;
  step->prepare(request);
  seen.scratch = request.scratchBytes;
  step->initialize();
  ThreadPool pool(1, SpinPolicy());
  CpuDevice device(0, pool);
  Waiting runner(seen.order);
  Frame frame{operands.data(), device, device.mainStream()};
  frame.runner = &runner;
  step->execute(frame);
  EXPECT_EQ(operands[1].host(), &memory[1]) << "the task's operands stay";
  return seen;
}

using List = std::vector<int>;

TEST(RepeatTest, BlocksGoRound) {
  Seen seen = run(5, 2);
  EXPECT_EQ(seen.members, (List{2, 1, 0, 4, 3}));
  // The first one's own memory is never what is received into.
  EXPECT_EQ(seen.held, (List{1, 2, 3, 2, 3}));
  EXPECT_EQ(seen.next, (List{2, 3, 2, 3, 2}));
  EXPECT_EQ(seen.home, (List{4, 5, 4, 5, 4}));
  EXPECT_EQ(seen.away, (List{5, 4, 5, 4, 5}));
  EXPECT_EQ(seen.between, (List{1, 2, 3, 2}));
  EXPECT_EQ(seen.scratch, 64u);
}

TEST(RepeatTest, ATurnWaitsAndMaySendAhead) {
  EXPECT_EQ(run(3, 1).order, "wkswkswk");
  Seen seen = run(3, 1, true);
  EXPECT_EQ(seen.order, "wskwskwk");
  EXPECT_EQ(seen.held, (List{1, 2, 3}));
  EXPECT_EQ(seen.between, (List{1, 2}));
}

TEST(RepeatTest, OneRankHasOneTurn) {
  Seen seen = run(1, 0);
  EXPECT_EQ(seen.members, (List{0}));
  EXPECT_EQ(seen.held, (List{1}));
  EXPECT_TRUE(seen.between.empty());
}

TEST(RepeatTest, TwoRanksNeedNoSpareBlock) {
  Seen seen = run(2, 1);
  EXPECT_EQ(seen.members, (List{1, 0}));
  EXPECT_EQ(seen.held, (List{1, 2}));
  EXPECT_EQ(seen.away, (List{5, 4})); // received there last: the end is in 4
}

} // namespace
