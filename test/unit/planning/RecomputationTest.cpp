// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontiers of residuals that are kept or computed again, against all possible
// choices.
#include "planning/Recomputation.h"
#include "gtest/gtest.h"

#include <random>

using namespace zcc::planning;

namespace {

/// A value of each op.
RecomputationProblem chain(const std::vector<double> &seconds,
                           const std::vector<double> &bytes) {
  RecomputationProblem problem;
  problem.values.push_back({0, -1, false});
  for (size_t i = 0; i < seconds.size(); ++i) {
    problem.ops.push_back({seconds[i], true, {i}});
    problem.values.push_back({bytes[i], int(i), true});
  }
  return problem;
}

Recomputation account(const RecomputationProblem &problem,
                      std::vector<bool> again) {
  Recomputation out;
  std::vector<bool> needed;
  for (const auto &value : problem.values)
    needed.push_back(value.needed);
  for (size_t o = 0; o < again.size(); ++o)
    if (again[o]) {
      out.seconds += problem.ops[o].seconds;
      for (size_t v : problem.ops[o].reads)
        needed[v] = true;
    }
  for (size_t v = 0; v < needed.size(); ++v)
    if (needed[v] && problem.values[v].op >= 0 && !again[problem.values[v].op])
      out.bytes += problem.values[v].bytes;
  out.again = std::move(again);
  return out;
}

RecomputationProblem draw(std::mt19937 &random) {
  auto upTo = [&](int most) {
    return std::uniform_int_distribution<int>(0, most)(random);
  };
  RecomputationProblem problem;
  problem.values.push_back({8, -1, false});
  int ops = 1 + upTo(9);
  for (int o = 0; o < ops; ++o) {
    RecomputationProblem::Op op;
    op.seconds = upTo(5);
    op.mayRunAgain = upTo(9) != 0;
    for (int r = upTo(2); r >= 0; --r) // of the last few, or what is there
      op.reads.push_back(
          upTo(3) == 0 ? 0
                       : problem.values.size() - 1 -
                             upTo(std::min<int>(3, problem.values.size() - 1)));
    problem.ops.push_back(op);
    for (int r = upTo(5) == 0; r >= 0; --r)
      problem.values.push_back({double(upTo(6)), o, upTo(2) == 0});
  }
  return problem;
}

TEST(Recomputation, ForEveryPriceThereIsNothingBetter) {
  std::mt19937 random(7);
  int withChoices = 0;
  for (int turn = 0; turn < 1500; ++turn) {
    RecomputationProblem problem = draw(random);
    RecomputationFrontier frontier(problem);
    const auto &points = frontier.getPoints();
    withChoices += points.size() > 2;
    for (size_t i = 0; i < points.size(); ++i) {
      Recomputation point = frontier.get(problem, i);
      ASSERT_EQ(verifyRecomputation(problem, point), "") << turn;
      ASSERT_DOUBLE_EQ(point.bytes, points[i].bytes);
      ASSERT_DOUBLE_EQ(point.seconds, points[i].seconds);
      if (i > 0) {
        ASSERT_LT(points[i].bytes, points[i - 1].bytes);
        ASSERT_GE(points[i].seconds, points[i - 1].seconds);
      }
    }
    ASSERT_EQ(points.front().seconds, 0);
    size_t ops = problem.ops.size();
    for (double price : {1e-6, .1, .3, .5, 1., 1.7, 3., 1e6}) {
      double best = std::numeric_limits<double>::infinity(), own = best;
      for (size_t set = 0; set < size_t(1) << ops; ++set) {
        std::vector<bool> again(ops);
        bool allowed = true;
        for (size_t o = 0; o < ops; ++o) {
          again[o] = set >> o & 1;
          allowed = allowed && (!again[o] || problem.ops[o].mayRunAgain);
        }
        if (!allowed)
          continue;
        Recomputation all = account(problem, again);
        best = std::min(best, all.seconds + price * all.bytes);
      }
      for (const auto &point : points)
        own = std::min(own, point.seconds + price * point.bytes);
      ASSERT_NEAR(own, best, 1e-9 * (1 + best)) << turn << " at " << price;
    }
  }
  EXPECT_GT(withChoices, 500);
}

TEST(Recomputation, EqualPartsChangeOneAfterTheOther) {
  // Four layers between values that are there: a product that is large to keep
  // and quick to compute, one that is neither.
  RecomputationProblem problem;
  for (int layer = 0; layer < 4; ++layer) {
    size_t begin = problem.values.size(), op = problem.ops.size();
    problem.values.push_back({0, -1, true});
    problem.ops.push_back({1, true, {begin}});
    problem.values.push_back({100, int(op), true});
    problem.ops.push_back({5, true, {begin + 1}});
    problem.values.push_back({50, int(op + 1), true});
  }
  RecomputationFrontier frontier(problem);
  const auto &points = frontier.getPoints();
  ASSERT_EQ(points.size(), 9u);
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(points[i].bytes, i <= 4 ? 600 - 100 * i : 200 - 50 * (i - 4));
    EXPECT_EQ(points[i].seconds, i <= 4 ? i : 4 + 5 * (i - 4));
  }
  EXPECT_TRUE(frontier.get(problem, 1).again[0]);
  EXPECT_FALSE(frontier.get(problem, 1).again[2]);
  EXPECT_TRUE(frontier.get(problem, 2).again[2]);
}

