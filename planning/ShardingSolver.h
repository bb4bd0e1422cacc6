// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm for sharding problems (ShardingProblem.h).
#ifndef ZCC_PLANNING_SHARDINGSOLVER_H
#define ZCC_PLANNING_SHARDINGSOLVER_H

#include "planning/ShardingProblem.h"
#include <optional>

namespace zcc::planning {

struct ShardingLimits {
  int nodes = 2000;   // of branch and bound
  double gap = 0;     // the relative distance from the optimum to stop at
};

/// The cheapest choice that fits. Nodes that have no say in memory and at most
/// two neighbors are eliminated exactly (Scholz and Eckstein's reductions of
/// partitioned boolean quadratic programs, 2002); what is left is an integer
/// program for CBC, on one thread and with a limit in nodes, so that the answer
/// does not depend on the clock. Nullopt if nothing fits or all is forbidden.
std::optional<ShardingChoice>
solveSharding(const ShardingProblem &problem,
              const ShardingLimits &limits = {});

/// The least memory of any choice that is allowed pair by pair; an exact bound
/// only where no pair is forbidden.
double leastMemory(const ShardingProblem &problem);

} // namespace zcc::planning

#endif
