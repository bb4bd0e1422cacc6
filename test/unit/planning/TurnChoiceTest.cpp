// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which runs of stages take turns: the order of a pair, the clock, and the
// search.

#include "planning/TurnChoice.h"

#include <gtest/gtest.h>
#include <limits>

using namespace zcc::planning;

namespace {

TurnAction run(double seconds) { return {TurnAction::Run, seconds}; }
TurnAction send(size_t message, size_t peer = 1, double seconds = 0) {
  return {TurnAction::Send, seconds, message, peer};
}
TurnAction receive(size_t message, size_t peer = 0) {
  return {TurnAction::Receive, 0, message, peer};
}

/// Returns the order of a pair's places: turns by the number of their run,
/// transfers as + (sent) or - (received) and their message.
std::string arrange(const TurnStage &stage, size_t *end = nullptr) {
  std::string out;
  for (const TurnPlace &place : arrangePair(stage, stage.pairs.front(), end)) {
    if (place.isTurn) {
      out += std::to_string(stage.pairs.front().turns[place.index].run) + " ";
      continue;
    }
    const TurnAction &action = stage.actions[place.index];
    out += (action.kind == TurnAction::Send ? "+" : "-") +
           std::to_string(action.message) + " ";
  }
  return out;
}

TEST(TurnChoice, transfersAreBesideTheTurnsThatNeedThem) {
  TurnStage stage;
  stage.actions = {receive(9), run(1),     send(1), receive(2),
                   run(1),     send(3, 2), run(1)};
  stage.pairs = {{{1, 4}, {{0, 1}, {1, 1}, {0, 1}, {1, 1}}}};
  size_t end = 0;
  EXPECT_EQ(arrange(stage, &end), "0 -2 1 0 +1 1 +3 ");
  EXPECT_EQ(end, 6U);
  // The second run may be over first.
  stage.pairs.front().turns = {{1, 1}, {0, 1}, {1, 1}, {0, 1}};
  EXPECT_EQ(arrange(stage), "-2 1 0 1 +3 0 +1 ");
  // Two sends to one stage keep their order.
  stage.actions[5].peer = 1;
  EXPECT_EQ(arrange(stage), "-2 1 0 1 0 +1 +3 ");
}

/// Two stages with four microbatches. A run computes for 2 seconds and waits
/// for 2; two runs in turns take 5 seconds, the first of them 4.
std::vector<TurnStage> makeStages() {
  std::vector<TurnStage> stages(2);
  for (size_t i = 0; i < 4; ++i) {
    stages[0].actions.push_back(run(4));
    stages[0].actions.push_back(send(i));
    stages[1].actions.push_back(receive(i));
    stages[1].actions.push_back(run(4));
  }
  for (size_t stage : {0, 1})
    for (size_t i = 0; i < 3; ++i)
      stages[stage].pairs.push_back({{2 * i + stage, 2 * i + 2 + stage},
                                     {{0, 1}, {1, 1}, {0, 2}, {1, 1}}});
  return stages;
}

TEST(TurnChoice, theClockKnowsTurnsAndTransfers) {
  std::vector<TurnStage> stages = makeStages();
  EXPECT_DOUBLE_EQ(playTurns(stages, {}).end, 20);
  EXPECT_DOUBLE_EQ(playTurns(stages, {}).busy, 32);
  // The second run of a pair is there 4 and 5 seconds after the first one
  // began.
  ChosenTurns both = {{true, false, true}, {false, false, false}};
  EXPECT_DOUBLE_EQ(playTurns(stages, both).end, 20);
  EXPECT_DOUBLE_EQ(playTurns(stages, both).busy, 26);
  both[1] = {true, false, true};
  EXPECT_DOUBLE_EQ(playTurns(stages, both).end, 14);
}

TEST(TurnChoice, theSearchTakesWhatSavesTime) {
  std::vector<TurnStage> stages = makeStages();
  ChosenTurns chosen = chooseTurns(stages);
  EXPECT_LE(playTurns(stages, chosen).end, 14);
  // Turns that take longer than both runs are left alone.
  for (TurnStage &stage : stages)
    for (TurnPair &pair : stage.pairs)
      pair.turns.front().seconds += 5;
  chosen = chooseTurns(stages);
  EXPECT_EQ(chosen,
            (ChosenTurns{{false, false, false}, {false, false, false}}));
}

TEST(TurnChoice, stagesAreBusyLessWhereThatCostsLittle) {
  std::vector<TurnStage> stages = makeStages();
  stages[1].pairs.clear();
  // The first stage ends early either way: only its busy seconds differ.
  ChosenTurns chosen = chooseTurns(stages);
  EXPECT_DOUBLE_EQ(playTurns(stages, chosen).end, 20);
  EXPECT_DOUBLE_EQ(playTurns(stages, chosen).busy, 26);
  // A first run that is over later delays the other stage.
  for (TurnPair &pair : stages[0].pairs)
    pair.turns[2].seconds += 0.1;
  EXPECT_DOUBLE_EQ(playTurns(stages, chooseTurns(stages)).end, 20);
  chosen = chooseTurns(stages, 0.01);
  EXPECT_GT(playTurns(stages, chosen).end, 20);
  EXPECT_LE(playTurns(stages, chosen).end, 20.2);
  EXPECT_LT(playTurns(stages, chosen).busy, 27);
}

TEST(TurnChoice, noPairsLeadToACircle) {
  // Each stage would wait for what the other one sends behind its turns.
  std::vector<TurnStage> stages(2);
  stages[0].actions = {run(1), send(0), receive(1), run(1)};
  stages[1].actions = {run(1), send(1, 0), receive(0, 1), run(1)};
  for (TurnStage &stage : stages)
    stage.pairs = {{{0, 3}, {{0, 1}, {1, 1}, {0, 1}}}};
  ChosenTurns both = {{true}, {true}};
  EXPECT_EQ(playTurns(stages, both).end,
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(chooseAllTurns(stages), (ChosenTurns{{true}, {false}}));
}

} // namespace
