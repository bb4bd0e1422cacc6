// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for the least that a plan needs, against peaks of all kinds.
#include "compiler/planner/fit/LeastSearch.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>

using namespace zcc;
using namespace zcc::planner;

namespace {

struct FoundLeast {
  double kept = 0, peak = 0;
  int tries = 0;
};

/// Searches as the driver does: first with everything computed again.
FoundLeast search(const LeastSearch::Frontier &frontier,
                  const std::function<double(double)> &peakOf) {
  LeastSearch own(9);
  FoundLeast found;
  std::optional<double> kept = frontier.back().bytes;
  for (int tries = 1; kept; ++tries) {
    own.note(*kept < 0 ? LeastSearch::Frontier() : frontier, *kept,
             peakOf(*kept));
    if (own.isBest())
      found = {*kept, peakOf(*kept), 0};
    found.tries = tries;
    kept = own.next();
  }
  return found;
}

LeastSearch::Frontier makeFrontier(int count, double returning) {
  LeastSearch::Frontier frontier;
  for (int i = count - 1; i >= 0; --i)
    frontier.push_back(
        {double(i), double(count - i), returning * (count - i) / count});
  return frontier;
}

TEST(LeastSearch, TheLastPointWhereAllThatIsKeptCounts) {
  FoundLeast found =
      search(makeFrontier(500, 0), [](double kept) { return kept; });
  EXPECT_EQ(found.kept, 0);
  EXPECT_LE(found.tries, 10);
}

TEST(LeastSearch, APointBetweenWhereWhatComesBackCounts) {
  for (double bottom : {20., 130., 333., 480.}) {
    auto peakOf = [&](double kept) { return 1000 + std::abs(kept - bottom); };
    // The values that come back are as many as the frontier says, or not.
    for (double returning : {0., 300., 1000.}) {
      FoundLeast found = search(makeFrontier(500, returning), peakOf);
      EXPECT_LE(found.peak, 1020) << bottom << " " << returning;
      EXPECT_LE(found.tries, 10);
    }
  }
}

TEST(LeastSearch, OfFewPointsEachIsTried) {
  LeastSearch::Frontier frontier = {{190, 0, 0}, {50, 1, 0}, {10, 2, 0}};
  FoundLeast found = search(
      frontier, [](double kept) { return kept == 50 ? 70 : 100 + kept; });
  EXPECT_EQ(found.kept, 50);
  EXPECT_EQ(found.tries, 3);
}

TEST(LeastSearch, AllIsKeptWhereThatNeedsLeast) {
  FoundLeast found = search({{90, 0, 0}, {50, 1, 0}}, [](double kept) {
    return kept < 0 ? 95 : 100 + kept;
  });
  EXPECT_EQ(found.kept, -1);
  // A point that takes more by itself is not tried.
  found = search({{900, 0, 0}, {50, 1, 0}},
                 [](double kept) { return kept < 0 ? 95 : 100 + kept; });
  EXPECT_EQ(found.kept, 50);
}

TEST(LeastSearch, OverWhereNothingCanBeComputedAgain) {
  LeastSearch own(9);
  own.note({}, 0, 100);
  EXPECT_TRUE(own.isBest());
  EXPECT_FALSE(own.next());
  LeastSearch other(9);
  other.note({{10, 0, 0}}, 10, 100);
  EXPECT_EQ(other.next().value(), -1);
  other.note({}, 10, 100);
  EXPECT_FALSE(other.isBest());
  EXPECT_FALSE(other.next());
}

} // namespace
