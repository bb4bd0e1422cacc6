// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The segment (i, j) begins with x_i and g_j live and runs B j, ..., B i+1.
// Either it next keeps some x_k, solves (k, j) while x_i is live and then (i,
// k); or node i+1 saves for an option, and (i+1, j) is solved while x_i and the
// saved bytes are live, before B i+1; or it is B i+1 alone. Its frontier counts
// x_i and g_j, but nothing outside of the segment. Forward runs of (i, n) are
// the nodes' first ones and cost nothing extra; all others do. Segments of
// equal nodes share one frontier: a chain of equal layers is solved once per
// length.
#include "planning/ChainSolver.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>

namespace zcc::planning {

// A way to run a segment: nodes i+1 to k run forward, then segment (k, j),
// which is `above`, then segment (i, k), which is `below`.
struct ChainSolver::Choice : ChainSum {
  size_t k = 0;
  int option = -1; // of node k = i+1, if its backward run ends the segment
};

int64_t ChainSolver::ticks(double seconds) const {
  return std::llround(std::ldexp(seconds, exponent));
}

ChainSolver::ChainSolver(ChainProblem given, const ChainLimits &limits)
    : problem(std::move(given)), n(problem.nodes.size()) {
  assert(checkChain(problem).empty());
  double total = 0;
  int64_t bytes = problem.inputBytes; // of all values together
  for (const ChainNode &node : problem.nodes) {
    total += node.forwardSeconds;
    bytes +=
        node.activationBytes + node.gradientBytes + node.forwardTransientBytes;
    for (const ChainOption &option : node.options) {
      total += option.extraSeconds;
      bytes += option.savedBytes + option.forwardTransientBytes +
               option.backwardTransientBytes;
    }
  }
  // The sum of all ticks is below 2^40; each node runs at most 1000 times.
  if (total > 0)
    exponent = 39 - std::ilogb(total);
  classify();

  // Shorter segments first: a segment is made of shorter ones.
  std::vector<bool> isKnown(frontiers.size());
  std::vector<std::pair<size_t, size_t>> segments;
  for (size_t length = 1; length <= n; ++length)
    for (size_t i = 0; i + length <= n; ++i)
      if (!isKnown[classOf(i, i + length)]) {
        isKnown[classOf(i, i + length)] = true;
        segments.push_back({i, i + length});
      }
  // Slots are read far more often than points.
  size_t slots =
      std::clamp<size_t>(limits.points / 2 / segments.size(), 16, 256);
  ChainFrontierBuilder builder(bytes, slots);
  nothing.points = {{0, 0}};
  nothing.least.assign(slots, 0);
  int64_t points = limits.points;
  for (size_t at = 0; at < segments.size(); ++at) {
    auto [i, j] = segments[at];
    ChainFrontier &frontier = frontiers[classOf(i, j)];
    builder.begin();
    forEachChoice(i, j, [&](const Choice &choice) { builder.add(choice); });
    int64_t left = static_cast<int64_t>(segments.size() - at);
    builder.finish(std::max<int64_t>(points / left, 16), frontier);
    points -= static_cast<int64_t>(frontier.points.size());
  }
}

// A segment's class depends on the class of the segment without its last node,
// and on that node.
void ChainSolver::classify() {
  std::map<std::vector<int64_t>, size_t> nodeKinds, ends;
  std::map<std::pair<size_t, size_t>, size_t> known;
  std::vector<size_t> kinds(n + 1);
  for (size_t i = 1; i <= n; ++i) {
    const ChainNode &node = this->node(i);
    // The last node differs from all others: forward runs of its segments cost
    // nothing extra.
    std::vector<int64_t> facts = {i == n, ticks(node.forwardSeconds),
                                  node.activationBytes, node.gradientBytes,
                                  node.forwardTransientBytes};
    for (const ChainOption &option : node.options)
      facts.insert(facts.end(), {option.savedBytes, ticks(option.extraSeconds),
                                 option.forwardTransientBytes,
                                 option.backwardTransientBytes});
    kinds[i] = nodeKinds.try_emplace(facts, nodeKinds.size()).first->second;
  }
  classes.resize((n + 1) * (n + 1));
  size_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    auto [end, isNew] = ends.try_emplace({activation(i), gradient(i)}, count);
    count += isNew;
    size_t at = end->second;
    for (size_t j = i + 1; j <= n; ++j) {
      auto [found, isNew] = known.try_emplace({at, kinds[j]}, count);
      count += isNew;
      at = classOf(i, j) = found->second;
    }
  }
  frontiers.resize(count);
}

