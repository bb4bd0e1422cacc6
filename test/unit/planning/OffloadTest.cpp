// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of values that go to the host's memory, by their price.
#include "planning/OffloadChoice.h"
#include "gtest/gtest.h"
#include <random>

using namespace zcc::planning;

namespace {

TEST(OffloadChoice, WhatComputationHidesGoesFirst) {
  OffloadProblem problem;
  problem.values = {{100, 1, false}, {100, 4, true}, {100, 4, true}};
  problem.hiddenSeconds = 5;
  OffloadChoice choice = chooseOffload(problem, 100);
  EXPECT_EQ(choice.moved, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(choice.seconds, 0);
  // More than that has its price.
  choice = chooseOffload(problem, 200);
  EXPECT_EQ(choice.moved, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(choice.seconds, 1);
  choice = chooseOffload(problem, 1e9);
  EXPECT_EQ(choice.bytes, 300);
  EXPECT_EQ(choice.seconds, 4);
}

TEST(OffloadChoice, NoMoreThanMust) {
  OffloadProblem problem;
  problem.values = {{10, 1, false}, {1000, 101, false}};
  OffloadChoice choice = chooseOffload(problem, 900);
  EXPECT_EQ(choice.moved, (std::vector<bool>{false, true}));
  EXPECT_TRUE(chooseOffload(problem, 0).bytes == 0);
  EXPECT_TRUE(chooseOffload({}, 10).moved.empty());
}

TEST(OffloadChoice, PassesItsVerifierAndIsNearTheBest) {
  std::mt19937 random(5);
  auto upTo = [&](int most) {
    return std::uniform_int_distribution<int>(1, most)(random);
  };
  for (int turn = 0; turn < 300; ++turn) {
    OffloadProblem problem;
    double all = 0, largest = 0;
    for (int n = upTo(10); n > 0; --n) {
      problem.values.push_back(
          {double(upTo(50)), double(upTo(20)), upTo(2) == 1});
      all += problem.values.back().bytes;
      largest = std::max(largest, problem.values.back().seconds);
    }
    problem.hiddenSeconds = upTo(40);
    double bytes = all * upTo(100) / 90;
    OffloadChoice choice = chooseOffload(problem, bytes);
    ASSERT_EQ(verifyOffload(problem, bytes, choice), "") << turn;
    double best = 1e300;
    for (size_t set = 0; set < size_t(1) << problem.values.size(); ++set) {
      double own = 0, hiding = 0, others = 0;
      for (size_t i = 0; i < problem.values.size(); ++i)
        if (set >> i & 1) {
          const OffloadProblem::Value &value = problem.values[i];
          own += value.bytes;
          (value.hides ? hiding : others) += value.seconds;
        }
      if (own >= std::min(bytes, all))
        best = std::min(best,
                        others + std::max(0., hiding - problem.hiddenSeconds));
    }
    // A value more, and what the hidden one before it left unused.
    ASSERT_LE(choice.seconds, best + 2 * largest) << turn;
  }
}

TEST(OffloadChoice, TheVerifierSaysWhatIsWrong) {
  OffloadProblem problem;
  problem.values = {{100, 1, false}, {50, 1, false}};
  EXPECT_EQ(verifyOffload(problem, 10, {{true}, 100, 1}),
            "expected a decision on each of 2 values, found 1");
  EXPECT_NE(verifyOffload(problem, 10, {{true, false}, 90, 1}), "");
  EXPECT_NE(verifyOffload(problem, 60, {{false, true}, 50, 1}), "");
  EXPECT_NE(verifyOffload(problem, 10, {{true, false}, 100, 2}), "");
  EXPECT_EQ(verifyOffload(problem, 1000, {{true, true}, 150, 2}), "");
}

} // namespace
