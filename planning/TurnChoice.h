// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses which runs of a pipeline's stages take turns. Two runs that follow
// each other in a stage's table may be cut into sections that alternate, so
// that one computes while the other one waits for links (the idea of DualPipe;
// DeepSeek-V3, 2024, section 3.2.1). Both are over sooner together, but one of
// them may be over later than alone, and other stages wait for what it sends.
// So the choice plays the tables of all stages against each other.
#ifndef ZCC_PLANNING_TURNCHOICE_H
#define ZCC_PLANNING_TURNCHOICE_H

#include <cstddef>
#include <vector>

namespace zcc::planning {

/// An action of a stage's table.
struct TurnAction {
  enum Kind { Run, Send, Receive };
  Kind kind = Run;
  double seconds = 0; // of a run, or until what is sent has arrived
  size_t message = 0; // of a transfer: a number that its two ends share
  size_t peer = 0;    // of a transfer: the other stage
};

/// Two runs of a stage between which there are transfers only.
struct TurnPair {
  size_t runs[2] = {0, 0}; // indices of the stage's actions, ascending
  struct Turn {
    unsigned run = 0; // 0 or 1
    double seconds = 0;
  };
  std::vector<Turn> turns; // in order, with seconds for waits within the pair
};

struct TurnStage {
  std::vector<TurnAction> actions;
  std::vector<TurnPair> pairs; // ascending by their first run
};

/// By stage and pair, whether its runs take turns. No run is in two such pairs.
using ChosenTurns = std::vector<std::vector<bool>>;

/// A place in a table whose runs take turns: an action, or a turn of a pair.
struct TurnPlace {
  bool isTurn = false;
  size_t index = 0; // of the stage's actions, or of the pair's turns
};
/// Returns the order of a pair's turns and of the transfers around it. The
/// values that are received between the two runs come before the first turn of
/// the second one. A run's sends follow its last turn; if both send to one
/// stage, those of the first run come first. `end`, if not null, gets the index
/// of the first action that is not among them.
std::vector<TurnPlace> arrangePair(const TurnStage &stage, const TurnPair &pair,
                                   size_t *end = nullptr);

struct TurnTimes {
  /// Seconds until the last stage has ended; infinity if stages wait for each
  /// other in a circle.
  double end = 0;
  /// Seconds of all runs and turns, of all stages together.
  double busy = 0;
};

/// Plays the tables; without `chosen` runs stay whole. Transfers run beside
/// runs, those of a stage one after the other.
TurnTimes playTurns(const std::vector<TurnStage> &stages,
                    const ChosenTurns &chosen);

/// Returns as many pairs as can be together, each the first that can.
ChosenTurns chooseAllTurns(const std::vector<TurnStage> &stages);

/// Returns the pairs that lead to the earliest end, and of those that end at
/// most the share `slack` later, such that stages are busy least: what takes
/// longer than estimated has room then. It is a local search from no pair and
/// from all of chooseAllTurns(): a pair is taken or left as long as that is
/// better. It ends after a number of played actions.
ChosenTurns chooseTurns(const std::vector<TurnStage> &stages, double slack = 0);

} // namespace zcc::planning

#endif // ZCC_PLANNING_TURNCHOICE_H
