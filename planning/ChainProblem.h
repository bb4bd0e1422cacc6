// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rematerialization on a chain: the problem, a schedule, and the verifier,
// which knows nothing of the algorithm (ChainSolver.h). Only zcc-solve uses it;
// the compiler decides by Recomputation.h, which takes any graph.
//
// Node i of 1..n runs forward once or several times (F i: reads x_(i-1), makes
// x_i) and backward once (B i: reads x_(i-1) and g_i, the gradient of x_i,
// makes g_(i-1)), B n first and B 1 last. x_n is the loss: it and its gradient
// have no bytes, F n runs once. x_0 is live from the beginning to the end, g_i
// from B i+1 to B i. An activation is live from the run that makes it to B i+1,
// or until it is dropped. The peak is the most live bytes during an action, its
// inputs and its output included. The goal is the least extra time within a
// budget of bytes.
//
// Each node computes its gradient by one of its options. An option that saves
// nothing needs x_(i-1) alone; any other also needs what the node's last
// forward run saved for it (F i o), which is live until B i.
#ifndef ZCC_PLANNING_CHAINPROBLEM_H
#define ZCC_PLANNING_CHAINPROBLEM_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zcc::planning {

struct ChainOption {
  int64_t savedBytes = 0;  // in addition to the node's input
  double extraSeconds = 0; // of recomputation in the node's backward run
  // Bytes that are live only during the run. The forward ones count for runs
  // that save for this option.
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
  std::vector<ChainNode> nodes; // node i is at index i - 1
};

inline constexpr size_t mostChainNodes = 1000;

/// Returns "" if there are 1 to mostChainNodes nodes, nothing is negative, the
/// last activation and gradient have no bytes, no seconds are above 1e30 and
/// all bytes together at most 2^60; else what is wrong, with its place in the
/// text form.
[[nodiscard]] std::string checkChain(const ChainProblem &problem);

struct ChainAction {
  enum Kind { Forward, Backward, Drop };
  Kind kind = Forward;
  size_t node = 0; // 1..n; for a drop, the node of the activation
  // For a forward run: the option for which it saves, or -1. For a backward
  // run: its option.
  int option = -1;
};

struct ChainSchedule {
  std::vector<ChainAction> actions;
  // The time of repeated forward runs and the extra time of the options.
  double extraSeconds = 0;
  int64_t peakBytes = 0;
};

/// Returns "" if the actions follow the rules above, each finds its inputs, no
/// live value is made again, the peak is within the budget, and peak and extra
/// time are those of the schedule (the latter to 1e-9 of it); else what is
/// wrong.
[[nodiscard]] std::string verifyChain(const ChainProblem &problem,
                                      const ChainSchedule &schedule,
                                      int64_t budget);

/// Reads the text form of docs/solvers.md. Returns an error text with the
/// place, or "".
[[nodiscard]] std::string parseChainProblem(std::string_view json,
                                            ChainProblem &problem);
/// Returns `extra T peak BYTES`, then one action per line: `F i`, `B i`, `D i`.
/// An option's number follows if a forward run saves for it or a backward run
/// has a choice.
std::string printChainSchedule(const ChainProblem &problem,
                               const ChainSchedule &schedule);

} // namespace zcc::planning

#endif