template <typename Visit>
void ChainSolver::forEachChoice(size_t i, size_t j, Visit visit) const {
  int64_t input = activation(i), outside = input + gradient(j);
  const ChainNode &first = node(i + 1);
  int64_t again = j == n ? 0 : ticks(first.forwardSeconds);
  for (size_t o = 0; o < first.options.size(); ++o) {
    const ChainOption &option = first.options[o];
    bool saves = option.savedBytes > 0;
    if (!saves && j > i + 1)
      continue; // keeping x_(i+1) is the same
    Choice choice;
    choice.k = i + 1;
    choice.option = static_cast<int>(o);
    choice.ticks = ticks(option.extraSeconds) + (saves ? again : 0);
    int64_t backward = input + option.savedBytes + gradient(i + 1) +
                       gradient(i) + option.backwardTransientBytes;
    // F n always runs.
    int64_t forward =
        !saves && j < n
            ? 0
            : outside + first.activationBytes +
                  (saves ? option.savedBytes + option.forwardTransientBytes
                         : first.forwardTransientBytes);
    choice.needed = std::max(forward, backward);
    choice.held = input + option.savedBytes;
    choice.above = j > i + 1 ? &frontierOf(i + 1, j) : &nothing;
    choice.below = &nothing;
    if (j == i + 1)
      choice.held = 0;
    visit(choice);
  }
  Choice choice;
  choice.held = input;
  for (size_t k = i + 1; k < j; ++k) {
    choice.k = k;
    int64_t read = k - 1 > i ? activation(k - 1) : 0;
    choice.needed = std::max(choice.needed, outside + read + activation(k) +
                                                node(k).forwardTransientBytes);
    choice.ticks += j == n ? 0 : ticks(node(k).forwardSeconds);
    choice.above = &frontierOf(k, j);
    choice.below = &frontierOf(i, k);
    visit(choice);
  }
}

std::vector<ChainPoint> ChainSolver::frontier() const {
  std::vector<ChainPoint> out;
  for (const ChainFrontier::Point &point : frontierOf(0, n).points)
    out.push_back(
        {point.bytes, std::ldexp(static_cast<double>(point.ticks), -exponent)});
  return out;
}

int64_t ChainSolver::leastBudget() const {
  return frontierOf(0, n).points.front().bytes;
}

// Looks up the choice that made the frontier's point again, because points do
// not store it. Returns the peak in bytes.
int64_t ChainSolver::emit(size_t i, size_t j, int64_t bytes,
                          ChainSchedule &schedule) const {
  // With exactly the bytes that the point needs, the time is the same even if
  // frontiers are thinned.
  bytes = frontierOf(i, j).find(bytes)->bytes;
  Choice best;
  int64_t least = never;
  forEachChoice(i, j, [&](const Choice &choice) {
    if (int64_t own = choice.ticksAt(bytes); own < least) {
      least = own;
      best = choice;
    }
  });
  auto forward = [&](size_t k, int option) {
    schedule.actions.push_back({ChainAction::Forward, k, option});
    if (j < n)
      schedule.extraSeconds += node(k).forwardSeconds;
  };
  auto drop = [&](size_t k) {
    schedule.actions.push_back({ChainAction::Drop, k});
  };
  if (best.option < 0) {
    for (size_t k = i + 1; k <= best.k; ++k) {
      forward(k, -1);
      if (k - 1 > i)
        drop(k - 1);
    }
    int64_t above = emit(best.k, j, bytes - best.held, schedule);
    int64_t below = emit(i, best.k, bytes, schedule);
    return std::max({best.needed, best.held + above, below});
  }
  const ChainOption &option = node(i + 1).options[best.option];
  int64_t above = 0;
  if (option.savedBytes)
    forward(i + 1, best.option);
  else if (j == n)
    forward(n, -1);
  if (i + 1 < j)
    above = emit(i + 1, j, bytes - best.held, schedule);
  else if (option.savedBytes && j < n)
    drop(j); // a run that saves makes x_j, too, which is not kept
  schedule.actions.push_back({ChainAction::Backward, i + 1, best.option});
  schedule.extraSeconds += option.extraSeconds;
  return std::max(best.needed, best.held + above);
}

std::optional<ChainSchedule> ChainSolver::solve(int64_t budget) const {
  if (budget < leastBudget())
    return std::nullopt;
  ChainSchedule schedule;
  schedule.peakBytes = emit(0, n, budget, schedule);
  return schedule;
}

std::optional<ChainSchedule> solveChain(const ChainProblem &problem,
                                        int64_t budget) {
  return ChainSolver(problem).solve(budget);
}

} // namespace zcc::planning
