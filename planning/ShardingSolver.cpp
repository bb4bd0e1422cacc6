// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ShardingSolver.h"
#include "planning/ShardingCore.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace zcc::planning {
namespace {

// A problem in which nodes are eliminated one by one.
class Elimination {
public:
  explicit Elimination(const ShardingProblem &problem) : problem(problem) {
    size_t n = problem.nodes.size();
    costs.resize(n);
    neighbors.resize(n);
    free.resize(n);
    gone.resize(n);
    // If even the largest strategies fit together, no node affects the memory
    // limit.
    double largest = 0;
    for (const ShardingNode &node : problem.nodes) {
      double most = 0;
      for (const ShardingStrategy &s : node.strategies)
        most = std::max(most, s.memory);
      largest += most;
    }
    bounded = largest > problem.capacity;
    for (size_t i = 0; i < n; ++i) {
      const auto &strategies = problem.nodes[i].strategies;
      for (const ShardingStrategy &s : strategies)
        costs[i].push_back(s.cost);
      free[i] =
          !bounded || std::all_of(strategies.begin(), strategies.end(),
                                  [&](const ShardingStrategy &s) {
                                    return s.memory == strategies[0].memory;
                                  });
    }
    for (const ShardingEdge &edge : problem.edges)
      for (unsigned a = 0; a < costs[edge.from].size(); ++a)
        for (unsigned b = 0; b < costs[edge.to].size(); ++b)
          add(edge.from, a, edge.to, b,
              edge.cost[a * costs[edge.to].size() + b]);
  }

  void run() {
    bool any = true;
    while (any) {
      any = false;
      for (unsigned n = 0; n < costs.size(); ++n)
        if (!gone[n] && free[n] && neighbors[n].size() <= 2 && isSmall(n)) {
          eliminate(n);
          any = true;
        }
    }
  }

  // Returns the problem that is left; `nodes` gets its nodes' numbers in the
  // whole problem.
  ShardingProblem core(std::vector<unsigned> &nodes) const {
    ShardingProblem core;
    core.capacity =
        bounded ? problem.capacity : std::numeric_limits<double>::infinity();
    std::vector<unsigned> number(costs.size());
    for (unsigned n = 0; n < costs.size(); ++n) {
      if (gone[n]) {
        core.capacity -= problem.nodes[n].strategies[0].memory;
        continue;
      }
      number[n] = nodes.size();
      nodes.push_back(n);
      ShardingNode node = problem.nodes[n];
      for (size_t s = 0; s < costs[n].size(); ++s)
        node.strategies[s].cost = costs[n][s];
      core.nodes.push_back(std::move(node));
    }
    for (const auto &[ends, cost] : tables)
      if (!gone[ends.first] && !gone[ends.second])
        core.edges.push_back({number[ends.first], number[ends.second], cost});
    return core;
  }

  // Completes `strategies` with the best ones of the eliminated nodes, given
  // those of the core.
  void complete(std::vector<unsigned> &strategies) const {
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      size_t at = 0;
      for (unsigned other : it->neighbors)
        at = at * costs[other].size() + strategies[other];
      strategies[it->node] = it->best[at];
    }
  }

private:
  void add(unsigned a, unsigned sa, unsigned b, unsigned sb, double cost) {
    if (a > b) {
      std::swap(a, b);
      std::swap(sa, sb);
    }
    auto [it, added] = tables.try_emplace({a, b});
    if (added) {
      it->second.assign(costs[a].size() * costs[b].size(), 0);
      neighbors[a].push_back(b);
      neighbors[b].push_back(a);
    }
    it->second[sa * costs[b].size() + sb] += cost;
  }

  double at(unsigned a, unsigned sa, unsigned b, unsigned sb) const {
    if (a > b) {
      std::swap(a, b);
      std::swap(sa, sb);
    }
    return tables.at({a, b})[sa * costs[b].size() + sb];
  }

