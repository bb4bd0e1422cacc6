// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts of a model into stages: the verifier, and the search against all cuts.

#include "planning/StageCut.h"
#include "planning/Random.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace zcc::planning;

namespace {
StageCutProblem makeProblem(const std::vector<double> &seconds,
                            const std::vector<double> &bytes,
                            std::vector<int64_t> stages) {
  StageCutProblem problem;
  for (size_t i = 0; i < seconds.size(); ++i)
    problem.pieces.push_back({seconds[i], i < bytes.size() ? bytes[i] : 0, 0});
  problem.stages = std::move(stages);
  return problem;
}

StageCut cutOf(const StageCutProblem &problem, double slack = 0) {
  StageCut cut;
  EXPECT_EQ(cutStages(problem, cut, slack), "");
  EXPECT_EQ(verifyStageCut(problem, cut), "");
  return cut;
}

TEST(StageCut, theSlowestPartIsAsFastAsCanBe) {
  // Eleven layers, an embedding and a head as long as four layers.
  std::vector<double> seconds(13, 1);
  seconds.front() = 0.1;
  seconds.back() = 4;
  EXPECT_EQ(cutOf(makeProblem(seconds, {}, {0, 1, 2, 3})),
            (StageCut{4, 8, 12, 13}));
}

TEST(StageCut, leastIsSentAmongThoseThatAreAlmostAsFast) {
  std::vector<double> seconds(6, 1), bytes = {9, 9, 5, 1, 9, 9};
  EXPECT_EQ(cutOf(makeProblem(seconds, bytes, {0, 1})), (StageCut{3, 6}));
  EXPECT_EQ(cutOf(makeProblem(seconds, bytes, {0, 1}), 0.34), (StageCut{4, 6}));
}

TEST(StageCut, whatIsSentTakesTime) {
  StageCutProblem problem = makeProblem({1, 1, 1, 1}, {}, {0, 1});
  problem.pieces[1].sentSeconds = 5;
  EXPECT_EQ(cutOf(problem), (StageCut{1, 4}));
  EXPECT_DOUBLE_EQ(slowestPart(problem, {2, 4}), 7);
}

TEST(StageCut, piecesAreOnTheStageThatTheyMustBeOn) {
  StageCutProblem problem = makeProblem({1, 1, 1, 1, 1, 1}, {}, {0, 1, 1, 0});
  problem.pieces[0].stage = 0;
  problem.pieces[1].stage = 1;
  problem.pieces[4].stage = 1;
  EXPECT_EQ(cutOf(problem).front(), 1U);
  EXPECT_EQ(cutOf(problem)[2], 5U);
  problem.pieces[0].stage = 1;
  StageCut cut;
  EXPECT_EQ(cutStages(problem, cut),
            "no cut leaves every stage something to compute");
}

TEST(StageCut, morePartsThanPieces) {
  StageCut cut;
  EXPECT_EQ(cutStages(makeProblem({1, 1}, {}, {0, 1, 2}), cut),
            "expected at least 3 pieces, one a part, found 2");
}

TEST(StageCut, theVerifierSaysWhatIsWrong) {
  StageCutProblem problem = makeProblem({1, 1, 1}, {}, {0, 1});
  problem.pieces[2].stage = 1;
  EXPECT_EQ(verifyStageCut(problem, {3}), "expected 2 parts, found 1");
  EXPECT_EQ(verifyStageCut(problem, {0, 3}),
            "part 0 ends behind piece 0, expected more than 0 and at most 3");
  EXPECT_EQ(verifyStageCut(problem, {1, 2}),
            "the last part ends behind piece 2, expected 3");
  problem.pieces[2].stage = 0;
  EXPECT_EQ(verifyStageCut(problem, {1, 3}),
            "piece 2 must be on stage 0, part 1 is on 1");
}

// The best of all cuts, by trying them.
double leastSlowest(const StageCutProblem &problem, StageCut &cut, size_t part,
                    size_t begin) {
  size_t all = problem.pieces.size();
  if (part + 1 == problem.stages.size()) {
    cut[part] = all;
    return begin < all ? slowestPart(problem, cut) : 1e9;
  }
  double least = 1e9;
  for (size_t end = begin + 1; end < all; ++end) {
    cut[part] = end;
    least = std::min(least, leastSlowest(problem, cut, part + 1, end));
  }
  return least;
}

TEST(StageCut, asGoodAsTheBestOfAllCuts) {
  Random random;
  for (int i = 0; i < 200; ++i) {
    StageCutProblem problem;
    size_t pieces = 3 + random.below(7), parts = 2 + random.below(2);
    for (size_t k = 0; k < pieces; ++k)
      problem.pieces.push_back({double(1 + random.below(9)),
                                double(random.below(9)),
                                double(random.below(3))});
    for (size_t k = 0; k < parts; ++k)
      problem.stages.push_back(int64_t(k));
    StageCut some(parts);
    EXPECT_DOUBLE_EQ(slowestPart(problem, cutOf(problem)),
                     leastSlowest(problem, some, 0, 0));
  }
}

using Held = StageCutProblem::Held;

// Eight equal layers on four stages: 10 bytes of state each, a microbatch keeps
// 4 that stay and 16 that may be computed again, and a stage holds as many as
// stages come after it, and one.
StageCutProblem makeLayers(double memory) {
  StageCutProblem problem =
      makeProblem(std::vector<double>(8, 3), {}, {0, 1, 2, 3});
  for (size_t i = 0; i < 8; ++i) {
    problem.pieces[i].againSeconds = 1;
    problem.held.push_back({10, {i}, Held::Step});
    problem.held.push_back({4, {i}, Held::Microbatch});
    problem.held.push_back({16, {i}, Held::Again});
  }
  problem.microbatches = {4, 3, 2, 1};
  problem.again = {{0.25, 0}, {0.5, 0.25}, {1, 1}};
  problem.memory = memory;
  return problem;
}

TEST(StageCut, whatPartsHoldByTheirPlaceInTheSchedule) {
  StageCutProblem problem = makeLayers(100);
  StageCut even = {2, 4, 6, 8};
  PartMemory first = findMemory(problem, even, 0),
             last = findMemory(problem, even, 3);
  EXPECT_EQ(first.least, 2 * (10 + 4 * 4));
  EXPECT_EQ(first.again, 2 * 4 * 16);
  EXPECT_EQ(last.least, 2 * (10 + 4));
  EXPECT_EQ(last.again, 2 * 16);
  problem.pieces[3].temporaryBytes = 7;
  problem.pieces[2].temporaryBytes = 5;
  EXPECT_EQ(findMemory(problem, even, 1).least, 2 * (10 + 3 * 4) + 7);
}

TEST(StageCut, whatSeveralPiecesHaveIsHeldOnceByAPart) {
  StageCutProblem problem = makeProblem({1, 1, 1, 1}, {}, {0, 1});
  problem.held.push_back({5, {0, 1, 3}, Held::Step}); // a tied embedding
  EXPECT_EQ(findMemory(problem, {2, 4}, 0).least, 5);
  EXPECT_EQ(findMemory(problem, {2, 4}, 1).least, 5);
  EXPECT_EQ(findMemory(problem, {1, 4}, 1).least, 5);
}

TEST(StageCut, whereAllFitsMemoryIsNoMatter) {
  EXPECT_EQ(cutOf(makeLayers(180)), (StageCut{2, 4, 6, 8}));
  EXPECT_EQ(cutOf(makeLayers(0)), (StageCut{2, 4, 6, 8}));
}

TEST(StageCut, whatDoesNotFitIsComputedAgain) {
  // The first stage has to spare 180 - 116 of 128 bytes: half of them, for a
  // quarter of two seconds.
  EXPECT_EQ(cutOf(makeLayers(116)), (StageCut{2, 4, 6, 8}));
  EXPECT_DOUBLE_EQ(slowestPart(makeLayers(116), {2, 4, 6, 8}), 6.5);
  // Sparing a quarter of the bytes is free; three quarters take 1.25 s.
  EXPECT_DOUBLE_EQ(slowestPart(makeLayers(148), {2, 4, 6, 8}), 6);
  EXPECT_DOUBLE_EQ(slowestPart(makeLayers(84), {2, 4, 6, 8}), 7.25);
}

TEST(StageCut, ofThoseThatFitTheFastest) {
  // Two layers of the first stage need 52 bytes at least.
  StageCut cut = cutOf(makeLayers(51));
  EXPECT_EQ(cut.front(), 1U);
  for (size_t part = 0; part < 4; ++part)
    EXPECT_LE(findMemory(makeLayers(51), cut, part).least, 51);
}

TEST(StageCut, whereMemoryIsShortEqualCutsAreEven) {
  // The last piece is the slowest part; what else there is may be anywhere.
  StageCutProblem problem = makeProblem({1, 1, 1, 1, 1, 1, 6}, {}, {0, 1, 2});
  EXPECT_EQ(cutOf(problem), (StageCut{1, 6, 7}));
  problem.held.push_back({2, {0}, Held::Again});
  problem.memory = 1;
  EXPECT_EQ(cutOf(problem), (StageCut{3, 6, 7}));
}

TEST(StageCut, whereNothingFitsThatWhichLacksLeast) {
  // 26, 22 and 18 bytes of a layer, and 14: with four of them on the last one.
  StageCut cut = cutOf(makeLayers(20));
  double most = 0;
  for (size_t part = 0; part < 4; ++part)
    most = std::max(most, findMemory(makeLayers(20), cut, part).least);
  EXPECT_EQ(cut, (StageCut{1, 3, 5, 8}));
  EXPECT_EQ(most, 44);
}

TEST(StageCut, chunksOfAStageShareItsMemory) {
  StageCutProblem problem = makeLayers(104);
  problem.stages = {0, 1, 0, 1};
  problem.microbatches = {4, 4, 4, 4};
  // 52 each, which two layers need.
  EXPECT_EQ(cutOf(problem), (StageCut{2, 4, 6, 8}));
}

TEST(StageCut, ofManyPlacesThoseWhereLeastIsSent) {
  StageCutProblem problem;
  for (int i = 0; i < 8000; ++i)
    problem.pieces.push_back({1, i % 10 == 9 ? 1.0 : 50.0, 0});
  problem.stages = {0, 1, 2, 3, 4, 5, 6, 7};
  for (size_t end : cutOf(problem, 0.02))
    EXPECT_EQ(end % 10, 0U);
  EXPECT_LE(slowestPart(problem, cutOf(problem, 0.02)), 1020);
}
} // namespace
