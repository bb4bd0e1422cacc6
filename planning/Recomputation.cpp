// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Recomputation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

namespace zcc::planning {
namespace {
/// Finds a minimum cut between node 0 and node 1 (Dinitz, 1970).
class Cut {
public:
  using Flow = int64_t;
  static constexpr Flow infinite = std::numeric_limits<Flow>::max() / 4;

  explicit Cut(size_t nodes) : edgesOf(nodes), level(nodes), next(nodes) {}

  size_t addNode() {
    edgesOf.emplace_back();
    level.push_back(0);
    next.push_back(0);
    return edgesOf.size() - 1;
  }
  size_t addEdge(size_t from, size_t to) {
    edgesOf[from].push_back(edges.size());
    edges.push_back({to, 0});
    edgesOf[to].push_back(edges.size());
    edges.push_back({from, 0});
    return edges.size() - 2;
  }
  void setCapacity(size_t edge, Flow capacity) {
    edges[edge].left = capacity;
    edges[edge + 1].left = 0;
  }
  /// Returns the nodes on the side of node 0: the smallest such set of any
  /// minimum cut.
  std::vector<bool> solve() {
    while (findLevels()) {
      std::fill(next.begin(), next.end(), 0);
      while (push() != 0)
        ;
    }
    std::vector<bool> reached(level.size());
    for (size_t node = 0; node < level.size(); ++node)
      reached[node] = level[node] >= 0;
    return reached;
  }

private:
  struct Edge {
    size_t to;
    Flow left;
  };

  bool findLevels() {
    std::fill(level.begin(), level.end(), -1);
    std::vector<size_t> queue{0};
    level[0] = 0;
    for (size_t at = 0; at < queue.size(); ++at)
      for (size_t e : edgesOf[queue[at]])
        if (edges[e].left > 0 && level[edges[e].to] < 0) {
          level[edges[e].to] = level[queue[at]] + 1;
          queue.push_back(edges[e].to);
        }
    return level[1] >= 0;
  }

  /// Pushes flow along one path of the level graph. Returns the flow, 0 if
  /// there is no path.
  Flow push() {
    std::vector<size_t> path; // edges
    size_t node = 0;
    while (node != 1) {
      size_t &at = next[node];
      while (at < edgesOf[node].size()) {
        const Edge &edge = edges[edgesOf[node][at]];
        if (edge.left > 0 && level[edge.to] == level[node] + 1)
          break;
        ++at;
      }
      if (at < edgesOf[node].size()) {
        path.push_back(edgesOf[node][at]);
        node = edges[path.back()].to;
      } else if (path.empty()) {
        return 0;
      } else { // a dead end
        node = edges[path.back() ^ 1].to;
        path.pop_back();
        ++next[node];
      }
    }
    Flow flow = infinite;
    for (size_t e : path)
      flow = std::min(flow, edges[e].left);
    for (size_t e : path) {
      edges[e].left -= flow;
      edges[e ^ 1].left += flow;
    }
    return flow;
  }

