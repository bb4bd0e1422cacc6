// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program has one binary variable per strategy, and one continuous variable
// per pair of strategies that an edge joins. The sum of the pairs of a strategy
// equals the strategy (the local polytope, whose relaxation is tight on trees).
// One row is the capacity.
#include "planning/ShardingCore.h"
#include <algorithm>
#include <cmath>
#include <coin/Cbc_C_Interface.h>
#include <map>

namespace zcc::planning {
namespace {

// Joins parallel edges into one, and drops forbidden rows and columns.
std::map<std::pair<unsigned, unsigned>, std::vector<double>>
joinEdges(const ShardingProblem &problem) {
  std::map<std::pair<unsigned, unsigned>, std::vector<double>> joined;
  for (const ShardingEdge &edge : problem.edges) {
    size_t rows = problem.nodes[edge.from].strategies.size(),
           columns = problem.nodes[edge.to].strategies.size();
    bool swapped = edge.from > edge.to;
    auto &cost = joined[std::minmax(edge.from, edge.to)];
    cost.resize(rows * columns);
    for (size_t a = 0; a < rows; ++a)
      for (size_t b = 0; b < columns; ++b)
        cost[swapped ? b * rows + a : a * columns + b] +=
            edge.cost[a * columns + b];
  }
  return joined;
}

// Finds a first choice: it begins with the least memory, then moves one node at
// a time to its cheapest strategy that fits, until nothing changes.
class Descent {
public:
  explicit Descent(const ShardingProblem &problem) : problem(problem) {
    edgesOf.resize(problem.nodes.size());
    for (const ShardingEdge &edge : problem.edges) {
      edgesOf[edge.from].push_back(&edge);
      edgesOf[edge.to].push_back(&edge);
    }
  }

  std::vector<unsigned> run() {
    for (const ShardingNode &node : problem.nodes) {
      unsigned best = 0;
      auto key = [&](unsigned s) {
        const ShardingStrategy &own = node.strategies[s];
        bool bounded = std::isfinite(problem.capacity);
        return std::make_tuple(!std::isfinite(own.cost),
                               bounded ? own.memory : own.cost, own.cost);
      };
      for (unsigned s = 1; s < node.strategies.size(); ++s)
        if (key(s) < key(best))
          best = s;
      chosen.push_back(best);
    }
    constexpr int mostRounds = 50;
    bool any = true;
    for (int round = 0; any && round < mostRounds; ++round) {
      any = false;
      for (unsigned n = 0; n < chosen.size(); ++n)
        any |= improve(n);
    }
    return chosen;
  }

private:
  // Forbidden pairs have a large finite cost, so that fewer of them are better.
  double costAt(unsigned n, unsigned s) const {
    constexpr double many = 1e30;
    auto finite = [](double cost) { return std::isfinite(cost) ? cost : many; };
    double cost = finite(problem.nodes[n].strategies[s].cost);
    for (const ShardingEdge *edge : edgesOf[n]) {
      unsigned a = edge->from == n ? s : chosen[edge->from],
               b = edge->to == n ? s : chosen[edge->to];
      cost +=
          finite(edge->cost[a * problem.nodes[edge->to].strategies.size() + b]);
    }
    return cost;
  }

  bool improve(unsigned n) {
    const auto &strategies = problem.nodes[n].strategies;
    double memory = memoryOf(problem, chosen) - strategies[chosen[n]].memory,
           least = costAt(n, chosen[n]);
    bool any = false;
    for (unsigned s = 0; s < strategies.size(); ++s)
      if (memory + strategies[s].memory <= problem.capacity &&
          costAt(n, s) < least) {
        least = costAt(n, s);
        chosen[n] = s;
        any = true;
      }
    return any;
  }

  const ShardingProblem &problem;
  std::vector<std::vector<const ShardingEdge *>> edgesOf;
  std::vector<unsigned> chosen;
};

// Builds the columns and rows of the program for CBC.
class Program {
public:
  // A strategy that alone costs more than `most` is part of no better choice.
  Program(const ShardingProblem &problem, double scale, double most)
      : problem(problem), scale(scale), most(most) {
    for (const ShardingNode &node : problem.nodes) {
      first.push_back(objective.size());
      for (const ShardingStrategy &s : node.strategies)
        addColumn(s.cost, true);
    }
    for (size_t n = 0; n < problem.nodes.size(); ++n) {
      std::vector<std::pair<int, double>> row;
      for (size_t s = 0; s < problem.nodes[n].strategies.size(); ++s)
        row.emplace_back(first[n] + s, 1);
      addRow(row, 1, 1);
    }
    for (const auto &[ends, cost] : joinEdges(problem))
      addEdge(ends.first, ends.second, cost);
    if (std::isfinite(problem.capacity))
      addCapacity();
  }

