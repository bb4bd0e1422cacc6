// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing shardings: the problem, a choice, and the verifier, which knows
// nothing of the algorithm (ShardingSolver.h).
//
// One strategy is chosen for each node; a strategy costs seconds and holds
// bytes. An edge costs seconds that depend on the strategies of its two ends
// (resharding). The goal is the least sum of costs with all bytes within the
// capacity. This follows Alpa (Zheng et al., OSDI 2022, section 4), without its
// approximations.
#ifndef ZCC_PLANNING_SHARDINGPROBLEM_H
#define ZCC_PLANNING_SHARDINGPROBLEM_H

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace zcc::planning {

inline constexpr double forbidden = std::numeric_limits<double>::infinity();

struct ShardingStrategy {
  std::string name;
  double cost = 0;   // seconds, at least 0; `forbidden`
  double memory = 0; // bytes, at least 0
};

struct ShardingNode {
  std::string name;
  std::vector<ShardingStrategy> strategies; // not empty
};

struct ShardingEdge {
  unsigned from = 0, to = 0; // nodes, different ones
  // Row-major: one row per strategy of `from`, one column per strategy of `to`;
  // each at least 0 seconds, or `forbidden`.
  std::vector<double> cost;
};

struct ShardingProblem {
  std::vector<ShardingNode> nodes;
  std::vector<ShardingEdge> edges; // several may join the same nodes
  double capacity = forbidden;     // bytes
};

struct ShardingChoice {
  std::vector<unsigned> strategies; // one per node
  double cost = 0, memory = 0;
  bool optimal = false; // proven; if false, the search reached its limit
};

/// Returns the cost in seconds of one strategy per node; `forbidden` if one of
/// the costs is.
double costOf(const ShardingProblem &problem,
              const std::vector<unsigned> &strategies);
double memoryOf(const ShardingProblem &problem,
                const std::vector<unsigned> &strategies);

/// Returns "" if the choice has one allowed strategy per node, fits the
/// capacity and states its cost and memory correctly (to 1e-9 of them); else
/// what is wrong.
[[nodiscard]] std::string verifySharding(const ShardingProblem &problem,
                                         const ShardingChoice &choice);

/// Reads the text form of docs/solvers.md. Returns an error text with the
/// place, or "".
[[nodiscard]] std::string parseShardingProblem(std::string_view json,
                                               ShardingProblem &problem);
/// Returns the text form, from which parseShardingProblem reads an equal
/// problem.
std::string printShardingProblem(const ShardingProblem &problem);
/// Returns `{"cost": ..., "memory": ..., "optimal": ..., "strategies": {node:
/// name}}`.
std::string printShardingChoice(const ShardingProblem &problem,
                                const ShardingChoice &choice);

} // namespace zcc::planning

#endif