TEST(Recomputation, ASmallTableOfAllLayersDoesNotJoinThem) {
  // A table like the positions of attention: four layers read it, and no
  // backward pass does.
  auto make = [](double bytes) {
    RecomputationProblem problem;
    problem.values.push_back({0, -1, false});
    problem.ops.push_back({1, true, {0}});
    problem.values.push_back({bytes, 0, false});
    for (int layer = 0; layer < 4; ++layer) {
      size_t begin = problem.values.size(), op = problem.ops.size();
      problem.values.push_back({0, -1, true});
      problem.ops.push_back({1, true, {begin, 1}});
      problem.values.push_back({1000, int(op), true});
    }
    return problem;
  };
  // It is there from the first point on, and layers change one by one.
  RecomputationProblem problem = make(1);
  RecomputationFrontier frontier(problem);
  const auto &points = frontier.getPoints();
  ASSERT_EQ(points.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    double layers = std::min<double>(i, 4);
    EXPECT_EQ(points[i].bytes, i == 5 ? 0 : 4001 - 1000 * layers);
    EXPECT_EQ(points[i].seconds, i == 5 ? 5 : layers);
    Recomputation answer = frontier.get(problem, i);
    EXPECT_EQ(verifyRecomputation(problem, answer), "");
    EXPECT_EQ(answer.bytes, i == 0 ? 4000 : points[i].bytes);
  }
  // One that counts is decided with them: while all is kept it is not there.
  EXPECT_EQ(RecomputationFrontier(make(100)).getPoints().front().bytes, 4000);
}

TEST(Recomputation, WhatIsReadOnlyByWhatRunsAgainIsKeptForIt) {
  // The middle of three may not run again; the last is large.
  RecomputationProblem problem = chain({1, 1, 1}, {1, 10, 100});
  problem.ops[1].mayRunAgain = false;
  problem.values[1].needed = problem.values[2].needed = false;
  RecomputationFrontier frontier(problem);
  ASSERT_EQ(frontier.getPoints().size(), 2u);
  EXPECT_EQ(frontier.getPoints()[0].bytes, 100);
  EXPECT_EQ(frontier.getPoints()[1].bytes, 10);
  EXPECT_EQ(frontier.getPoints()[1].seconds, 1);
}

TEST(Recomputation, PartsOfSeveralProblemsAreSolvedOnce) {
  RecomputationFrontier::Solved solved;
  RecomputationProblem problem = chain({1, 2}, {10, 20});
  RecomputationFrontier first(problem, solved);
  EXPECT_EQ(solved.size(), 1u);
  RecomputationFrontier second(problem, solved), alone(problem);
  EXPECT_EQ(solved.size(), 1u);
  ASSERT_EQ(second.getPoints().size(), alone.getPoints().size());
  for (size_t i = 0; i < alone.getPoints().size(); ++i)
    EXPECT_EQ(second.get(problem, i).again, alone.get(problem, i).again);
  problem.ops[0].seconds = 3;
  RecomputationFrontier other(problem, solved);
  EXPECT_EQ(solved.size(), 2u);
}

TEST(Recomputation, TheVerifierSeesWhatIsWrong) {
  RecomputationProblem problem = chain({1, 2}, {10, 20});
  Recomputation answer = account(problem, {false, true});
  EXPECT_EQ(verifyRecomputation(problem, answer), "");
  answer.bytes = 9;
  EXPECT_NE(verifyRecomputation(problem, answer).find("bytes"),
            std::string::npos);
  answer = account(problem, {false, true});
  answer.seconds = 1;
  EXPECT_NE(verifyRecomputation(problem, answer).find("seconds"),
            std::string::npos);
  problem.ops[1].mayRunAgain = false;
  EXPECT_NE(verifyRecomputation(problem, account(problem, {false, true}))
                .find("may not run again"),
            std::string::npos);
  answer.again.pop_back();
  EXPECT_NE(verifyRecomputation(problem, answer).find("each of"),
            std::string::npos);
}

} // namespace
