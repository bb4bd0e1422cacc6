// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/TurnChoice.h"
#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace zcc::planning {

std::vector<TurnPlace> arrangePair(const TurnStage &stage, const TurnPair &pair,
                                   size_t *end) {
  std::vector<TurnPlace> out;
  auto addTransfers = [&](size_t first, size_t last, TurnAction::Kind kind) {
    for (size_t i = first; i < last; ++i)
      if (stage.actions[i].kind == kind)
        out.push_back({false, i});
  };
  size_t behind = pair.runs[1] + 1;
  while (behind < stage.actions.size() &&
         stage.actions[behind].kind == TurnAction::Send)
    ++behind;
  if (end)
    *end = behind;
  bool sendToOne = false; // both of them, to some stage
  for (size_t i = pair.runs[0] + 1; i < pair.runs[1]; ++i)
    for (size_t j = pair.runs[1] + 1; j < behind; ++j)
      sendToOne |= stage.actions[i].kind == TurnAction::Send &&
                   stage.actions[i].peer == stage.actions[j].peer;
  size_t left[2] = {0, 0}; // turns
  for (const TurnPair::Turn &turn : pair.turns)
    ++left[turn.run];
  bool isReceived = false;
  auto receive = [&] {
    if (!std::exchange(isReceived, true))
      addTransfers(pair.runs[0] + 1, pair.runs[1], TurnAction::Receive);
  };
  for (size_t i = 0; i < pair.turns.size(); ++i) {
    unsigned run = pair.turns[i].run;
    if (run == 1)
      receive();
    out.push_back({true, i});
    if (--left[run] > 0)
      continue;
    if (run == 0)
      addTransfers(pair.runs[0] + 1, pair.runs[1], TurnAction::Send);
    if (left[1] == 0 && (run == 1 ? left[0] == 0 || !sendToOne : sendToOne))
      addTransfers(pair.runs[1] + 1, behind, TurnAction::Send);
  }
  receive();
  return out;
}

namespace {

constexpr double stuck = std::numeric_limits<double>::infinity();
// A search plays so many actions at most: a part of a second.
constexpr size_t mostActions = 20'000'000;

ChosenTurns noTurns(const std::vector<TurnStage> &stages) {
  ChosenTurns none;
  for (const TurnStage &stage : stages)
    none.emplace_back(stage.pairs.size());
  return none;
}

class TurnPlayer {
public:
  explicit TurnPlayer(const std::vector<TurnStage> &stages)
      : stages(stages), lines(stages.size()) {
    size_t messages = 0;
    for (const TurnStage &stage : stages)
      for (const TurnAction &action : stage.actions)
        if (action.kind != TurnAction::Run)
          messages = std::max(messages, action.message + 1);
    arrivals.resize(messages);
    choose(noTurns(stages));
  }

  void choose(const ChosenTurns &all) {
    chosen = all;
    for (size_t i = 0; i < stages.size(); ++i)
      write(i);
  }
  /// Takes or leaves a pair of a stage. Pairs that have a run in common with
  /// one that is taken are left.
  void choose(size_t stage, size_t pair, bool isTaken) {
    std::vector<bool> &own = chosen[stage];
    own[pair] = isTaken;
    const std::vector<TurnPair> &pairs = stages[stage].pairs;
    for (size_t i = 0; isTaken && i < own.size(); ++i)
      if (i != pair && own[i] &&
          (pairs[i].runs[1] == pairs[pair].runs[0] ||
           pairs[i].runs[0] == pairs[pair].runs[1] ||
           pairs[i].runs[0] == pairs[pair].runs[0]))
        own[i] = false;
    write(stage);
  }
  void choose(size_t stage, const std::vector<bool> &pairs) {
    chosen[stage] = pairs;
    write(stage);
  }
  const ChosenTurns &getChosen() const { return chosen; }
  size_t countActions() const {
    size_t count = 0;
    for (const std::vector<TurnAction> &line : lines)
      count += line.size();
    return count;
  }

  TurnTimes play() {
    std::fill(arrivals.begin(), arrivals.end(), stuck);
    progress.assign(lines.size(), {});
    TurnTimes out;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t i = 0; i < lines.size(); ++i)
        moved |= advance(lines[i], progress[i]);
    }
    for (size_t i = 0; i < lines.size(); ++i) {
      bool isStuck = progress[i].next < lines[i].size();
      out.end = std::max(out.end, isStuck ? stuck : progress[i].now);
      out.busy += progress[i].busy;
    }
    return out;
  }

