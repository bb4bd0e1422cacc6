// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm for sharding problems (ShardingProblem.h).
#ifndef ZCC_PLANNING_SHARDINGSOLVER_H
#define ZCC_PLANNING_SHARDINGSOLVER_H

#include "planning/ShardingProblem.h"
#include <optional>

namespace zcc::planning {

struct ShardingLimits {
  int nodes = 2000; // of the branch-and-bound tree
  double gap = 0;   // stops at this relative distance from the optimum
};

/// Returns the cheapest choice that fits; nullopt if none fits or all are
/// forbidden. Nodes that cannot affect the memory limit and have at most two
/// neighbors are eliminated exactly (Scholz and Eckstein's reductions of
/// partitioned boolean quadratic programs, 2002). CBC solves the rest as an
/// integer program, on one thread and with a limit in nodes, so that the answer
/// does not depend on the clock.
std::optional<ShardingChoice>
solveSharding(const ShardingProblem &problem,
              const ShardingLimits &limits = {});

/// Returns the least memory in bytes of any choice in which every pair of
/// neighbors is allowed by itself; the bound is exact only if no pair is
/// forbidden.
double leastMemory(const ShardingProblem &problem);

} // namespace zcc::planning

#endif
