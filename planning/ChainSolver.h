// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm for rematerialization on chains (ChainProblem.h): a dynamic
// program over segments of the chain (Beaumont, Eyraud-Dubois, Herrmann, Joly,
// Shilova, "Optimal checkpointing for heterogeneous chains", 2019, with several
// options a node as in Zhao et al., "Rockmate", 2023). Memory is not cut into
// slots: a segment has its frontier of bytes and extra time.
//
// The answers are the best ones (as long as no frontier is thinned) in which an
// activation that is kept, or saved for an option, stays until its backward run
// (persistent schedules). Schedules that keep one for a while only can be
// better near the smallest budgets.
#ifndef ZCC_PLANNING_CHAINSOLVER_H
#define ZCC_PLANNING_CHAINSOLVER_H

#include "planning/ChainFrontier.h"
#include "planning/ChainProblem.h"
#include <optional>

namespace zcc::planning {

/// The extra seconds that some bytes, and no fewer, make possible.
struct ChainPoint {
  int64_t bytes = 0;
  double seconds = 0;
};

struct ChainLimits {
  /// Of all frontiers together. Those that would have more are thinned: budgets
  /// between the points that are left get the answer of a smaller one.
  int64_t points = int64_t(1) << 23;
};

/// All budgets of one chain. Seconds are rounded to about 2^-40 of the sum of
/// all forward and extra seconds while they are compared. More bytes never cost
/// more seconds. The time to make one grows with the third power of the nodes
/// that are unlike each other: some seconds for 300; for equal ones, with the
/// square.
class ChainSolver {
public:
  /// The chain must pass checkChain().
  explicit ChainSolver(ChainProblem problem, const ChainLimits &limits = {});

  /// Ascending bytes, descending seconds, never empty: solve() of a budget has
  /// the seconds of the last point within it.
  std::vector<ChainPoint> frontier() const;
  /// The first point's: the fewest bytes that do.
  int64_t leastBudget() const;
  /// Nullopt below leastBudget().
  std::optional<ChainSchedule> solve(int64_t budget) const;

private:
  struct Choice;

  void classify();
  template <typename Visit>
  void forEachChoice(size_t i, size_t j, Visit visit) const;
  int64_t emit(size_t i, size_t j, int64_t bytes,
               ChainSchedule &schedule) const;

  const ChainNode &node(size_t i) const { return problem.nodes[i - 1]; }
  int64_t activation(size_t i) const {
    return i ? node(i).activationBytes : problem.inputBytes;
  }
  int64_t gradient(size_t i) const { return i ? node(i).gradientBytes : 0; }
  int64_t ticks(double seconds) const;
  size_t &classOf(size_t i, size_t j) { return classes[i * (n + 1) + j]; }
  const ChainFrontier &frontierOf(size_t i, size_t j) const {
    return frontiers[classes[i * (n + 1) + j]];
  }

  const ChainProblem problem;
  const size_t n;
  int exponent = 0;                     // a tick is 2^-exponent seconds
  std::vector<size_t> classes;          // of segments that are alike
  std::vector<ChainFrontier> frontiers; // of each class
  ChainFrontier nothing;                // takes no time
};

/// One budget of one chain; nullopt where no schedule was found.
std::optional<ChainSchedule> solveChain(const ChainProblem &problem,
                                        int64_t budget);

} // namespace zcc::planning

#endif
