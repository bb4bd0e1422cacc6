// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm for rematerialization on chains (ChainProblem.h): a dynamic
// program over segments of the chain (Beaumont, Eyraud-Dubois, Herrmann, Joly,
// Shilova, "Optimal checkpointing for heterogeneous chains", 2019, with several
// options per node as in Zhao et al., "Rockmate", 2023). Memory is not
// discretized: each segment has a Pareto frontier of bytes and extra time.
//
// The answers are optimal (as long as no frontier is thinned) among the
// persistent schedules: those in which an activation that is kept, or saved for
// an option, stays until its backward run. Other schedules can be better near
// the smallest budgets.
#ifndef ZCC_PLANNING_CHAINSOLVER_H
#define ZCC_PLANNING_CHAINSOLVER_H

#include "planning/ChainFrontier.h"
#include "planning/ChainProblem.h"
#include <optional>

namespace zcc::planning {

/// A point of the frontier: the extra seconds that a budget of `bytes`, and no
/// smaller one, makes possible.
struct ChainPoint {
  int64_t bytes = 0;
  double seconds = 0;
};

struct ChainLimits {
  /// The most points of all frontiers together. Larger frontiers are thinned: a
  /// budget between two remaining points gets the answer of the smaller one.
  int64_t points = int64_t(1) << 23;
};

/// Solves one chain for all budgets. Seconds are rounded to about 2^-40 of the
/// sum of all forward and extra seconds when they are compared. More bytes
/// never cost more seconds. Constructing a solver takes time cubic in the
/// number of nodes that differ from each other (some seconds for 300), and
/// quadratic in that of equal ones.
class ChainSolver {
public:
  /// The chain must pass checkChain().
  explicit ChainSolver(ChainProblem problem, const ChainLimits &limits = {});

  /// Returns the frontier, by ascending bytes and descending seconds; it is
  /// never empty. solve() of a budget has the seconds of the last point within
  /// it.
  std::vector<ChainPoint> frontier() const;
  /// Returns the smallest budget with a schedule, that of the first point.
  int64_t leastBudget() const;
  /// Returns a schedule within the budget; nullopt below leastBudget().
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
  // the class of equal segments, by segment
  std::vector<size_t> classes;
  std::vector<ChainFrontier> frontiers; // by class
  ChainFrontier nothing;                // the frontier of an empty segment
};

/// Solves one chain for one budget; nullopt if no schedule was found.
std::optional<ChainSchedule> solveChain(const ChainProblem &problem,
                                        int64_t budget);

} // namespace zcc::planning

#endif