  std::vector<Edge> edges; // each followed by its reverse
  std::vector<std::vector<size_t>> edgesOf;
  std::vector<int64_t> level;
  std::vector<size_t> next;
};

/// Returns the values that may be needed: those that the backward pass reads,
/// and those that they are computed from.
std::vector<bool> findWanted(const RecomputationProblem &problem) {
  std::vector<bool> wanted(problem.values.size());
  std::vector<size_t> open;
  auto want = [&](size_t value) {
    if (problem.values[value].op < 0 || wanted[value])
      return;
    wanted[value] = true;
    open.push_back(value);
  };
  for (size_t v = 0; v < problem.values.size(); ++v)
    if (problem.values[v].needed)
      want(v);
  while (!open.empty()) {
    const auto &op = problem.ops[problem.values[open.back()].op];
    open.pop_back();
    if (op.mayRunAgain)
      for (size_t v : op.reads)
        want(v);
  }
  return wanted;
}

/// Groups ops into parts that are solved independently.
class OpParts {
public:
  /// Ops that share a droppable value belong to one part. A value whose bytes
  /// are negligible beside those of the parts that it would join (a table that
  /// all layers read) is an exception: it is always available, kept or made
  /// again for all parts.
  OpParts(const RecomputationProblem &problem, const std::vector<bool> &wanted)
      : head(problem.ops.size()), bytes(problem.ops.size()),
        takesPart(problem.ops.size()), isThere(problem.values.size()) {
    std::iota(head.begin(), head.end(), 0);
    std::vector<std::vector<size_t>> readers(problem.values.size());
    std::vector<size_t> joining; // values
    for (size_t v = 0; v < problem.values.size(); ++v)
      if (wanted[v]) {
        joining.push_back(v);
        takesPart[problem.values[v].op] = true;
        bytes[problem.values[v].op] += problem.values[v].bytes;
      }
    for (size_t o = 0; o < problem.ops.size(); ++o)
      if (problem.ops[o].mayRunAgain)
        for (size_t v : problem.ops[o].reads)
          readers[v].push_back(o);
    // Values with the fewest readers come first, so that values with many
    // readers meet the parts as they are without them.
    std::sort(joining.begin(), joining.end(), [&](size_t a, size_t b) {
      return std::make_pair(readers[a].size(), a) <
             std::make_pair(readers[b].size(), b);
    });
    for (size_t v : joining) {
      size_t own = problem.values[v].op;
      std::set<size_t> joined;
      for (size_t o : readers[v])
        if (takesPart[o])
          joined.insert(find(o));
      joined.erase(find(own));
      double all = 0;
      for (size_t part : joined)
        all += bytes[part];
      if (joined.size() >= manyParts && problem.values[v].bytes <= small * all)
        isThere[v] = true;
      else
        for (size_t part : joined)
          join(part, own);
    }
  }

  /// Returns true if a choice must be made for the op: it makes a value that
  /// may be needed.
  bool has(size_t op) const { return takesPart[op]; }
  /// Returns the representative op of the part that contains `op`.
  size_t find(size_t op) {
    while (head[op] != op)
      op = head[op] = head[head[op]];
    return op;
  }
  /// Returns true if the value is available to parts other than its own.
  bool isThereFor(size_t value) const { return isThere[value]; }

private:
  static constexpr size_t manyParts = 3;
  static constexpr double small = 1.0 / 256;

  void join(size_t a, size_t b) {
    a = find(a);
    b = find(b);
    if (a == b)
      return;
    bytes[b] += bytes[a];
    head[a] = b;
  }

  std::vector<size_t> head;    // by op: its parent in the union-find forest
  std::vector<double> bytes;   // by head
  std::vector<bool> takesPart; // by op
  std::vector<bool> isThere;   // by value
};

std::vector<std::vector<size_t>>
findResults(const RecomputationProblem &problem) {
  std::vector<std::vector<size_t>> results(problem.ops.size());
  for (size_t v = 0; v < problem.values.size(); ++v)
    if (problem.values[v].op >= 0)
      results[problem.values[v].op].push_back(v);
  return results;
}

/// Returns the values that are needed if these ops run again.
std::vector<bool> findNeeded(const RecomputationProblem &problem,
                             const std::vector<bool> &again) {
  std::vector<bool> needed(problem.values.size());
  for (size_t v = 0; v < problem.values.size(); ++v)
    needed[v] = problem.values[v].needed;
  for (size_t o = 0; o < problem.ops.size(); ++o)
    if (again[o])
      for (size_t v : problem.ops[o].reads)
        needed[v] = true;
  return needed;
}

double countKept(const RecomputationProblem &problem,
                 const std::vector<bool> &again) {
  std::vector<bool> needed = findNeeded(problem, again);
  double bytes = 0;
  for (size_t v = 0; v < problem.values.size(); ++v)
    if (problem.values[v].op >= 0 && needed[v] && !again[problem.values[v].op])
      bytes += problem.values[v].bytes;
  return bytes;
}
} // namespace

/// Finds the choices of one part that are best for some price of a byte.
class RecomputationFrontier::PartSolver {
public:
  PartSolver(const RecomputationProblem &problem,
             const std::vector<bool> &wanted, const std::vector<bool> &isNeeded,
             const std::vector<std::vector<size_t>> &results,
             const std::vector<size_t> &ops)
      : problem(problem), isNeeded(isNeeded), ops(ops), cut(2) {
    std::map<size_t, size_t> nodeOf; // by value
    for (size_t o : ops) {
      nodes.push_back(cut.addNode());
      runs.push_back(cut.addEdge(nodes.back(), 1));
      for (size_t v : results[o])
        if (wanted[v]) {
          size_t node = nodeOf[v] = cut.addNode();
          values.push_back(
              {v, nodes.size() - 1, cut.addEdge(node, nodes.back())});
          opOf[v] = nodes.size() - 1;
          if (isNeeded[v])
            fixed.push_back(cut.addEdge(0, node));
        }
    }
    for (size_t i = 0; i < ops.size(); ++i)
      if (problem.ops[ops[i]].mayRunAgain)
        for (size_t v : problem.ops[ops[i]].reads)
          if (auto at = nodeOf.find(v); at != nodeOf.end())
            fixed.push_back(cut.addEdge(nodes[i], at->second));
    for (size_t o : ops)
      allSeconds += problem.ops[o].seconds;
    for (const OwnValue &own : values)
      allBytes += problem.values[own.value].bytes;
  }

