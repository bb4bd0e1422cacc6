// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ShardingProblem.h"
#include <cmath>
#include <fmt/format.h>

namespace zcc::planning {

double costOf(const ShardingProblem &problem,
              const std::vector<unsigned> &strategies) {
  double cost = 0;
  for (size_t n = 0; n < problem.nodes.size(); ++n)
    cost += problem.nodes[n].strategies[strategies[n]].cost;
  for (const ShardingEdge &edge : problem.edges)
    cost += edge.cost[strategies[edge.from] *
                          problem.nodes[edge.to].strategies.size() +
                      strategies[edge.to]];
  return cost;
}

double memoryOf(const ShardingProblem &problem,
                const std::vector<unsigned> &strategies) {
  double memory = 0;
  for (size_t n = 0; n < problem.nodes.size(); ++n)
    memory += problem.nodes[n].strategies[strategies[n]].memory;
  return memory;
}

std::string verifySharding(const ShardingProblem &problem,
                           const ShardingChoice &choice) {
  if (choice.strategies.size() != problem.nodes.size())
    return fmt::format("expected a strategy for each of {} nodes, found {}",
                       problem.nodes.size(), choice.strategies.size());
  for (size_t n = 0; n < problem.nodes.size(); ++n)
    if (choice.strategies[n] >= problem.nodes[n].strategies.size())
      return fmt::format(
          "node '{}' has {} strategies, found number {}", problem.nodes[n].name,
          problem.nodes[n].strategies.size(), choice.strategies[n]);
  auto differ = [](double a, double b) {
    return !(std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)));
  };
  double cost = costOf(problem, choice.strategies),
         memory = memoryOf(problem, choice.strategies);
  if (!std::isfinite(cost))
    return "a forbidden strategy or pair of strategies was chosen";
  if (differ(cost, choice.cost))
    return fmt::format("the cost is {}, found {}", cost, choice.cost);
  if (differ(memory, choice.memory))
    return fmt::format("the memory is {}, found {}", memory, choice.memory);
  if (memory > problem.capacity * (1 + 1e-9))
    return fmt::format("the capacity is {} bytes, {} are held",
                       problem.capacity, memory);
  return "";
}

} // namespace zcc::planning
