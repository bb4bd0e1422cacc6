// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice that is left once some of its plans have been simulated.
#include "compiler/planner/search/ChoosePlan.h"
#include "gtest/gtest.h"

using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

namespace {

Candidate makePlan(int64_t stages, double seconds, double bytes = 0) {
  Candidate plan;
  plan.plan.mesh = {{"pipe", stages}};
  plan.figures.compute = seconds;
  plan.figures.residuals = bytes;
  return plan;
}

TEST(PlanChoice, PlansOfOneMeshAreAsFarOff) {
  PlanChoice choice;
  choice.best = {makePlan(4, 10), makePlan(8, 11), makePlan(4, 10.5),
                 makePlan(8, 10.5), makePlan(8, 11.5)};
  choice.orders.resize(5);
  choice.atOnce = 2;
  Slowdowns slowdowns;
  slowdowns.note(choice.best[0], 12);
  slowdowns.note(choice.best[1], 11);
  choice.forgetSlower(2, slowdowns, 11);
  ASSERT_EQ(choice.best.size(), 3u);
  EXPECT_EQ(choice.best[2].key(), makePlan(8, 10.5).key());
  EXPECT_EQ(choice.best[2].figures.compute, 10.5);
  EXPECT_EQ(choice.orders.size(), 3u);
  EXPECT_EQ(choice.atOnce, 2u);
}

TEST(PlanChoice, WhatIsKnownToBeSlowerIsNotSimulated) {
  PlanChoice choice;
  choice.best = {makePlan(4, 10), makePlan(8, 10.5), makePlan(2, 13)};
  choice.atOnce = 3;
  Slowdowns slowdowns;
  slowdowns.note(makePlan(4, 9), 11);
  choice.forgetSlower(0, slowdowns, 12);
  ASSERT_EQ(choice.best.size(), 1u);
  EXPECT_EQ(choice.best[0].key(), makePlan(8, 10.5).key());
  EXPECT_EQ(choice.atOnce, 1u);
}

TEST(PlanChoice, WhatWasFasterThanItsEstimateSaysNothingOfOthers) {
  Slowdowns slowdowns;
  slowdowns.note(makePlan(4, 10), 9);
  EXPECT_EQ(slowdowns.of(makePlan(4, 11)), 1);
  EXPECT_EQ(slowdowns.of(makePlan(8, 11)), 1);
}

TEST(PlanChoice, IsLimitedByWhatWouldBeFaster) {
  PlanChoice choice;
  choice.considered = {makePlan(1, 12, 50), makePlan(2, 10, 200)};
  EXPECT_TRUE(choice.isLimited(100, 12));
  EXPECT_FALSE(choice.isLimited(100, 9));
  EXPECT_FALSE(choice.isLimited(300, 12));
  EXPECT_FALSE(choice.isLimited(0, 12));
  // With more memory the second plan need not compute values again: 8 s.
  choice.considered[1].figures.recomputed = ResidualCurve::Point{};
  choice.considered[1].figures.recomputed->seconds = 2;
  EXPECT_TRUE(choice.isLimited(100, 9));
}

} // namespace
