// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for how much to keep, and how much of it to offload, if memory is
// short.
#include "compiler/planner/fit/OffloadSearch.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace zcc;
using namespace zcc::planner;

namespace {

/// A program: the part of it that is not kept, states that may go to the host,
/// and the seconds that a kept or moved byte takes.
struct Program {
  double base = 1000, states = 400;
  double again = 1, state = 1, residual = 1, hidden = 0;
  double window = 0; // bytes, as soon as something is moved

  OffloadSearch::Frontier frontier() const {
    OffloadSearch::Frontier out;
    for (int i = 50; i >= 0; --i)
      out.push_back({10. * i, again * 10. * (50 - i), 0});
    return out;
  }
  planning::OffloadProblem problem(double kept) const {
    planning::OffloadProblem out;
    for (int i = 0; i < 40; ++i)
      out.values.push_back({states / 40, state * states / 40, false});
    for (int i = 0; i < 40; ++i)
      out.values.push_back({kept / 40, residual * kept / 40, true});
    out.hiddenSeconds = hidden;
    return out;
  }
};

struct FoundOffload {
  double kept = 0, moved = 0, peak = 0, seconds = 0;
  int tries = 0;
  bool fits = false;
};

FoundOffload search(const Program &program, double memory) {
  OffloadSearch own(memory, 1);
  FoundOffload best;
  double kept = 0;
  planning::OffloadProblem problem;
  planning::OffloadChoice choice;
  for (int tries = 1;; ++tries) {
    double peak = program.base + kept - choice.bytes +
                  (choice.bytes > 0 ? program.window : 0);
    own.note(program.frontier(), kept, problem, choice.bytes, peak);
    if (own.isBest())
      best = {kept, choice.bytes, peak,
              choice.seconds + program.again * (500 - kept)};
    best.tries = tries;
    std::optional<OffloadSearch::Try> next = own.next();
    EXPECT_LE(tries, 12);
    if (!next || tries > 12) {
      best.fits = own.found();
      EXPECT_EQ(best.fits, best.peak <= memory);
      return best;
    }
    kept = next->kept;
    problem = program.problem(kept);
    choice = planning::chooseOffload(problem, next->moved);
  }
}

TEST(OffloadSearch, NothingIsToBeDoneWhereAllFits) {
  FoundOffload found = search({}, 1000);
  EXPECT_TRUE(found.fits);
  EXPECT_EQ(found.tries, 1);
}

TEST(OffloadSearch, MovesNoMoreThanMust) {
  Program program;
  program.again = 0.1; // to compute again is cheaper
  FoundOffload found = search(program, 900);
  EXPECT_TRUE(found.fits);
  EXPECT_EQ(found.kept, 0);
  EXPECT_LE(found.moved, 130);
}

TEST(OffloadSearch, WhatIsCheaperMovedIsKeptAndMoved) {
  Program program;
  program.again = 10;
  program.hidden = 1e6; // copies of residuals cost nothing
  FoundOffload found = search(program, 900);
  EXPECT_TRUE(found.fits);
  EXPECT_GE(found.kept, 400);
}

TEST(OffloadSearch, WindowsAreMadeUpFor) {
  Program program;
  program.window = 60;
  FoundOffload found = search(program, 900);
  EXPECT_TRUE(found.fits);
}

TEST(OffloadSearch, AllIsMovedBeforeItGivesUp) {
  Program program;
  FoundOffload found = search(program, 300);
  EXPECT_FALSE(found.fits);
  EXPECT_EQ(found.peak, 600);
}

} // namespace