private:
  struct Progress {
    size_t next = 0;
    double now = 0, linkFree = 0, busy = 0;
  };

  /// Returns true if the stage goes on at all.
  bool advance(const std::vector<TurnAction> &line, Progress &own) {
    size_t first = own.next;
    for (; own.next < line.size(); ++own.next) {
      const TurnAction &action = line[own.next];
      switch (action.kind) {
      case TurnAction::Run:
        own.now += action.seconds;
        own.busy += action.seconds;
        break;
      case TurnAction::Send:
        own.linkFree = std::max(own.linkFree, own.now) + action.seconds;
        arrivals[action.message] = own.linkFree;
        break;
      case TurnAction::Receive:
        if (arrivals[action.message] == stuck)
          return own.next > first;
        own.now = std::max(own.now, arrivals[action.message]);
        break;
      }
    }
    return own.next > first;
  }

  /// Writes down the stage's actions in their order.
  void write(size_t index) {
    const TurnStage &stage = stages[index];
    std::vector<TurnAction> &line = lines[index];
    line.clear();
    size_t at = 0;
    for (size_t i = 0; i < stage.pairs.size(); ++i) {
      if (!chosen[index][i])
        continue;
      const TurnPair &pair = stage.pairs[i];
      assert(at <= pair.runs[0] && "a run is in two pairs");
      line.insert(line.end(), stage.actions.begin() + at,
                  stage.actions.begin() + pair.runs[0]);
      for (const TurnPlace &place : arrangePair(stage, pair, &at))
        line.push_back(place.isTurn
                           ? TurnAction{TurnAction::Run,
                                        pair.turns[place.index].seconds, 0}
                           : stage.actions[place.index]);
    }
    line.insert(line.end(), stage.actions.begin() + at, stage.actions.end());
  }

  const std::vector<TurnStage> &stages;
  ChosenTurns chosen;
  std::vector<std::vector<TurnAction>> lines; // by stage
  std::vector<double> arrivals;               // by message
  std::vector<Progress> progress;
};

} // namespace

TurnTimes playTurns(const std::vector<TurnStage> &stages,
                    const ChosenTurns &chosen) {
  TurnPlayer player(stages);
  if (!chosen.empty())
    player.choose(chosen);
  return player.play();
}

ChosenTurns chooseAllTurns(const std::vector<TurnStage> &stages) {
  TurnPlayer player(stages);
  // Pairs may make stages wait for each other in a circle. A check after each
  // pair takes long, so it is done only if all pairs together lead to one.
  for (bool isCareful : {false, true}) {
    player.choose(noTurns(stages));
    size_t played = 0;
    for (size_t stage = 0; stage < stages.size(); ++stage) {
      size_t free = 0; // the first run that is in no pair yet
      for (size_t i = 0; i < stages[stage].pairs.size(); ++i) {
        const TurnPair &pair = stages[stage].pairs[i];
        if (pair.runs[0] < free || played >= mostActions)
          continue;
        player.choose(stage, i, true);
        free = pair.runs[1] + 1;
        if (!isCareful)
          continue;
        played += player.countActions();
        if (player.play().end < stuck)
          continue;
        player.choose(stage, i, false);
        free = pair.runs[0] + 1;
      }
    }
    if (player.play().end < stuck)
      break;
  }
  return player.getChosen();
}

namespace {

class TurnSearch {
public:
  explicit TurnSearch(const std::vector<TurnStage> &stages)
      : stages(stages), player(stages) {}

  struct Result {
    ChosenTurns chosen;
    TurnTimes times;
  };

  /// Takes and leaves pairs as long as that is better. Ends up to `enough`
  /// seconds are equally good.
  Result improve(const ChosenTurns &start, double enough) {
    player.choose(start);
    played = 0;
    TurnTimes now = play();
    for (bool moved = true; moved && played < mostActions;) {
      moved = false;
      for (size_t stage = 0; stage < stages.size(); ++stage)
        for (size_t i = 0;
             i < stages[stage].pairs.size() && played < mostActions; ++i) {
          std::vector<bool> before = player.getChosen()[stage];
          player.choose(stage, i, !before[i]);
          TurnTimes changed = play();
          if (isBetter(changed, now, enough)) {
            now = changed;
            moved = true;
          } else {
            player.choose(stage, before);
          }
        }
    }
    return {player.getChosen(), now};
  }

  static bool isBetter(TurnTimes one, TurnTimes other, double enough) {
    // Changes that save a smaller share are none.
    constexpr double least = 1e-6;
    double end = std::max(one.end, enough),
           otherEnd = std::max(other.end, enough);
    return end < (1 - least) * otherEnd ||
           (end <= (1 + least) * otherEnd &&
            one.busy < (1 - least) * other.busy);
  }

private:
  TurnTimes play() {
    played += player.countActions();
    return player.play();
  }

  const std::vector<TurnStage> &stages;
  TurnPlayer player;
  size_t played = 0;
};

} // namespace

ChosenTurns chooseTurns(const std::vector<TurnStage> &stages, double slack) {
  const ChosenTurns none = noTurns(stages), all = chooseAllTurns(stages);
  TurnSearch search(stages);
  TurnSearch::Result best = search.improve(none, 0);
  const double enough = (1 + slack) * best.times.end;
  for (const ChosenTurns &start : {best.chosen, all}) {
    TurnSearch::Result found = search.improve(start, enough);
    if (TurnSearch::isBetter(found.times, best.times, enough))
      best = std::move(found);
  }
  return best.chosen;
}

} // namespace zcc::planning
