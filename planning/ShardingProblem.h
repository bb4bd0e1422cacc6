// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing shardings: the problem, a choice, and the verifier, which knows
// nothing of the algorithm (ShardingSolver.h).
//
// A node has strategies, of which one is chosen; a strategy costs seconds and
// holds bytes. An edge costs what the strategies of its two ends cost together
// (resharding). Wanted: the least sum, with all bytes within the capacity. After
// Alpa (Zheng et al., OSDI 2022, section 4), without its approximations.
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
  // Row-major: a row a strategy of `from`, a column a strategy of `to`; at
  // least 0, or `forbidden`.
  std::vector<double> cost;
};

struct ShardingProblem {
  std::vector<ShardingNode> nodes;
  std::vector<ShardingEdge> edges; // several may join the same nodes
  double capacity = forbidden;     // bytes
};

struct ShardingChoice {
  std::vector<unsigned> strategies; // one a node
  double cost = 0, memory = 0;
  bool optimal = false; // proven; else the search reached its limit
};

/// Of a choice of one strategy a node; `forbidden` where one is.
double costOf(const ShardingProblem &problem,
              const std::vector<unsigned> &strategies);
double memoryOf(const ShardingProblem &problem,
                const std::vector<unsigned> &strategies);

/// Empty if the choice has one allowed strategy a node, fits the capacity and
/// says its cost and memory right (to 1e-9 of them); else what is wrong.
[[nodiscard]] std::string verifySharding(const ShardingProblem &problem,
                                         const ShardingChoice &choice);

/// Reads the text form, docs/solvers.md. An error text with the place, or "".
[[nodiscard]] std::string parseShardingProblem(std::string_view json,
                                               ShardingProblem &problem);
/// The text form; parseShardingProblem reads it back equal.
std::string printShardingProblem(const ShardingProblem &problem);
/// `{"cost": ..., "memory": ..., "optimal": ..., "strategies": {node: name}}`.
std::string printShardingChoice(const ShardingProblem &problem,
                                const ShardingChoice &choice);

} // namespace zcc::planning

#endif