  std::vector<Choice> run() {
    Choice all = account(std::vector<bool>(ops.size()));
    found = {all};
    Choice least = solveAt(-1);
    if (least.bytes < all.bytes)
      search(all, least);
    // Only the lower convex hull remains, by bytes and then seconds.
    std::sort(found.begin(), found.end(), [](const Choice &a, const Choice &b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.seconds < b.seconds;
    });
    auto price = [](const Choice &from, const Choice &to) {
      return (to.seconds - from.seconds) / (from.bytes - to.bytes);
    };
    std::vector<Choice> hull;
    for (Choice &choice : found) {
      if (!hull.empty() && choice.bytes == hull.back().bytes)
        continue;
      while (hull.size() > 1 && price(hull[hull.size() - 2], hull.back()) >=
                                    price(hull.back(), choice))
        hull.pop_back();
      hull.push_back(std::move(choice));
    }
    std::vector<Choice> out{hull.front()};
    for (size_t i = 1; i < hull.size(); ++i) {
      double own = price(hull[i - 1], hull[i]);
      for (Choice &choice : findBetween(hull[i - 1], hull[i])) {
        choice.price = own;
        out.push_back(std::move(choice));
      }
      hull[i].price = own;
      out.push_back(hull[i]);
    }
    return out;
  }

private:
  struct OwnValue {
    size_t value, op; // of the part
    size_t kept;      // edge
  };
  static constexpr size_t mostChoices = 32;
  // Limits for choices between two others: the most ops of a part, and the most
  // choices.
  static constexpr size_t mostOpsBetween = 256, mostBetween = 16;
  static constexpr double steps = 1e12; // the scale of all costs together

  Choice account(std::vector<bool> again) const {
    Choice out;
    std::map<size_t, bool> needed;
    for (const OwnValue &own : values)
      needed[own.value] = isNeeded[own.value];
    for (size_t i = 0; i < ops.size(); ++i) {
      if (!again[i])
        continue;
      out.seconds += problem.ops[ops[i]].seconds;
      for (size_t v : problem.ops[ops[i]].reads)
        if (auto at = needed.find(v); at != needed.end())
          at->second = true;
    }
    for (const OwnValue &own : values)
      if (needed[own.value] && !again[own.op])
        out.bytes += problem.values[own.value].bytes;
    out.again = std::move(again);
    return out;
  }

  /// Solves the part for a price in seconds per byte. Negative: the fewest
  /// bytes first, then the fewest seconds.
  Choice solveAt(double price) {
    double ofSeconds, ofBytes;
    if (price < 0) {
      ofSeconds = allSeconds > 0 ? 1e4 / allSeconds : 0;
      ofBytes = steps / std::max(allBytes, 1.0);
    } else {
      ofSeconds = steps / (allSeconds + price * allBytes);
      ofBytes = price * ofSeconds;
    }
    auto whole = [](double cost) {
      return static_cast<Cut::Flow>(std::llround(cost));
    };
    for (size_t edge : fixed)
      cut.setCapacity(edge, Cut::infinite);
    for (size_t i = 0; i < ops.size(); ++i)
      cut.setCapacity(runs[i],
                      problem.ops[ops[i]].mayRunAgain
                          ? whole(problem.ops[ops[i]].seconds * ofSeconds)
                          : Cut::infinite);
    for (const OwnValue &own : values)
      cut.setCapacity(own.kept,
                      whole(problem.values[own.value].bytes * ofBytes));
    std::vector<bool> side = cut.solve();
    std::vector<bool> again(ops.size());
    for (size_t i = 0; i < ops.size(); ++i)
      again[i] = side[nodes[i]];
    return account(std::move(again));
  }

