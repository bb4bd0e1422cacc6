// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves sharding problems as integer programs: the part that elimination
// (ShardingSolver.cpp) leaves.
#ifndef ZCC_PLANNING_SHARDINGCORE_H
#define ZCC_PLANNING_SHARDINGCORE_H

#include "planning/ShardingSolver.h"

namespace zcc::planning {

std::optional<ShardingChoice> solveCore(const ShardingProblem &problem,
                                        const ShardingLimits &limits);

} // namespace zcc::planning

#endif
