// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for the residuals that are kept, stage by stage, against peaks of
// each.
#include "compiler/planner/fit/StageSearch.h"
#include "compiler/planner/fit/LeastSearch.h"
#include "compiler/planner/fit/ResidualSearch.h"
#include "gtest/gtest.h"

using namespace zcc;
using namespace zcc::planner;

namespace {
constexpr double memory = 1000;

/// Stages that hold `held` microbatches each, beside `state`.
struct Pipeline {
  std::vector<double> held;
  double state = 200, all = 100;

  double peakOf(size_t stage, double kept) const {
    return state + held[stage] * kept;
  }
  static std::vector<planning::RecomputationFrontier::Point> getFrontier() {
    std::vector<planning::RecomputationFrontier::Point> points;
    for (int i = 0; i <= 90; ++i)
      points.push_back({100.0 - i, double(i)});
    return points;
  }
  /// The point of the frontier within a limit.
  double keptWithin(double limit) const {
    return limit < 0 ? all : std::clamp(limit, 10.0, all);
  }
};

template <typename Search> struct FoundByStage {
  StageSearch<Search> search;
  std::vector<double> limits; // of the best
  int tries = 0;
};

template <typename Search>
FoundByStage<Search> run(const Pipeline &pipeline, StageSearch<Search> search,
                         double first) {
  std::vector<double> limits(pipeline.held.size(), first);
  FoundByStage<Search> found{std::move(search), {}, 0};
  std::optional<std::vector<double>> next = limits;
  for (; next && found.tries < 50; ++found.tries) {
    limits = *next;
    bool isLimited = std::any_of(limits.begin(), limits.end(),
                                 [](double own) { return own >= 0; });
    std::vector<typename StageSearch<Search>::Tried> tried;
    for (size_t i = 0; i < limits.size(); ++i) {
      double kept = pipeline.keptWithin(limits[i]);
      tried.push_back(
          {isLimited ? Pipeline::getFrontier()
                     : std::vector<planning::RecomputationFrontier::Point>(),
           kept, pipeline.peakOf(i, kept)});
    }
    found.search.note(tried);
    if (found.search.isBest())
      found.limits = limits;
    next = found.search.next();
  }
  return found;
}

FoundByStage<ResidualSearch> searchResiduals(const Pipeline &pipeline) {
  auto make = [&](size_t stage) {
    return ResidualSearch(memory, pipeline.held[stage]);
  };
  return run(pipeline,
             StageSearch<ResidualSearch>(
                 std::vector<double>(pipeline.held.size(), -1), make, memory),
             -1);
}

TEST(StageSearch, aStageWithRoomComputesNothingAgain) {
  // 1800, 1400, 1000 and 600 bytes, if all is kept.
  Pipeline pipeline{{16, 12, 8, 4}};
  FoundByStage<ResidualSearch> found = searchResiduals(pipeline);
  EXPECT_TRUE(found.search.found());
  ASSERT_EQ(found.limits.size(), 4U);
  EXPECT_LT(found.limits[3], 0); // has no limit
  EXPECT_LT(found.limits[2], 0);
  for (size_t stage : {0, 1}) {
    double peak =
        pipeline.peakOf(stage, pipeline.keptWithin(found.limits[stage]));
    EXPECT_LE(peak, memory);
    EXPECT_GE(peak, 0.97 * memory);
  }
  EXPECT_LE(found.tries, 6);
}

TEST(StageSearch, whatFitsIsLeftAsItIs) {
  FoundByStage<ResidualSearch> found = searchResiduals({{8, 4, 2, 1}});
  EXPECT_EQ(found.tries, 1);
  EXPECT_EQ(found.limits, std::vector<double>(4, -1));
}

TEST(StageSearch, oneStageThatCannotFit) {
  Pipeline pipeline{{100, 4}};
  FoundByStage<ResidualSearch> found = searchResiduals(pipeline);
  EXPECT_FALSE(found.search.found());
  EXPECT_TRUE(found.search.isHopeless());
  EXPECT_FALSE(found.search.bestOf(0));
  EXPECT_EQ(found.search.bestOf(1), -1);
  EXPECT_EQ(pipeline.keptWithin(found.limits[0]), 10);
}

TEST(StageSearch, whereOneCannotFitTheOthersAreNotBettered) {
  // Alone they would be looked for longer than what cannot be.
  Pipeline pipeline{{16, 14, 12}};
  int tries = searchResiduals(pipeline).tries;
  pipeline.held.push_back(100);
  FoundByStage<ResidualSearch> found = searchResiduals(pipeline);
  EXPECT_FALSE(found.search.bestOf(3));
  for (size_t stage : {0, 1, 2})
    EXPECT_TRUE(found.search.bestOf(stage));
  EXPECT_LE(found.tries, tries);
  EXPECT_LE(found.tries, 4);
}

TEST(StageSearch, stagesThatWereBestInDifferentTriesAreTriedTogether) {
  // The least of each stage is at another point.
  StageSearch<LeastSearch> search({0, 0},
                                  [](size_t) { return LeastSearch(9); });
  auto peakOf = [](size_t stage, double kept) {
    double least = stage == 0 ? 30 : 80;
    return 500 + 10 * std::abs(kept - least);
  };
  Pipeline pipeline{{1, 1}};
  std::vector<double> limits(2, 0), best;
  std::optional<std::vector<double>> next = limits;
  int tries = 0;
  for (; next && tries < 50; ++tries) {
    limits = *next;
    std::vector<StageSearch<LeastSearch>::Tried> tried;
    for (size_t i = 0; i < 2; ++i) {
      double kept = pipeline.keptWithin(limits[i]);
      tried.push_back({Pipeline::getFrontier(), kept, peakOf(i, kept)});
    }
    search.note(tried);
    if (search.isBest())
      best = limits;
    next = search.next();
  }
  ASSERT_EQ(best.size(), 2U);
  EXPECT_LT(tries, 20);
  EXPECT_NEAR(pipeline.keptWithin(best[0]), 30, 15);
  EXPECT_NEAR(pipeline.keptWithin(best[1]), 80, 15);
}

TEST(StageSearch, whatFitMayNotOnceOthersHaveLimits) {
  // Arithmetic is merged then, and takes a little more.
  Pipeline pipeline{{16, 8}, 200, 100};
  auto make = [&](size_t stage) {
    return ResidualSearch(memory, pipeline.held[stage]);
  };
  StageSearch<ResidualSearch> search({-1, -1}, make, memory);
  search.note({{{}, 100, 1800}, {{}, 100, 1000}});
  std::vector<double> limits = search.next().value();
  EXPECT_LT(limits[1], 0);
  search.note({{Pipeline::getFrontier(), 45, 920},
               {Pipeline::getFrontier(), 100, 1010}});
  limits = search.next().value();
  EXPECT_GE(limits[1], 0);
  EXPECT_LT(limits[1], 100);
}
} // namespace