  /// Finds the choices that are better than both for a price between theirs.
  void search(const Choice &more, const Choice &less) {
    found.push_back(less);
    if (found.size() >= mostChoices)
      return;
    double price = (less.seconds - more.seconds) / (more.bytes - less.bytes);
    Choice between = solveAt(price);
    auto cost = [&](const Choice &c) { return c.seconds + price * c.bytes; };
    constexpr double rounding = 1e-6;
    if (cost(between) >= (1 - rounding) * cost(more) ||
        between.bytes >= more.bytes || between.bytes <= less.bytes)
      return;
    search(more, between);
    search(between, less);
  }

  /// Returns the choice without one of the ops that run again, and without
  /// those that ran again only for it.
  Choice keepResultsOf(const Choice &from, size_t op) const {
    std::vector<bool> again = from.again;
    again[op] = false;
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<bool> used(ops.size());
      for (const OwnValue &own : values)
        used[own.op] = used[own.op] || isNeeded[own.value];
      for (size_t i = 0; i < ops.size(); ++i)
        if (again[i])
          for (size_t v : problem.ops[ops[i]].reads)
            if (auto at = opOf.find(v); at != opOf.end())
              used[at->second] = true;
      for (size_t i = 0; i < ops.size(); ++i)
        if (again[i] && !used[i]) {
          again[i] = false;
          changed = true;
        }
    }
    return account(std::move(again));
  }