  std::optional<ShardingChoice> solve(const std::vector<unsigned> &start,
                                      bool startIsAllowed,
                                      const ShardingLimits &limits) {
    Cbc_Model *model = Cbc_newModel();
    Cbc_setLogLevel(model, 0);
    std::vector<int> starts(objective.size() + 1);
    std::vector<int> rowsOf;
    std::vector<double> values;
    for (size_t c = 0; c < objective.size(); ++c) {
      starts[c] = rowsOf.size();
      for (auto [row, value] : columns[c]) {
        rowsOf.push_back(row);
        values.push_back(value);
      }
    }
    starts.back() = rowsOf.size();
    std::vector<double> least(objective.size(), 0);
    Cbc_loadProblem(model, objective.size(), lower.size(), starts.data(),
                    rowsOf.data(), values.data(), least.data(), upper.data(),
                    objective.data(), lower.data(), rowUpper.data());
    for (size_t c = 0; c < objective.size(); ++c)
      if (integer[c])
        Cbc_setInteger(model, c);
    std::vector<int> startColumns;
    std::vector<double> ones;
    if (startIsAllowed) {
      for (size_t n = 0; n < start.size(); ++n) {
        startColumns.push_back(first[n] + start[n]);
        ones.push_back(1);
      }
      Cbc_setMIPStartI(model, startColumns.size(), startColumns.data(),
                       ones.data());
    }
    Cbc_setMaximumNodes(model, limits.nodes);
    Cbc_setAllowableFractionGap(model, limits.gap);
    // Heuristics are off because there is a first choice. Without a capacity
    // the relaxation is almost tight, and preprocessing and cuts take longer
    // than the program itself.
    Cbc_setParameter(model, "heuristics", "off");
    if (!std::isfinite(problem.capacity))
      for (const char *name : {"preprocess", "cuts"})
        Cbc_setParameter(model, name, "off");
    Cbc_solve(model);
    std::optional<ShardingChoice> choice;
    const double *solution = Cbc_bestSolution(model);
    if (solution && !Cbc_isProvenInfeasible(model)) {
      choice.emplace();
      for (size_t n = 0; n < problem.nodes.size(); ++n) {
        const double *own = solution + first[n];
        choice->strategies.push_back(
            std::max_element(own, own + problem.nodes[n].strategies.size()) -
            own);
      }
      choice->optimal = Cbc_isProvenOptimal(model);
    }
    Cbc_deleteModel(model);
    return choice;
  }

private:
  int addColumn(double cost, bool isInteger) {
    bool allowed = cost <= most;
    objective.push_back(allowed ? cost * scale : 0);
    upper.push_back(allowed ? 1 : 0);
    integer.push_back(isInteger);
    columns.emplace_back();
    return objective.size() - 1;
  }

  void addRow(const std::vector<std::pair<int, double>> &entries, double least,
              double most) {
    for (auto [column, value] : entries)
      columns[column].emplace_back(lower.size(), value);
    lower.push_back(least);
    rowUpper.push_back(most);
  }

  void addEdge(unsigned a, unsigned b, const std::vector<double> &cost) {
    size_t rows = problem.nodes[a].strategies.size(),
           width = problem.nodes[b].strategies.size();
    std::vector<int> pairs;
    for (double c : cost)
      pairs.push_back(addColumn(c, false));
    for (size_t i = 0; i < rows; ++i) {
      std::vector<std::pair<int, double>> row = {{first[a] + i, -1}};
      for (size_t j = 0; j < width; ++j)
        row.emplace_back(pairs[i * width + j], 1);
      addRow(row, 0, 0);
    }
    for (size_t j = 0; j < width; ++j) {
      std::vector<std::pair<int, double>> row = {{first[b] + j, -1}};
      for (size_t i = 0; i < rows; ++i)
        row.emplace_back(pairs[i * width + j], 1);
      addRow(row, 0, 0);
    }
  }

  void addCapacity() {
    // The row is in shares of the capacity, because CBC's tolerances are
    // absolute.
    double unit = std::max(problem.capacity, 1.0);
    std::vector<std::pair<int, double>> row;
    for (size_t n = 0; n < problem.nodes.size(); ++n)
      for (size_t s = 0; s < problem.nodes[n].strategies.size(); ++s)
        if (double memory = problem.nodes[n].strategies[s].memory)
          row.emplace_back(first[n] + s, memory / unit);
    addRow(row, -1e30, problem.capacity / unit);
  }

  const ShardingProblem &problem;
  double scale, most;
  std::vector<int> first; // column of a node's first strategy
  std::vector<double> objective, upper, lower, rowUpper;
  std::vector<bool> integer;
  std::vector<std::vector<std::pair<int, double>>> columns;
};
} // namespace

std::optional<ShardingChoice> solveCore(const ShardingProblem &problem,
                                        const ShardingLimits &limits) {
  std::vector<unsigned> start = Descent(problem).run();
  double cost = costOf(problem, start);
  bool allowed =
      std::isfinite(cost) && memoryOf(problem, start) <= problem.capacity;
  // No choice is cheaper than one that costs nothing.
  constexpr double nothing = 1e-30;
  if (allowed && cost < nothing) {
    ShardingChoice free;
    free.strategies = start;
    free.optimal = true;
    return free;
  }
  // Costs are scaled because they are small numbers of seconds, and CBC's
  // tolerances are absolute.
  constexpr double wanted = 1e4;
  double largest = 0;
  for (const ShardingNode &node : problem.nodes)
    for (const ShardingStrategy &s : node.strategies)
      if (std::isfinite(s.cost))
        largest = std::max(largest, s.cost);
  for (const ShardingEdge &edge : problem.edges)
    for (double c : edge.cost)
      if (std::isfinite(c))
        largest = std::max(largest, c);
  double size = allowed ? cost : largest;
  Program program(problem, size > nothing ? wanted / size : 1,
                  size * (1 + 1e-9));
  std::optional<ShardingChoice> choice = program.solve(start, allowed, limits);
  auto fits = [&](const std::vector<unsigned> &strategies) {
    return std::isfinite(costOf(problem, strategies)) &&
           memoryOf(problem, strategies) <= problem.capacity * (1 + 1e-9);
  };
  // If the search stops at its limit, the first choice may be the best one
  // known.
  if (allowed && (!choice || !fits(choice->strategies) ||
                  costOf(problem, choice->strategies) > cost)) {
    bool optimal = choice && choice->optimal;
    choice.emplace();
    choice->strategies = start;
    choice->optimal = optimal;
  }
  if (!choice || !fits(choice->strategies))
    return std::nullopt;
  return choice;
}

} // namespace zcc::planning
