// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places greedily in many orders; then moves the buffers that end above the
// target to the front of the best order and places all again ("squeaky wheel"
// optimization, Joslin and Clements, 1999); then runs the search of
// MemorySearch.cpp. Greedy placement by size is from Pisarchyk and Lee,
// Efficient Memory Management for Deep Neural Net Inference (2020).

#include "planning/MemoryAlgorithms.h"
#include "planning/Random.h"
#include "planning/TakenBytes.h"

#include <algorithm>
#include <numeric>

namespace zcc::planning {

namespace {

class Placer {
public:
  explicit Placer(const MemoryProblem &problem)
      : problem(problem), taken(TakenBytes::make(problem)) {}

  /// Places in that order; gives up as soon as the placement is higher than
  /// `most`.
  MemoryPlacement place(const std::vector<size_t> &order, Fit fit,
                        int64_t most = INT64_MAX) {
    MemoryPlacement out;
    out.offsets.assign(problem.buffers.size(), 0);
    taken->clear();
    for (size_t at : order) {
      int64_t size = problem.buffers[at].size;
      if (size == 0)
        continue;
      int64_t offset = taken->findGap(at, fit);
      out.offsets[at] = offset;
      out.height = std::max(out.height, offset + size);
      if (out.height > most)
        break;
      taken->take(at, offset);
    }
    return out;
  }

  int64_t steps() const { return taken->steps; }

private:
  const MemoryProblem &problem;
  std::unique_ptr<TakenBytes> taken;
};

} // namespace

/// Returns, for each buffer, the number of live ranges of others that its own
/// overlap.
static std::vector<double> countConflicts(const MemoryProblem &problem) {
  std::vector<int64_t> starts, ends;
  for (const MemoryBuffer &buffer : problem.buffers)
    for (const Interval &live : buffer.live) {
      starts.push_back(live.lower);
      ends.push_back(live.upper);
    }
  std::sort(starts.begin(), starts.end());
  std::sort(ends.begin(), ends.end());
  std::vector<double> counts;
  for (const MemoryBuffer &buffer : problem.buffers) {
    int64_t count = 0;
    for (const Interval &live : buffer.live)
      count += (std::lower_bound(starts.begin(), starts.end(), live.upper) -
                starts.begin()) -
               (std::upper_bound(ends.begin(), ends.end(), live.lower) -
                ends.begin()) -
               1;
    counts.push_back(static_cast<double>(count));
  }
  return counts;
}

static double lifetime(const MemoryBuffer &buffer) {
  int64_t sum = 0;
  for (const Interval &live : buffer.live)
    sum += live.upper - live.lower;
  return static_cast<double>(sum);
}

std::vector<size_t> makeOrder(const MemoryProblem &problem,
                              PlacementOrder order) {
  const std::vector<MemoryBuffer> &buffers = problem.buffers;
  std::vector<double> key;
  if (order == PlacementOrder::Conflicts)
    key = countConflicts(problem);
  else
    for (const MemoryBuffer &buffer : buffers) {
      double size = static_cast<double>(buffer.size);
      if (order == PlacementOrder::Size)
        key.push_back(size);
      else if (order == PlacementOrder::Area)
        key.push_back(size * lifetime(buffer));
      else if (order == PlacementOrder::Lifetime)
        key.push_back(lifetime(buffer));
      else
        key.push_back(buffer.live.empty()
                          ? 0
                          : -static_cast<double>(buffer.live.front().lower));
    }
  std::vector<size_t> out(buffers.size());
  std::iota(out.begin(), out.end(), 0);
  std::sort(out.begin(), out.end(), [&](size_t a, size_t b) {
    if (key[a] != key[b])
      return key[a] > key[b];
    return buffers[a].size != buffers[b].size
               ? buffers[a].size > buffers[b].size
               : a < b;
  });
  return out;
}

MemoryPlacement placeInOrder(const MemoryProblem &problem,
                             const std::vector<size_t> &order, Fit fit) {
  return Placer(problem).place(order, fit);
}

/// Moves the buffers that end above the target half the way to the front, or
/// half of them to random places before their own.
static std::vector<size_t> promote(const MemoryProblem &problem,
                                   const MemoryPlacement &placement,
                                   const std::vector<size_t> &order,
                                   int64_t target, Random &random) {
  bool all = random.below(2) == 0;
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t i = 0; i < order.size(); ++i) {
    size_t at = order[i];
    bool high = placement.offsets[at] + problem.buffers[at].size > target;
    size_t place = 2 * i + 1;
    if (high && all)
      place = i;
    else if (high && random.below(2))
      place = 2 * random.below(i + 1);
    places.push_back({place, i});
  }
  std::sort(places.begin(), places.end());
  std::vector<size_t> out;
  for (auto [place, i] : places)
    out.push_back(order[i]);
  return out;
}

/// Returns the sum of the bytes by which buffers end above the target.
static double excess(const MemoryProblem &problem,
                     const MemoryPlacement &placement, int64_t target) {
  double sum = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    sum += static_cast<double>(std::max<int64_t>(
        0, placement.offsets[i] + problem.buffers[i].size - target));
  return sum;
}