  /// Returns choices from `less` towards `more`. Each step keeps the results of
  /// the op that saves the most seconds per byte.
  std::vector<Choice> findBetween(const Choice &more,
                                  const Choice &less) const {
    std::vector<Choice> out;
    if (ops.size() > mostOpsBetween)
      return out;
    Choice now = less;
    auto saved = [&](const Choice &c) {
      return (now.seconds - c.seconds) / (c.bytes - now.bytes);
    };
    while (out.size() < mostBetween) {
      std::optional<Choice> best;
      for (size_t i = 0; i < ops.size(); ++i) {
        if (!now.again[i])
          continue;
        Choice choice = keepResultsOf(now, i);
        if (choice.bytes > now.bytes && choice.bytes < more.bytes &&
            choice.seconds < now.seconds && choice.seconds > more.seconds &&
            (!best || saved(choice) > saved(*best)))
          best = std::move(choice);
      }
      if (!best)
        break;
      now = *best;
      out.push_back(std::move(*best));
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  const RecomputationProblem &problem;
  const std::vector<bool> &isNeeded; // by value
  const std::vector<size_t> &ops;
  Cut cut;
  std::vector<size_t> nodes, runs; // by op: node, and edge if it runs again
  std::vector<OwnValue> values;
  std::map<size_t, size_t> opOf; // of the part, by value
  std::vector<size_t> fixed;     // edges
  double allSeconds = 0, allBytes = 0;
  std::vector<Choice> found;
};

RecomputationFrontier::RecomputationFrontier(
    const RecomputationProblem &problem) {
  Solved own;
  *this = RecomputationFrontier(problem, own);
}

RecomputationFrontier::RecomputationFrontier(
    const RecomputationProblem &problem, Solved &known)
    : numOps(problem.ops.size()) {
  std::vector<bool> wanted = findWanted(problem);
  std::vector<std::vector<size_t>> results = findResults(problem);
  OpParts split(problem, wanted);
  std::vector<bool> needed(problem.values.size());
  for (size_t v = 0; v < problem.values.size(); ++v)
    needed[v] = problem.values[v].needed || split.isThereFor(v);
  std::map<size_t, size_t> partOf;
  for (size_t o = 0; o < numOps; ++o)
    if (split.has(o)) {
      auto [at, isNew] = partOf.try_emplace(split.find(o), parts.size());
      if (isNew)
        parts.emplace_back();
      parts[at->second].ops.push_back(o);
    }
  // Equal parts get equal descriptions.
  std::vector<double> place(problem.values.size());
  for (Part &part : parts) {
    std::vector<double> text;
    std::set<size_t> own; // values
    double count = 0;
    for (size_t o : part.ops) {
      const RecomputationProblem::Op &op = problem.ops[o];
      text.insert(text.end(), {op.seconds, double(op.mayRunAgain), -1});
      for (size_t v : op.reads)
        text.push_back(own.count(v) ? place[v] : -2);
      text.push_back(-1);
      for (size_t v : results[o])
        if (wanted[v]) {
          own.insert(v);
          place[v] = count++;
          text.insert(text.end(),
                      {problem.values[v].bytes, double(needed[v])});
        }
      text.push_back(-1);
    }
    auto [at, isNew] = known.try_emplace(std::move(text));
    if (isNew)
      at->second = std::make_shared<const std::vector<Choice>>(
          PartSolver(problem, wanted, needed, results, part.ops).run());
    part.choices = at->second;
  }
  points.push_back({});
  for (size_t p = 0; p < parts.size(); ++p) {
    const std::vector<Choice> &own = *parts[p].choices;
    points.front().bytes += own.front().bytes;
    points.front().seconds += own.front().seconds;
    for (size_t c = 1; c < own.size(); ++c)
      changes.push_back({p, c});
  }
  auto priceOf = [&](const Change &change) {
    return (*parts[change.part].choices)[change.choice].price;
  };
  std::sort(changes.begin(), changes.end(),
            [&](const Change &a, const Change &b) {
              return std::make_tuple(priceOf(a), a.part, a.choice) <
                     std::make_tuple(priceOf(b), b.part, b.choice);
            });
  for (const Change &change : changes) {
    const Choice &to = (*parts[change.part].choices)[change.choice],
                 &from = (*parts[change.part].choices)[change.choice - 1];
    points.push_back(
        {points.back().bytes - from.bytes + to.bytes,
         points.back().seconds - from.seconds + to.seconds,
         std::max(points.back().returning,
                  (*parts[change.part].choices).front().bytes -
                      to.bytes)});
  }
}

size_t RecomputationFrontier::findWithin(double bytes) const {
  size_t point = 0;
  while (point + 1 < points.size() && points[point].bytes > bytes)
    ++point;
  return point;
}

Recomputation RecomputationFrontier::get(const RecomputationProblem &problem,
                                         size_t point) const {
  std::vector<size_t> chosen(parts.size());
  for (size_t i = 0; i < point; ++i)
    chosen[changes[i].part] = changes[i].choice;
  Recomputation out;
  out.again.resize(numOps);
  for (size_t p = 0; p < parts.size(); ++p) {
    const Choice &choice = (*parts[p].choices)[chosen[p]];
    out.seconds += choice.seconds;
    for (size_t i = 0; i < choice.again.size(); ++i)
      out.again[parts[p].ops[i]] = choice.again[i];
  }
  out.bytes = countKept(problem, out.again);
  return out;
}

std::string verifyRecomputation(const RecomputationProblem &problem,
                                const Recomputation &answer) {
  if (answer.again.size() != problem.ops.size())
    return "expected a decision for each of " +
           std::to_string(problem.ops.size()) + " ops, found " +
           std::to_string(answer.again.size());
  double bytes = countKept(problem, answer.again), seconds = 0;
  for (size_t o = 0; o < problem.ops.size(); ++o) {
    if (!answer.again[o])
      continue;
    if (!problem.ops[o].mayRunAgain)
      return "op " + std::to_string(o) + " may not run again, and does";
    seconds += problem.ops[o].seconds;
  }
  constexpr double rounding = 1e-9;
  if (std::abs(bytes - answer.bytes) > rounding * std::max(bytes, 1.0))
    return "keeps " + std::to_string(bytes) + " bytes, says " +
           std::to_string(answer.bytes);
  if (std::abs(seconds - answer.seconds) > rounding * std::max(seconds, 1e-9))
    return "takes " + std::to_string(seconds) + " seconds, says " +
           std::to_string(answer.seconds);
  return "";
}

} // namespace zcc::planning
