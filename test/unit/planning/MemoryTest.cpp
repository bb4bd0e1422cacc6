// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory placement: the text form, the verifier (which must see every mistake),
// and the algorithms on small and random problems.
#include "planning/ConflictMatrix.h"
#include "planning/MemoryAlgorithms.h"
#include "planning/TakenBytes.h"
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

std::string memoryErrorOf(const std::string &csv) {
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
  EXPECT_EQ(memoryErrorOf("id,lower,upper,size\na,0,x,1\n"),
            "line 2: 'x' is not an integer");
  EXPECT_EQ(memoryErrorOf("id,lower,upper,size\na,3,3,1\n"),
            "line 2: lower 3 is not below upper 3");
  EXPECT_EQ(memoryErrorOf("id,lower,upper,size\na,0,1,-1\n"),
            "line 2: negative size -1");
  // Sizes of lifetimes are differences of these numbers.
  EXPECT_EQ(memoryErrorOf("id,lower,upper,size\n"
                          "a,-9223372036854775808,9223372036854775807,1\n"),
            "line 2: lower and upper are expected between -2^60 and 2^60");
  EXPECT_EQ(memoryErrorOf("id,lower,upper,size\na,0\n"),
            "line 2: no field 'upper'");
  EXPECT_NE(memoryErrorOf("id,begin,upper,size\n").find("no column 'lower'"),
            std::string::npos);
  EXPECT_NE(memoryErrorOf(""), "");
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

MemoryProblem drawProblem(std::mt19937 &random, int count, int64_t alignment) {
  MemoryProblem problem;
  problem.alignment = alignment;
  for (int i = 0; i < count; ++i) {
    MemoryBuffer buffer{std::to_string(i), int64_t(random() % 1000), {}};
    for (unsigned k = 0; k < 1 + random() % 3; ++k) {
      int64_t lower = random() % 100;
      buffer.live.push_back({lower, lower + 1 + int64_t(random() % 20)});
    }
    normalize(buffer.live);
    problem.buffers.push_back(buffer);
  }
  return problem;
}

TEST(ConflictMatrix, saysWhatIntervalsSay) {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    MemoryProblem problem = drawProblem(random, 1 + random() % 150, 1);
    ConflictMatrix matrix(problem);
    for (size_t a = 0; a < problem.buffers.size(); ++a)
      for (size_t b = 0; b < problem.buffers.size(); ++b)
        if (a != b)
          ASSERT_EQ(matrix.conflict(a, b),
                    conflict(problem.buffers[a], problem.buffers[b]))
              << a << " " << b;
  }
}

// Intervals are taken in a random order, some of them left out, so there are
// gaps.
TEST(TakenBytes, listAndTreeFindTheSameGaps) {
  std::mt19937 random(13);
  for (int round = 0; round < 40; ++round) {
    MemoryProblem problem =
        drawProblem(random, 1 + random() % 100, round % 2 ? 64 : 1);
    auto list = TakenBytes::makeList(problem),
         tree = TakenBytes::makeTree(problem);
    for (int again = 0; again < 2; ++again) {
      list->clear();
      tree->clear();
      for (size_t at = 0; at < problem.buffers.size(); ++at) {
        if (problem.buffers[at].size == 0)
          continue;
        for (Fit fit : {Fit::First, Fit::Best})
          ASSERT_EQ(list->findGap(at, fit), tree->findGap(at, fit)) << at;
        int64_t offset = list->findGap(at, Fit::First) +
                         64 * int64_t(random() % 3 ? 0 : random() % 40);
        list->take(at, offset);
        tree->take(at, offset);
      }
    }
  }
}

TEST(MemoryPlacement, everyOrderIsValidOnRandomProblems) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    MemoryProblem problem =
        drawProblem(random, 1 + random() % 60, round % 2 ? 64 : 1);
    for (PlacementOrder order :
         {PlacementOrder::Size, PlacementOrder::Area, PlacementOrder::Lifetime,
          PlacementOrder::Conflicts, PlacementOrder::Start})
      for (Fit fit : {Fit::First, Fit::Best})
        EXPECT_EQ(
            verifyPlacement(
                problem, placeInOrder(problem, makeOrder(problem, order), fit)),
            "");
    PlacementOptions options;
    options.steps = 20000;
    MemoryPlacement best = placeBuffers(problem, options);
    EXPECT_EQ(verifyPlacement(problem, best), "");
    if (auto found = searchPlacement(problem, best.height, 20000)) {
      EXPECT_EQ(verifyPlacement(problem, *found), "");
      EXPECT_LE(found->height, best.height);
    }
    EXPECT_GE(best.height, lowerBound(problem));
    EXPECT_EQ(best.offsets, placeBuffers(problem, options).offsets);
  }
}

/// Returns true if the buffers from `at` on fit below `height`: tries every
/// offset.
bool fits(const MemoryProblem &problem, std::vector<int64_t> &offsets,
          size_t at, int64_t height) {
  if (at == problem.buffers.size())
    return true;
  for (offsets[at] = 0; offsets[at] + problem.buffers[at].size <= height;
       offsets[at] += problem.alignment) {
    bool clash = false;
    for (size_t i = 0; i < at; ++i)
      clash |= conflict(problem.buffers[i], problem.buffers[at]) &&
               offsets[i] < offsets[at] + problem.buffers[at].size &&
               offsets[at] < offsets[i] + problem.buffers[i].size;
    if (!clash && fits(problem, offsets, at + 1, height))
      return true;
  }
  return false;
}

