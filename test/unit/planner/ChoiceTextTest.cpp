// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts about the choice of a plan: their figures are those of the compiled
// program, and each percentage is that of the figures beside it.
#include "compiler/planner/explain/ChoiceText.h"
#include "gtest/gtest.h"

using namespace zcc;
using namespace zcc::planner;

namespace {

ConsideredPlan makePlan(const char *axis, double estimate,
                        std::optional<double> simulated, double bytes = 10) {
  ConsideredPlan plan;
  plan.candidate.plan.mesh = {{axis, 8}};
  plan.candidate.plan.microbatches = 1;
  plan.candidate.figures.compute = estimate;
  plan.candidate.figures.residuals = bytes;
  plan.candidate.figures.model = 1;
  plan.simulated = simulated;
  return plan;
}

class ChoiceTexts : public ::testing::Test {
protected:
  ChoiceTexts() {
    plans = {makePlan("data", 1, 1.1), makePlan("tensor", 1.2, 1.32),
             makePlan("expert", 2, std::nullopt),
             makePlan("context", 1.1, std::nullopt, 2000)};
    plans[0].chosen = true;
  }
  std::string whyNot(size_t i, CompiledFigures compiled = {}) {
    return ChoiceText(plans, 1000, true, compiled).whyNot(plans[i]);
  }

  std::vector<ConsideredPlan> plans;
};

TEST_F(ChoiceTexts, PercentagesAreOfTheFiguresBesideThem) {
  EXPECT_EQ(whyNot(0), "");
  EXPECT_EQ(whyNot(1), "20.0 % slower");
  EXPECT_EQ(whyNot(2), "100.0 % slower by estimate");
  EXPECT_EQ(whyNot(3), "does not fit");
}

// Repeated work counts when plans are compared, but it is not time.
TEST_F(ChoiceTexts, RepeatedWorkIsNoTime) {
  plans[1].candidate.figures.repeated = 2;
  EXPECT_EQ(whyNot(1), "20.0 % slower, repeats work: 3.00 times the model's");
  plans[1].simulated = 1.0;
  EXPECT_EQ(whyNot(1), "repeats work: 3.00 times the model's");
}

TEST_F(ChoiceTexts, TheChosenPlanHasTheFiguresOfTheProgram) {
  CompiledFigures compiled;
  compiled.seconds = 1.2;
  compiled.bytes = 7;
  compiled.estimate = plans[0].candidate.figures;
  compiled.estimate->compute = 1.5;
  ChoiceText choice(plans, 1000, true, compiled);
  EXPECT_EQ(choice.simulatedOf(plans[0]), 1.2);
  EXPECT_EQ(choice.bytesOf(plans[0]), 7);
  EXPECT_EQ(choice.estimateOf(plans[0]).overlapped(), 1.5);
  EXPECT_EQ(choice.simulatedOf(plans[1]), 1.32);
  EXPECT_EQ(whyNot(1, compiled), "10.0 % slower");
  EXPECT_NEAR(choice.secondsMore(plans[1]), 0.12, 1e-12);
  EXPECT_NEAR(choice.secondsMore(plans[2]), 0.5, 1e-12);
  std::string comments = choice.formatComments();
  EXPECT_NE(comments.find("# * data=8, 1 microbatch: 1.20 s a step simulated, "
                          "7 B a device\n"),
            std::string::npos)
      << comments;
}

// Planning its memory may make the chosen plan slower than another one was.
TEST_F(ChoiceTexts, SaysWhenTheComparisonWasBefore) {
  CompiledFigures compiled;
  compiled.seconds = 1.5;
  EXPECT_EQ(whyNot(1, compiled),
            "20.0 % slower before the memory of the chosen "
            "one was planned");
}

TEST_F(ChoiceTexts, SaysWhyAPlanOfASmallEstimateIsNotSimulated) {
  plans.push_back(makePlan("tensor", 0.9, std::nullopt));
  EXPECT_EQ(whyNot(4),
            "not simulated: on its mesh, steps take longer than estimated");
}

} // namespace
