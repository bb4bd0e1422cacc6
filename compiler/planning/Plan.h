// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans (plan.proto) as plain structures, and their text.
#ifndef ZCC_COMPILER_PLANNING_PLAN_H
#define ZCC_COMPILER_PLANNING_PLAN_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zcc::planning {

struct PlanValue {
  std::string name;
  std::vector<int64_t> shape;
  bool input = false;
};

struct PlanPin {
  int64_t number = 0; // of an op: among those of the name
  std::string name;
  std::vector<std::string> shards;
  int line = 0, column = 0; // in the text, from 1; 0: in none
};

struct Plan {
  std::vector<PlanValue> values;
  std::vector<std::pair<std::string, int64_t>> mesh; // names and sizes
  int64_t microbatches = 1;
  int zero = -1; // -1: not said
  std::vector<std::string> zeroAxes, shard, state;
  bool wholeSequence = false;
  std::vector<PlanPin> arguments, ops;
};

/// Reads a plan. Returns the errors, a line `FILE:LINE:COL: error: ...` each, or
/// "".
std::string parsePlan(std::string_view text, const std::string &file,
                      Plan &plan);
/// parsePlan reads it back equal.
std::string printPlan(const Plan &plan);

/// What of the model a plan was made for is not so here; "" if all is.
std::string compareValues(const Plan &plan,
                          const std::vector<PlanValue> &values);

} // namespace zcc::planning

#endif