  // Returns true if the table that replaces the node is small enough.
  bool isSmall(unsigned n) const {
    constexpr size_t most = 1 << 24;
    size_t entries = 1;
    for (unsigned other : neighbors[n])
      entries *= costs[other].size();
    return entries <= most;
  }

  void eliminate(unsigned n) {
    Step step{n, neighbors[n], {}};
    std::sort(step.neighbors.begin(), step.neighbors.end());
    size_t entries = 1;
    for (unsigned other : step.neighbors)
      entries *= costs[other].size();
    std::vector<double> least(entries);
    for (size_t entry = 0; entry < entries; ++entry) {
      std::vector<unsigned> own(step.neighbors.size());
      size_t rest = entry;
      for (size_t i = own.size(); i-- > 0;) {
        own[i] = rest % costs[step.neighbors[i]].size();
        rest /= costs[step.neighbors[i]].size();
      }
      unsigned best = 0;
      double bestCost = forbidden;
      for (unsigned s = 0; s < costs[n].size(); ++s) {
        double cost = costs[n][s];
        for (size_t i = 0; i < own.size(); ++i)
          cost += at(n, s, step.neighbors[i], own[i]);
        if (cost < bestCost) {
          best = s;
          bestCost = cost;
        }
      }
      step.best.push_back(best);
      least[entry] = bestCost;
    }
    gone[n] = true;
    for (unsigned other : step.neighbors) {
      auto &list = neighbors[other];
      list.erase(std::find(list.begin(), list.end(), n));
    }
    if (step.neighbors.size() == 1) {
      std::vector<double> &own = costs[step.neighbors[0]];
      for (size_t s = 0; s < own.size(); ++s)
        own[s] += least[s];
    } else if (step.neighbors.size() == 2) {
      auto [a, b] = std::make_pair(step.neighbors[0], step.neighbors[1]);
      for (size_t i = 0; i < entries; ++i)
        add(a, i / costs[b].size(), b, i % costs[b].size(), least[i]);
    }
    order.push_back(std::move(step));
  }

  struct Step {
    unsigned node;
    std::vector<unsigned> neighbors; // ascending
    std::vector<unsigned> best;      // row-major over their strategies
  };
  const ShardingProblem &problem;
  std::vector<std::vector<double>> costs;
  std::vector<std::vector<unsigned>> neighbors;
  bool bounded = true;    // the memory limit can be exceeded
  std::vector<bool> free; // the node cannot affect the memory limit
  std::vector<bool> gone;
  std::map<std::pair<unsigned, unsigned>, std::vector<double>> tables;
  std::vector<Step> order;
};
} // namespace

double leastMemory(const ShardingProblem &problem) {
  double memory = 0;
  for (const ShardingNode &node : problem.nodes) {
    double least = forbidden;
    for (const ShardingStrategy &s : node.strategies)
      if (std::isfinite(s.cost))
        least = std::min(least, s.memory);
    memory += least;
  }
  return memory;
}

std::optional<ShardingChoice> solveSharding(const ShardingProblem &problem,
                                            const ShardingLimits &limits) {
  Elimination elimination(problem);
  elimination.run();
  std::vector<unsigned> nodes;
  ShardingProblem core = elimination.core(nodes);
  ShardingChoice choice;
  choice.strategies.resize(problem.nodes.size());
  choice.optimal = true;
  if (core.capacity < 0)
    return std::nullopt;
  if (!nodes.empty()) {
    std::optional<ShardingChoice> solved = solveCore(core, limits);
    if (!solved)
      return std::nullopt;
    for (size_t i = 0; i < nodes.size(); ++i)
      choice.strategies[nodes[i]] = solved->strategies[i];
    choice.optimal = solved->optimal;
  }
  elimination.complete(choice.strategies);
  choice.cost = costOf(problem, choice.strategies);
  choice.memory = memoryOf(problem, choice.strategies);
  if (!std::isfinite(choice.cost) ||
      choice.memory > problem.capacity * (1 + 1e-9))
    return std::nullopt;
  return choice;
}

} // namespace zcc::planning
