// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory placement: the text form, the verifier (which must see every mistake),
// and the algorithms on small and random problems.
#include "compiler/planning/MemoryAlgorithms.h"
#include "gtest/gtest.h"
#include <fstream>
#include <random>
#include <sstream>

using namespace zcc::planning;

namespace {

MemoryProblem parse(const std::string &csv) {
  MemoryProblem problem;
  EXPECT_EQ(parseMemoryProblem(csv, problem), "");
  return problem;
}

std::string errorOf(const std::string &csv) {
  MemoryProblem problem;
  return parseMemoryProblem(csv, problem);
}

const char *const three = "id,lower,upper,size\n"
                          "a,0,4,10\nb,2,6,20\nc,4,8,10\n";

TEST(MemoryText, columnsMayComeInAnyOrder) {
  MemoryProblem problem = parse("size,id,upper,lower\r\n8,x,3,1\r\n");
  ASSERT_EQ(problem.buffers.size(), 1u);
  EXPECT_EQ(problem.buffers[0].id, "x");
  EXPECT_EQ(problem.buffers[0].size, 8);
  EXPECT_EQ(problem.buffers[0].live[0].lower, 1);
  EXPECT_EQ(problem.buffers[0].live[0].upper, 3);
}

TEST(MemoryText, rowsOfOneIdAreIntervalsOfOneBuffer) {
  MemoryProblem problem = parse("id,lower,upper,size\na,5,6,1\na,0,2,1\n");
  ASSERT_EQ(problem.buffers.size(), 1u);
  ASSERT_EQ(problem.buffers[0].live.size(), 2u);
  EXPECT_EQ(problem.buffers[0].live[0].lower, 0);
}

TEST(MemoryText, errorsNameTheLine) {
  EXPECT_EQ(errorOf("id,lower,upper,size\na,0,x,1\n"),
            "line 2: 'x' is not an integer");
  EXPECT_EQ(errorOf("id,lower,upper,size\na,3,3,1\n"),
            "line 2: lower 3 is not below upper 3");
  EXPECT_EQ(errorOf("id,lower,upper,size\na,0,1,-1\n"),
            "line 2: negative size -1");
  // Lifetimes are differences of these.
  EXPECT_EQ(errorOf("id,lower,upper,size\n"
                    "a,-9223372036854775808,9223372036854775807,1\n"),
            "line 2: lower and upper are expected between -2^60 and 2^60");
  EXPECT_EQ(errorOf("id,lower,upper,size\na,0\n"), "line 2: no field 'upper'");
  EXPECT_NE(errorOf("id,begin,upper,size\n").find("no column 'lower'"),
            std::string::npos);
  EXPECT_NE(errorOf(""), "");
}

TEST(MemoryVerifier, acceptsWhatSharesOnlyWhatIsDead) {
  MemoryProblem problem = parse(three);
  EXPECT_EQ(verifyPlacement(problem, {{0, 10, 0}, 30}), "");
  EXPECT_EQ(
      printPlacement(problem, {{0, 10, 0}, 30}),
      "id,lower,upper,size,offset\na,0,4,10,0\nb,2,6,20,10\nc,4,8,10,0\n");
}

TEST(MemoryVerifier, seesOverlaps) {
  MemoryProblem problem = parse(three);
  EXPECT_EQ(verifyPlacement(problem, {{0, 9, 0}, 29}),
            "buffers a and b overlap at time 2");
  EXPECT_EQ(verifyPlacement(problem, {{10, 0, 20}, 30}),
            "buffers a and b overlap at time 2");
  EXPECT_EQ(verifyPlacement(problem, {{20, 0, 0}, 30}),
            "buffers b and c overlap at time 4");
}

TEST(MemoryVerifier, seesWrongHeightAlignmentAndCount) {
  MemoryProblem problem = parse(three);
  EXPECT_NE(verifyPlacement(problem, {{0, 10, 0}, 31}), "");
  EXPECT_NE(verifyPlacement(problem, {{0, 10}, 30}), "");
  EXPECT_NE(verifyPlacement(problem, {{0, 10, -10}, 30}), "");
  problem.alignment = 4;
  EXPECT_NE(verifyPlacement(problem, {{0, 10, 0}, 30}), "");
}

TEST(MemoryBound, isTheLargestSumOfLiveSizes) {
  EXPECT_EQ(lowerBound(parse(three)), 30);
  // Ends come before starts.
  EXPECT_EQ(lowerBound(parse("id,lower,upper,size\na,0,4,10\nb,4,6,10\n")), 10);
}

TEST(MemoryPlacement, usesGapsBetweenTheRunsOfATask) {
  // b runs while a rests: one place serves both.
  MemoryProblem problem =
      parse("id,lower,upper,size\na,0,2,8\na,4,6,8\nb,2,4,8\nb,6,8,8\n");
  MemoryPlacement placement = placeBuffers(problem);
  EXPECT_EQ(placement.height, 8);
  EXPECT_EQ(verifyPlacement(problem, placement), "");
}

TEST(MemoryPlacement, emptyProblemAndEmptyBuffers) {
  EXPECT_EQ(placeBuffers({}).height, 0);
  MemoryProblem problem = parse("id,lower,upper,size\na,0,2,0\nb,0,2,0\n");
  EXPECT_EQ(verifyPlacement(problem, placeBuffers(problem)), "");
}

TEST(MemoryPlacement, everyOrderIsValidOnRandomProblems) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    MemoryProblem problem;
    problem.alignment = round % 2 ? 64 : 1;
    int count = 1 + random() % 60;
    for (int i = 0; i < count; ++i) {
      MemoryBuffer buffer{std::to_string(i), int64_t(random() % 1000), {}};
      for (unsigned k = 0; k < 1 + random() % 3; ++k) {
        int64_t lower = random() % 100;
        buffer.live.push_back({lower, lower + 1 + int64_t(random() % 20)});
      }
      normalize(buffer.live);
      problem.buffers.push_back(buffer);
    }
    for (PlacementOrder order :
         {PlacementOrder::Size, PlacementOrder::Area, PlacementOrder::Lifetime,
          PlacementOrder::Conflicts, PlacementOrder::Start})
      for (Fit fit : {Fit::First, Fit::Best})
        EXPECT_EQ(
            verifyPlacement(
                problem, placeInOrder(problem, makeOrder(problem, order), fit)),
            "");
    PlacementOptions options;
    options.nodes = 100;
    options.attempts = 50;
    MemoryPlacement best = placeBuffers(problem, options);
    EXPECT_EQ(verifyPlacement(problem, best), "");
    if (auto found = searchPlacement(problem, best.height, 2000)) {
      EXPECT_EQ(verifyPlacement(problem, *found), "");
      EXPECT_LE(found->height, best.height);
    }
    EXPECT_GE(best.height, lowerBound(problem));
    EXPECT_EQ(best.offsets, placeBuffers(problem, options).offsets);
  }
}