namespace {
struct Found {
  MemoryPlacement placement;
  std::vector<size_t> order;
  Fit fit = Fit::First;
};

/// The height that is low enough: the target, or after some effort a little
/// more.
struct Goal {
  int64_t target = 0, enough = 0;
  int64_t steps = 0; // about the most that are taken
  int64_t stepsFor(int64_t height, int64_t most) const {
    return height <= target   ? 0
           : height <= enough ? std::min(most, steps / 40)
                              : most;
  }
};
} // namespace

static Found placeInOrders(const MemoryProblem &problem, Placer &placer,
                           const Goal &goal) {
  Found best;
  for (PlacementOrder kind :
       {PlacementOrder::Size, PlacementOrder::Area, PlacementOrder::Start,
        PlacementOrder::Lifetime, PlacementOrder::Conflicts}) {
    std::vector<size_t> order = makeOrder(problem, kind);
    for (Fit fit : {Fit::First, Fit::Best}) {
      bool any = !best.order.empty();
      if (any && placer.steps() >=
                     goal.stepsFor(best.placement.height, goal.steps / 2))
        return best;
      MemoryPlacement found =
          placer.place(order, fit, any ? best.placement.height - 1 : INT64_MAX);
      if (!any || found.height < best.placement.height)
        best = {std::move(found), order, fit};
    }
  }
  return best;
}

/// Iterated greedy (Ruiz and Stuetzle, 2007): the order is changed at the
/// buffers that end above the target. A result that is no worse is accepted, as
/// sideways moves leave plateaus.
static MemoryPlacement improve(const MemoryProblem &problem, Placer &placer,
                               Found found, const Goal &goal, int64_t steps) {
  MemoryPlacement best = found.placement;
  double least = excess(problem, best, goal.target);
  Random random;
  int64_t before = best.height > goal.enough ? placer.steps() : 0;
  while (placer.steps() - before < goal.stepsFor(best.height, steps)) {
    std::vector<size_t> order =
        promote(problem, found.placement, found.order, goal.target, random);
    MemoryPlacement next =
        placer.place(order, random.below(4) ? found.fit : Fit::Best);
    if (next.height < best.height)
      best = next;
    double sum = excess(problem, next, goal.target);
    if (sum > least)
      continue;
    least = sum;
    found.placement = std::move(next);
    found.order = std::move(order);
  }
  return best;
}

// The most buffers for which the search runs: each node looks at all remaining
// ones.
static constexpr size_t searchedBuffers = 3000;

static MemoryPlacement placeTogether(const MemoryProblem &problem,
                                     const Goal &goal) {
  Placer placer(problem);
  Found found = placeInOrders(problem, placer, goal);
  bool small = problem.buffers.size() <= searchedBuffers;
  MemoryPlacement best = improve(problem, placer, std::move(found), goal,
                                 small ? goal.steps / 40 : goal.steps);
  if (!small)
    return best;
  // The target is often reachable, so it is tried first; then the height is
  // bisected.
  int64_t low = goal.target - 1, height = goal.target;
  for (int attempt = 0; attempt < 5 && best.height > height; ++attempt) {
    int64_t steps = goal.stepsFor(best.height, attempt == 0 ? goal.steps / 2
                                                            : goal.steps / 8);
    if (std::optional<MemoryPlacement> lower =
            searchPlacement(problem, height, steps))
      best = std::move(*lower);
    else
      low = height;
    if (best.height <= goal.enough)
      break;
    height = low + (best.height - low) / 2;
  }
  return best;
}

/// Splits a problem into parts whose live ranges do not overlap; returns the
/// indices of their buffers.
static std::vector<std::vector<size_t>>
splitByTime(const MemoryProblem &problem) {
  std::vector<size_t> order;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    if (!problem.buffers[i].live.empty())
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    int64_t x = problem.buffers[a].live.front().lower;
    int64_t y = problem.buffers[b].live.front().lower;
    return x != y ? x < y : a < b;
  });
  std::vector<std::vector<size_t>> parts;
  int64_t end = 0;
  for (size_t at : order) {
    const std::vector<Interval> &live = problem.buffers[at].live;
    if (parts.empty() || live.front().lower >= end) {
      parts.emplace_back();
      end = live.back().upper;
    }
    parts.back().push_back(at);
    end = std::max(end, live.back().upper);
  }
  return parts;
}

MemoryPlacement placeBuffers(const MemoryProblem &problem,
                             const PlacementOptions &options) {
  int64_t bound = lowerBound(problem); // nothing is lower
  int64_t target = std::max(bound, options.enough);
  Goal goal{target, std::max(target, bound + bound / 1000), options.steps};
  if (options.target >= 0)
    goal = {std::max(options.target, bound), std::max(options.target, bound),
            10 * options.steps};
  MemoryPlacement out;
  out.offsets.assign(problem.buffers.size(), 0);
  for (const MemoryBuffer &buffer : problem.buffers)
    out.height = std::max(out.height, buffer.size);
  for (std::vector<size_t> &part : splitByTime(problem)) {
    std::sort(part.begin(), part.end());
    MemoryProblem own;
    own.alignment = problem.alignment;
    for (size_t at : part)
      own.buffers.push_back(problem.buffers[at]);
    MemoryPlacement placement = placeTogether(own, goal);
    for (size_t i = 0; i < part.size(); ++i)
      out.offsets[part[i]] = placement.offsets[i];
    out.height = std::max(out.height, placement.height);
  }
  return out;
}

} // namespace zcc::planning
