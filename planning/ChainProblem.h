// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rematerialization on a chain: the problem, a schedule, and the verifier,
// which knows nothing of the algorithm (ChainSolver.h).
//
// Node i of 1..n runs forward once or several times (F i: reads x_(i-1), makes
// x_i) and backward once (B i: reads x_(i-1) and g_i, the gradient of x_i,
// makes g_(i-1)), B n first and B 1 last. x_n is the loss: it and its gradient
// have no bytes, F n runs once. x_0 is there from the beginning to the end, g_i
// from B i+1 to B i. An activation is there from the run that makes it to B i+1
// or until it is dropped. Peak: the most bytes that are there during an action,
// its inputs and its output included. Wanted: the least extra time within a
// budget of bytes.
//
// How a node computes its gradient is one of its options: one that saves
// nothing needs x_(i-1) alone; any other also what its own last forward run
// saved (F i o), which is there until B i.
#ifndef ZCC_PLANNING_CHAINPROBLEM_H
#define ZCC_PLANNING_CHAINPROBLEM_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zcc::planning {

struct ChainOption {
  int64_t savedBytes = 0;  // beside the node's input
  double extraSeconds = 0; // what the node's backward run computes again
  // Only during the run. That of the forward run counts where it saves.
  int64_t forwardTransientBytes = 0, backwardTransientBytes = 0;
};

struct ChainNode {
  double forwardSeconds = 0;
  int64_t activationBytes = 0, gradientBytes = 0; // of x_i and g_i
  int64_t forwardTransientBytes = 0;              // of a run that saves nothing
  std::vector<ChainOption> options = {ChainOption()}; // not empty
};

struct ChainProblem {
  int64_t inputBytes = 0;       // of x_0, whose gradient is not wanted
  std::vector<ChainNode> nodes; // node i at i - 1
};

inline constexpr size_t mostChainNodes = 1000;

/// Empty if there are 1 to mostChainNodes nodes, nothing is negative, the last
/// activation and gradient have no bytes, no seconds are above 1e30 and all
/// bytes together at most 2^60; else what is wrong, with its place in the text
/// form.
[[nodiscard]] std::string checkChain(const ChainProblem &problem);

struct ChainAction {
  enum Kind { Forward, Backward, Drop };
  Kind kind = Forward;
  size_t node = 0; // 1..n; of a drop: whose activation
  // Of a forward run: for which option it saves, or -1; of a backward run:
  // which option it is.
  int option = -1;
};

struct ChainSchedule {
  std::vector<ChainAction> actions;
  // Forward runs after the first one of a node, and the options' extra time.
  double extraSeconds = 0;
  int64_t peakBytes = 0;
};

/// Empty if the actions follow the rules above, each finding what it reads,
/// nothing is made twice while it is there, the peak is within the budget, and
/// peak and extra time are what the schedule says (the latter to 1e-9 of it);
/// else what is wrong.
[[nodiscard]] std::string verifyChain(const ChainProblem &problem,
                                      const ChainSchedule &schedule,
                                      int64_t budget);

/// Reads the text form, docs/solvers.md. An error text with the place, or "".
[[nodiscard]] std::string parseChainProblem(std::string_view json,
                                            ChainProblem &problem);
/// `extra T peak BYTES`, then an action a line: `F i`, `B i`, `D i`; an
/// option's number follows where a forward run saves or a backward run has a
/// choice.
std::string printChainSchedule(const ChainProblem &problem,
                               const ChainSchedule &schedule);

} // namespace zcc::planning

#endif