TEST(MemorySearch, findsWhatNoOrderFinds) {
  std::ifstream file(INSTANCES "/A.1048576.csv");
  std::stringstream text;
  text << file.rdbuf();
  MemoryProblem problem = parse(text.str());
  auto found = searchPlacement(problem, 1048576, 1000000);
  ASSERT_TRUE(found);
  EXPECT_EQ(verifyPlacement(problem, *found), "");
  EXPECT_LE(found->height, 1048576);
  EXPECT_FALSE(searchPlacement(problem, 1048575, 1000)); // the bound is above
}

// Instances in minimalloc's format; the heights are what is reached with the
// default effort, which must not grow.
TEST(MemoryPlacement, instances) {
  const std::pair<const char *, double> expected[] = {{"A.1048576.csv", 1.21},
                                                      {"resnet50.csv", 1.002}};
  for (auto [name, ratio] : expected) {
    std::ifstream file(std::string(INSTANCES "/") + name);
    ASSERT_TRUE(file) << name;
    std::stringstream text;
    text << file.rdbuf();
    MemoryProblem problem = parse(text.str());
    MemoryPlacement placement = placeBuffers(problem);
    EXPECT_EQ(verifyPlacement(problem, placement), "");
    EXPECT_LE(double(placement.height), ratio * double(lowerBound(problem)))
        << name;
  }
}

} // namespace
