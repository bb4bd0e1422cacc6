// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for the residuals that are kept, against peaks of all kinds.
#include "compiler/planner/fit/ResidualSearch.h"
#include "gtest/gtest.h"
#include <functional>
#include <random>

using namespace zcc;
using namespace zcc::planner;

namespace {

struct FoundResiduals {
  double kept = 0, peak = 0;
  int tries = 0;
  bool fits = false;
};

/// Searches as the driver does: first with everything kept, and nothing known.
FoundResiduals search(double memory, const ResidualSearch::Frontier &frontier,
                      double all, const std::function<double(double)> &peakOf,
                      std::optional<double> from = std::nullopt) {
  ResidualSearch own(memory);
  FoundResiduals best;
  double kept = from.value_or(all);
  bool whole = !from;
  for (int tries = 1;; ++tries) {
    own.note(whole ? ResidualSearch::Frontier() : frontier, kept, peakOf(kept));
    std::optional<double> bytes = own.next();
    if (tries == 1 || own.isBest())
      best = {kept, peakOf(kept), tries, peakOf(kept) <= memory};
    best.tries = tries;
    EXPECT_EQ(own.found(), best.fits);
    if (!bytes || tries == 50)
      return best;
    whole = false;
    size_t point = 0;
    while (point + 1 < frontier.size() && frontier[point].bytes > *bytes)
      ++point;
    kept = frontier[point].bytes;
  }
}

ResidualSearch::Frontier drawFrontier(std::mt19937 &random) {
  auto upTo = [&](int most) {
    return std::uniform_int_distribution<int>(1, most)(random);
  };
  ResidualSearch::Frontier frontier;
  double bytes = 0, seconds = 0;
  for (int n = upTo(200); n > 0; --n)
    frontier.push_back({bytes += upTo(100), 0});
  std::reverse(frontier.begin(), frontier.end());
  for (auto &point : frontier)
    point.seconds = seconds += upTo(10);
  return frontier;
}

TEST(ResidualSearch, FindsWhatFitsWhereSomethingDoes) {
  std::mt19937 random(3);
  for (int turn = 0; turn < 2000; ++turn) {
    ResidualSearch::Frontier frontier = drawFrontier(random);
    double all = frontier.front().bytes + 1,
           base = std::uniform_int_distribution<int>(0, 5000)(random),
           bend = std::uniform_real_distribution<double>(.3, 1)(random);
    // From a line to one that is steep at first, or late.
    auto peakOf = [&](double kept) {
      return base + all * std::pow(kept / all, turn % 2 ? bend : 1 / bend);
    };
    double low = peakOf(frontier.back().bytes), high = peakOf(all),
           memory =
               low + std::uniform_real_distribution<double>(-.1, 1.1)(random) *
                         (high - low);
    FoundResiduals found = search(memory, frontier, all, peakOf);
    ASSERT_EQ(found.fits, memory >= std::min(low, high)) << turn;
    ASSERT_LE(found.tries, 10) << turn;
    if (memory >= high) {
      ASSERT_EQ(found.tries, 1);
      ASSERT_EQ(found.kept, all);
    }
  }
}

TEST(ResidualSearch, StopsWhereLittleIsLeftToGain) {
  ResidualSearch::Frontier frontier;
  for (int i = 999; i >= 0; --i)
    frontier.push_back({double(i), double(1000 - i)});
  auto peakOf = [](double kept) { return 1000 + kept; };
  FoundResiduals found = search(1500, frontier, 1000, peakOf);
  EXPECT_LE(found.tries, 4);
  EXPECT_GE(found.peak, 1500 * (1 - 1. / 64));
}

TEST(ResidualSearch, WhatIsFullIsEnoughWherePeaksGrowAsWhatIsKept) {
  ResidualSearch::Frontier frontier;
  for (int i = 999; i >= 0; --i)
    frontier.push_back({double(i), double(1000 - i)});
  FoundResiduals found =
      search(1500, frontier, 1000, [](double kept) { return 1000 + kept; });
  EXPECT_EQ(found.tries, 2);
  EXPECT_GE(found.peak, 1500 * (1 - 1. / 128));
  // If they do not, the next point may fit, too.
  found =
      search(1300, frontier, 1000, [](double kept) { return 1000 + kept / 2; });
  EXPECT_GE(found.kept, 600 - 1000. / 64);
}

TEST(ResidualSearch, WhatBeganWithLessKeepsMore) {
  ResidualSearch::Frontier frontier;
  for (int i = 999; i >= 0; --i)
    frontier.push_back({double(i), double(1000 - i)});
  auto peakOf = [](double kept) { return 1000 + 1.5 * kept; };
  FoundResiduals found = search(2000, frontier, 1000, peakOf, 200);
  EXPECT_TRUE(found.fits);
  EXPECT_GT(found.kept, 600);
}

TEST(ResidualSearch, WhereNothingFitsTheLeastIsLeft) {
  ResidualSearch::Frontier frontier = {{90, 1}, {50, 2}, {10, 3}};
  FoundResiduals found =
      search(50, frontier, 100, [](double kept) { return 100 + kept; });
  EXPECT_FALSE(found.fits);
  EXPECT_EQ(found.kept, 10);
  // A point that takes even more is not chosen.
  found = search(50, frontier, 100, [](double kept) { return 300 - kept; });
  EXPECT_EQ(found.kept, 100);
}

TEST(ResidualSearch, WhereAllPointsCountMoreThanWhatIsKept) {
  // Values between blocks take memory, though nobody reads them.
  for (double memory : {70., 130., 200.}) {
    FoundResiduals found =
        search(memory, {{120, 1}, {90, 2}}, 80,
               [](double kept) { return kept == 80 ? 150. : kept + 10; });
    EXPECT_EQ(found.fits, memory > 70) << memory;
  }
}

TEST(ResidualSearch, AsksForLessThanItKnows) {
  ResidualSearch own(40);
  ResidualSearch::Frontier known = {{90, 1}, {60, 2}};
  own.note({}, 100, 150);
  EXPECT_LE(own.next().value(), 90);
  own.note(known, 60, 80);
  // There may be more points, and there are.
  EXPECT_LT(own.next().value(), 60);
  known.push_back({30, 3});
  own.note(known, 30, 35);
  EXPECT_TRUE(own.found());
  EXPECT_FALSE(own.next());
  // There are none.
  ResidualSearch other(40);
  known.pop_back();
  other.note({}, 100, 150);
  other.next();
  other.note(known, 60, 80);
  EXPECT_LT(other.next().value(), 60);
  other.note(known, 60, 80);
  EXPECT_FALSE(other.next());
}

// A plan that is far from its memory is given up after the least was tried.
TEST(ResidualSearch, WhereNoPointPromisesEnoughTheLeastIsNext) {
  ResidualSearch own(40);
  const ResidualSearch::Frontier known = {{90, 1}, {60, 2}, {50, 3}};
  own.note(known, 90, 500);
  EXPECT_EQ(own.next(), 0);
  own.note(known, 50, 470);
  EXPECT_FALSE(own.next());
}

TEST(ResidualSearch, TheLastPointIsAskedForOnce) {
  ResidualSearch own(40);
  const ResidualSearch::Frontier known = {{90, 1}, {60, 2}};
  own.note(known, 90, 80);
  EXPECT_EQ(own.next(), 0);
  own.note(known, 60, 50);
  EXPECT_FALSE(own.next());
  // A search that begins with the least point has nothing else to ask for.
  ResidualSearch least(40, 1, /*fromLeast=*/true);
  least.note(known, 60, 50);
  EXPECT_FALSE(least.next());
  EXPECT_FALSE(least.found());
}

} // namespace
