// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy placement in many orders; then the buffers that stick out of the
// target go earlier in the best order, and all are placed again ("squeaky
// wheel" optimization, Joslin and Clements, 1999); then the search of
// MemorySearch.cpp. Greedy by size is Pisarchyk and Lee, Efficient Memory
// Management for Deep Neural Net Inference (2020).

#include "compiler/planning/MemoryAlgorithms.h"
#include "compiler/planning/Random.h"

#include <algorithm>
#include <numeric>

namespace zcc::planning {

namespace {

/// Disjoint ranges of offsets, ascending; what touches is joined.
class Spans {
public:
  struct Span {
    int64_t lower, upper;
  };
  void add(Span own) {
    auto first = std::lower_bound(
        spans.begin(), spans.end(), own.lower,
        [](const Span &span, int64_t lower) { return span.upper < lower; });
    auto last = first;
    for (; last != spans.end() && last->lower <= own.upper; ++last) {
      own.lower = std::min(own.lower, last->lower);
      own.upper = std::max(own.upper, last->upper);
    }
    if (first == last) {
      spans.insert(first, own);
      return;
    }
    *first = own;
    spans.erase(first + 1, last);
  }
  std::vector<Span> spans;
};

/// Which bytes are taken when: a segment tree over the times at which something
/// starts or ends. As dense stacks of buffers join to one span, the lists stay
/// short, however many buffers there are.
class TakenBytes {
public:
  explicit TakenBytes(const MemoryProblem &problem) : problem(problem) {
    std::vector<int64_t> times;
    for (const MemoryBuffer &buffer : problem.buffers)
      for (const Interval &live : buffer.live) {
        times.push_back(live.lower);
        times.push_back(live.upper);
      }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    while (leaves < times.size())
      leaves *= 2;
    auto leaf = [&](int64_t time) {
      return leaves + (std::lower_bound(times.begin(), times.end(), time) -
                       times.begin());
    };
    for (const MemoryBuffer &buffer : problem.buffers) {
      first.push_back(ranges.size());
      for (const Interval &live : buffer.live)
        ranges.push_back({leaf(live.lower), leaf(live.upper)});
    }
    first.push_back(ranges.size());
    always.resize(2 * leaves);
    sometimes.resize(2 * leaves);
  }

  void clear() {
    for (size_t node = 1; node < 2 * leaves; ++node) {
      always[node].spans.clear();
      sometimes[node].spans.clear();
    }
  }

  /// Where `at` goes, by what is taken while it lives.
  int64_t findGap(size_t at, Fit fit) {
    int64_t size = problem.buffers[at].size;
    taken.clear();
    auto take = [&](const Spans &own) {
      size_t from = taken.size();
      steps += static_cast<int64_t>(own.spans.size());
      for (const Spans::Span &span : own.spans)
        if (taken.size() > from && span.lower - taken.back().upper < size)
          taken.back().upper = span.upper; // it fits into no such gap
        else
          taken.push_back(span);
    };
    for (size_t i = first[at]; i < first[at + 1]; ++i) {
      auto [begin, end] = ranges[i];
      forNodes(begin, end, [&](size_t node) { take(sometimes[node]); });
      size_t left = begin / 2, right = (end - 1) / 2;
      for (; left != right; left /= 2, right /= 2) {
        take(always[left]);
        take(always[right]);
      }
      for (; left > 0; left /= 2)
        take(always[left]);
    }
    steps += 4 + 4 * static_cast<int64_t>(taken.size());
    std::sort(taken.begin(), taken.end(),
              [](const Spans::Span &a, const Spans::Span &b) {
                return a.lower < b.lower;
              });
    int64_t end = 0, best = -1, bestGap = INT64_MAX;
    for (const Spans::Span &span : taken) {
      int64_t gap = span.lower - end;
      if (gap >= size && gap < bestGap) {
        best = end;
        bestGap = gap;
        if (fit == Fit::First)
          return best;
      }
      end = std::max(end, span.upper);
    }
    return best >= 0 ? best : end;
  }

  void take(size_t at, int64_t offset) {
    int64_t a = problem.alignment;
    int64_t size = (problem.buffers[at].size + a - 1) / a * a;
    Spans::Span own{offset, offset + size};
    for (size_t i = first[at]; i < first[at + 1]; ++i) {
      auto [begin, end] = ranges[i];
      forNodes(begin, end, [&](size_t node) {
        always[node].add(own);
        sometimes[node].add(own);
      });
      size_t left = begin / 2, right = (end - 1) / 2;
      for (; left > 0; left /= 2, right /= 2) {
        sometimes[left].add(own);
        if (left != right)
          sometimes[right].add(own);
      }
    }
  }

  int64_t steps = 0;

private:
  struct Range {
    size_t begin, end; // leaves
  };

  /// The fewest nodes that make up a range of leaves.
  template <typename Visit>
  static void forNodes(size_t begin, size_t end, Visit visit) {
    for (; begin < end; begin /= 2, end /= 2) {
      if (begin % 2)
        visit(begin++);
      if (end % 2)
        visit(--end);
    }
  }

  const MemoryProblem &problem;
  size_t leaves = 1;
  std::vector<Range> ranges;
  std::vector<size_t> first; // by buffer: of its ranges; and the end
  // By node of the tree: by what lives all of its time, by what lives in it.
  std::vector<Spans> always, sometimes;
  std::vector<Spans::Span> taken; // scratch
};

class Placer {
public:
  explicit Placer(const MemoryProblem &problem)
      : problem(problem), taken(problem) {}

  /// Gives up as soon as the placement is higher than `most`.
  MemoryPlacement place(const std::vector<size_t> &order, Fit fit,
                        int64_t most = INT64_MAX) {
    MemoryPlacement out;
    out.offsets.assign(problem.buffers.size(), 0);
    taken.clear();
    for (size_t at : order) {
      int64_t size = problem.buffers[at].size;
      if (size == 0)
        continue;
      int64_t offset = taken.findGap(at, fit);
      out.offsets[at] = offset;
      out.height = std::max(out.height, offset + size);
      if (out.height > most)
        break;
      taken.take(at, offset);
    }
    return out;
  }

  int64_t steps() const { return taken.steps; }

private:
  const MemoryProblem &problem;
  TakenBytes taken;
};

} // namespace

/// With how many intervals of others those of each overlap.
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

/// Those that end above the target go half the way to the front, or half of
/// them to any place before theirs.
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

/// By how much the buffers stick out of the target, together.
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

/// How low is low enough: the target, and after some effort a little more.
struct Goal {
  int64_t target = 0, enough = 0;
  int64_t steps = 0; // the most that are taken, about
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

/// Iterated greedy (Ruiz and Stuetzle, 2007): the order is disturbed where it
/// hurts; what is no worse is taken, as sideways moves leave plateaus.
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

// A node of the search looks at all that is left.
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
  // The target can be reached more often than not; else by halves.
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

/// Parts of a problem that share no time, as places in it.
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
  Goal goal{bound, std::max(bound + bound / 1000, options.enough),
            options.steps};
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
