// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds by which shapes with stages are skipped, from figures of other shapes.
#include "compiler/planner/search/StageBounds.h"
#include "test/unit/planner/Plans.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

namespace {

TEST_F(Plans, ShapesThatCannotFitAreNotListed) {
  parse(16, 8);
  PlanFacts facts = this->facts();
  PlanFigures known;
  StepCost::Figures plain;
  plain.compute = 1;
  plain.residuals = 16;
  known.figures[{{{"data", 4}}, {}, false, -1, 1, {}}] = plain;
  std::set<int64_t> looked = {1, 2, 4};
  auto list = [&](double memory) {
    return StageBounds(facts, known, 4, memory).list(looked);
  };
  std::vector<StageBounds::Shape> shapes = list(1e12);
  ASSERT_EQ(shapes.size(), 3u); // pipe=4, pipe=2 with and without tensor=2
  // A bound: the way through the stages, beside as many microbatches.
  EXPECT_EQ(shapes[0].pipe, 2);
  EXPECT_EQ(shapes[0].tensor, 2);
  EXPECT_NEAR(shapes[0].seconds, 1 + 1.0 / 8 / 16, 1e-9);
  EXPECT_TRUE(std::is_sorted(
      shapes.begin(), shapes.end(),
      [](const auto &a, const auto &b) { return a.seconds < b.seconds; }));
  EXPECT_TRUE(list(1).empty());
  // Without stages, what was not looked at: nobody waits for stages there.
  looked = {1, 4};
  shapes = list(1e12);
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes[0].pipe, 1);
  EXPECT_EQ(shapes[0].tensor, 2);
  EXPECT_NEAR(shapes[0].seconds, 1, 1e-9);
  looked = {1, 2, 4};
  // A shape that one schedule does not fit may fit another. A step that cannot
  // be cut into four may be cut into two, but not the other way round.
  known.notCut.insert({2, planning::ScheduleKind::ZeroBubbleV});
  EXPECT_EQ(list(1e12).size(), 3u);
  known.notCut.insert({4, planning::defaultSchedule});
  EXPECT_EQ(list(1e12).size(), 2u);
  known.notCut.insert({2, planning::defaultSchedule});
  EXPECT_TRUE(list(1e12).empty());
}

TEST_F(Plans, BoundsLearnFromPlansThatWereMeasured) {
  parse(16, 8);
  PlanFacts facts = this->facts();
  PlanFigures known;
  auto secondsOf = [&](int64_t pipe, int64_t tensor) {
    for (const StageBounds::Shape &shape :
         StageBounds(facts, known, 8, 1e12).list({}))
      if (shape.pipe == pipe && shape.tensor == tensor)
        return shape.seconds;
    return 0.0;
  };
  // With four devices along `tensor`, half of all work is on padding.
  StepCost::Figures padded;
  padded.compute = 2;
  padded.model = padded.padding = 1;
  known.figures[{{{"data", 2}, {"tensor", 4}}, {}, false, -1, 1, {}}] = padded;
  EXPECT_NEAR(secondsOf(1, 4), 2, 1e-9);
  EXPECT_NEAR(secondsOf(1, 8), 2, 1e-9);
  EXPECT_NEAR(secondsOf(1, 2), 1, 1e-9);
  // Figures of plans with stages are of all of them.
  StepCost::Figures stages;
  stages.compute = 1;
  known.figures[{{{"pipe", 2}, {"data", 4}}, {}, false, -1, 1, {}}] = stages;
  EXPECT_NEAR(secondsOf(1, 2), 0.5, 1e-9);
  EXPECT_NEAR(secondsOf(1, 4), 2, 1e-9);
}

TEST_F(Plans, BoundsSayWhatHiddenMessagesLeave) {
  parse(16, 8);
  PlanFacts facts = this->facts();
  PlanFigures known;
  StepCost::Figures plain;
  plain.compute = 1;
  plain.communication = 0.5;
  plain.loose = 0.1;
  known.figures[{{{"data", 2}, {"tensor", 2}}, {}, false, -1, 1, {}}] = plain;
  for (const StageBounds::Shape &shape :
       StageBounds(facts, known, 4, 1e12).list({1, 2, 4}))
    if (shape.pipe == 2 && shape.tensor == 2)
      EXPECT_NEAR(shape.least / shape.seconds, 1.2 / 1.4, 1e-9);
}

TEST_F(Plans, BoundsCountWhatIsComputedAgain) {
  parse(16, 8);
  PlanFacts facts = this->facts();
  facts.parameters = facts.gradients = facts.state = 0;
  PlanFigures known;
  StepCost::Figures plain;
  plain.compute = 1;
  plain.residuals = 16; // of all rows on each device
  Candidate::Key key = {{{"data", 4}}, {}, false, -1, 1, {}};
  known.figures[key] = plain;
  double row = plain.residuals * 4 / static_cast<double>(facts.batch);
  auto secondsIn = [&](double memory) {
    for (const StageBounds::Shape &shape :
         StageBounds(facts, known, 4, memory).list({1, 2, 4}))
      if (shape.pipe == 4)
        return shape.seconds;
    return 0.0;
  };
  double all = secondsIn(row);
  // If nothing is known of the residuals, computing all of them again is
  // assumed to cost a tenth of the step.
  EXPECT_NEAR(secondsIn(row / 2), all + 0.05, 1e-9);
  // Half of the residuals cost next to nothing, the rest a quarter of the step.
  auto curve = std::make_shared<ResidualCurve>();
  curve->points = {{/*saved=*/8, /*kept=*/8, /*seconds=*/0.01},
                   {/*saved=*/16, /*kept=*/0, /*seconds=*/0.25}};
  known.curves[key] = curve;
  EXPECT_NEAR(secondsIn(row / 2), all + 0.01, 1e-9);
  EXPECT_NEAR(secondsIn(row / 4), all + 0.25, 1e-9);
}

TEST_F(Plans, ALongSequenceGivesStagesTheirMicrobatches) {
  parse(16, 8);
  PlanFacts facts = this->facts();
  facts.batch = 4;
  facts.sequence = 64;
  PlanFigures known;
  StepCost::Figures plain;
  plain.compute = 1;
  known.figures[{{{"data", 4}, {"tensor", 4}}, {}, false, -1, 1, {}}] = plain;
  auto contexts = [&](int64_t pipe, int64_t tensor) {
    std::set<int64_t> found;
    for (const StageBounds::Shape &shape :
         StageBounds(facts, known, 16, 1e12).list({}))
      if (shape.pipe == pipe && shape.tensor == tensor)
        found.insert(shape.context);
    return found;
  };
  // Four rows, one on each of four devices, make one microbatch. On one device
  // with the sequence over four, they make four.
  EXPECT_EQ(contexts(4, 1), (std::set<int64_t>{1, 4}));
  EXPECT_EQ(contexts(2, 1), (std::set<int64_t>{4, 8})); // eight rows are too many
  EXPECT_EQ(contexts(4, 4), (std::set<int64_t>{1}));
  EXPECT_EQ(contexts(1, 4), (std::set<int64_t>{1}));
  // The sequence must divide into whole parts.
  facts.sequence = 6;
  EXPECT_EQ(contexts(4, 1), (std::set<int64_t>{1}));
  facts.sequence = 64;
  std::vector<Candidate> variants =
      makeVariants(facts, {}, 16, {4, 1, 4}, /*withTables=*/true);
  ASSERT_EQ(variants.size(), 1u);
  EXPECT_EQ(variants[0].label(), "pipe=4,context=4, auto");
}

} // namespace
