// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/fit/NextPlan.h"
#include "compiler/planner/FitLimits.h"
#include "gtest/gtest.h"

using namespace zcc;
using namespace zcc::planner;

namespace {
constexpr double memory = 1000;

PlanOutcome makeOutcome(double excess, int compiles = 1) {
  PlanOutcome outcome;
  outcome.memory = memory;
  outcome.excess = excess;
  outcome.compiles = compiles;
  return outcome;
}

TEST(NextPlan, acceptsAPlanThatFits) {
  EXPECT_EQ(decideNextPlan(makeOutcome(-500)), NextPlan::Accept);
  EXPECT_EQ(decideNextPlan(makeOutcome(0)), NextPlan::Accept);
}

TEST(NextPlan, keepsMoreGatheredParametersOnceWhereThereIsRoom) {
  PlanOutcome outcome = makeOutcome(-500);
  outcome.notKept = 100;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::KeepMore);
  outcome.compiles = 2;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::Accept);
  // Less room than a whole parameter takes is left alone.
  outcome = makeOutcome(-searchLimits.leastRoom * memory);
  outcome.notKept = 100;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::Accept);
  outcome.excess -= 1;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::KeepMore);
}

TEST(NextPlan, choosesAFasterPlanOnceWhereTheSearchRefusedOne) {
  PlanOutcome outcome = makeOutcome(-10);
  outcome.limited = true;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::Accept); // it was not chosen
  outcome.chosen = true;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::ChooseFaster);
  outcome.compiles = 2;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::Accept);
}

TEST(NextPlan, comparesWithASpareOne) {
  PlanOutcome outcome = makeOutcome(-10, 2);
  outcome.hasSpare = true;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::TakeFaster);
  outcome.excess = 10;
  // Even where fewer kept parameters would make it fit.
  outcome.kept = 100;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::TakeSpare);
}

TEST(NextPlan, keepsFewerGatheredParameters) {
  PlanOutcome outcome = makeOutcome(50);
  outcome.kept = 20;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::KeepLess);
  // If the search chose the plan, fewer are kept only if that suffices: else
  // another plan is better.
  outcome.chosen = true;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::ChooseSmaller);
  outcome.kept = 50;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::KeepLess);
  outcome.compiles = searchLimits.mostCompiles;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::ChooseSmaller);
}

TEST(NextPlan, givesUpAfterTheSmallestPlan) {
  PlanOutcome outcome = makeOutcome(50, searchLimits.mostCompiles);
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::Accept); // it was asked for
  outcome.chosen = true;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::ChooseSmaller);
  outcome.compiles = searchLimits.mostCompiles + 1;
  EXPECT_EQ(decideNextPlan(outcome), NextPlan::Accept);
}
} // namespace