TEST(MemorySearch, isExactOnTinyProblems) {
  std::mt19937 random(3);
  int aboveBound = 0;
  for (int round = 0; round < 300; ++round) {
    MemoryProblem problem;
    int count = 2 + random() % 7;
    for (int i = 0; i < count; ++i) {
      MemoryBuffer buffer{std::to_string(i), int64_t(1 + random() % 4), {}};
      for (unsigned k = 0; k < 1 + random() % 5 / 4; ++k) {
        int64_t lower = random() % 8;
        buffer.live.push_back({lower, lower + 1 + int64_t(random() % 4)});
      }
      normalize(buffer.live);
      problem.buffers.push_back(buffer);
    }
    std::vector<int64_t> offsets(problem.buffers.size());
    int64_t least = lowerBound(problem);
    while (!fits(problem, offsets, 0, least))
      ++least;
    aboveBound += least > lowerBound(problem);
    EXPECT_FALSE(searchPlacement(problem, least - 1, 1000000));
    auto found = searchPlacement(problem, least, 1000000);
    ASSERT_TRUE(found) << round;
    EXPECT_EQ(verifyPlacement(problem, *found), "");
    EXPECT_EQ(found->height, least);
    EXPECT_EQ(placeBuffers(problem).height, least);
  }
  EXPECT_GT(aboveBound, 0);
}

MemoryProblem readInstance(const std::string &name) {
  std::ifstream file(std::string(INSTANCES "/") + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return parse(text.str());
}

TEST(MemorySearch, findsWhatNoOrderFinds) {
  MemoryProblem problem = readInstance("A.1048576.csv");
  auto found = searchPlacement(problem, 1048576, 100000000);
  ASSERT_TRUE(found);
  EXPECT_EQ(verifyPlacement(problem, *found), "");
  EXPECT_LE(found->height, 1048576);
  EXPECT_FALSE(searchPlacement(problem, 1048575, 1000)); // the bound is above
}

// The search finds 1048576 here; orders alone come close.
TEST(MemoryPlacement, whatIsLowEnoughIsLeftThere) {
  MemoryProblem problem = readInstance("A.1048576.csv");
  PlacementOptions options;
  options.enough = 2 * 1048576;
  MemoryPlacement rough = placeBuffers(problem, options);
  EXPECT_EQ(verifyPlacement(problem, rough), "");
  EXPECT_GE(rough.height, 1048576);
  EXPECT_LE(rough.height, options.enough);
  options.enough = 1; // below what there is: no less effort
  EXPECT_EQ(placeBuffers(problem, options).height, 1048576);
}

// Buffers that live at different times are placed separately: twice as many
// buffers in a row are no harder.
TEST(MemoryPlacement, partsThatShareNoTimeAreProblemsOfTheirOwn) {
  MemoryProblem problem = readInstance("A.1048576.csv");
  size_t count = problem.buffers.size();
  for (size_t i = 0; i < count; ++i) {
    MemoryBuffer later = problem.buffers[i];
    for (Interval &live : later.live)
      live = {live.lower + 1048576, live.upper + 1048576};
    problem.buffers.push_back(later);
  }
  MemoryPlacement placement = placeBuffers(problem);
  EXPECT_EQ(verifyPlacement(problem, placement), "");
  EXPECT_EQ(placement.height, 1048576);
}

// Forward, then backward: what is kept nests.
TEST(MemoryPlacement, manyBuffersTakeNoSquareOfMemory) {
  MemoryProblem problem;
  int64_t end = 60000;
  std::mt19937 random(5);
  for (int64_t time = 0; time < end / 2; ++time) {
    int64_t size = 64 * int64_t(1 + random() % 1000);
    int64_t upper = time % 3 ? time + 1 + int64_t(random() % 6) : end - time;
    problem.buffers.push_back({"f", size, {{time, upper}}});
    problem.buffers.push_back({"b", size, {{end - time - 1, end - time + 3}}});
  }
  MemoryPlacement placement = placeBuffers(problem);
  EXPECT_EQ(verifyPlacement(problem, placement), "");
  EXPECT_LE(double(placement.height), 1.002 * double(lowerBound(problem)));
}

TEST(MemoryPlacement, aChainTakesItsTwoLargestNeighbors) {
  MemoryProblem problem;
  std::mt19937 random(11);
  int64_t most = 0;
  for (int64_t i = 0; i < 500; ++i) {
    problem.buffers.push_back(
        {std::to_string(i), 64 * int64_t(1 + random() % 999), {{i, i + 2}}});
    if (i > 0)
      most =
          std::max(most, problem.buffers[i - 1].size + problem.buffers[i].size);
  }
  MemoryPlacement placement = placeBuffers(problem);
  EXPECT_EQ(verifyPlacement(problem, placement), "");
  EXPECT_EQ(placement.height, most);
}

// Instances in minimalloc's format; the heights are what is reached with the
// default effort, which must not grow.
TEST(MemoryPlacement, instances) {
  const std::pair<const char *, double> expected[] = {{"A.1048576.csv", 1},
                                                      {"resnet50.csv", 1.001}};
  for (auto [name, ratio] : expected) {
    MemoryProblem problem = readInstance(name);
    MemoryPlacement placement = placeBuffers(problem);
    EXPECT_EQ(verifyPlacement(problem, placement), "");
    EXPECT_LE(double(placement.height), ratio * double(lowerBound(problem)))
        << name;
  }
}

} // namespace
