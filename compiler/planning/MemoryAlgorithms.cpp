// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy placement in many orders, then iterated greedy: the order of the best
// placement is disturbed where it hurts (the buffers that define the height go
// earlier) and placed again. Greedy by size is Pisarchyk and Lee, Efficient
// Memory Management for Deep Neural Net Inference (2020); the search is the
// "iterated greedy" of scheduling (Ruiz and Stuetzle, 2007).

#include "compiler/planning/MemoryAlgorithms.h"

#include <algorithm>
#include <numeric>

namespace zcc::planning {

namespace {

/// Who conflicts with whom, as a symmetric bit matrix: filled by a sweep that
/// ORs the set of live buffers into the row of each buffer that starts.
class Conflicts {
public:
  explicit Conflicts(const MemoryProblem &problem)
      : words((problem.buffers.size() + 63) / 64),
        bits(problem.buffers.size() * words) {
    struct Event {
      int64_t time;
      bool starts;
      size_t buffer;
    };
    std::vector<Event> events;
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      for (const Interval &live : problem.buffers[i].live) {
        events.push_back({live.lower, true, i});
        events.push_back({live.upper, false, i});
      }
    std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
      return a.time != b.time ? a.time < b.time : a.starts < b.starts;
    });
    std::vector<uint64_t> live(words);
    for (const Event &event : events) {
      uint64_t bit = uint64_t(1) << (event.buffer % 64);
      if (!event.starts) {
        live[event.buffer / 64] &= ~bit;
        continue;
      }
      uint64_t *row = &bits[event.buffer * words];
      for (size_t w = 0; w < words; ++w)
        row[w] |= live[w];
      live[event.buffer / 64] |= bit;
    }
    for (size_t a = 0; a < problem.buffers.size(); ++a)
      for (size_t w = 0; w < words; ++w)
        for (uint64_t row = bits[a * words + w]; row; row &= row - 1) {
          size_t b = 64 * w + static_cast<size_t>(__builtin_ctzll(row));
          bits[b * words + a / 64] |= uint64_t(1) << (a % 64);
        }
  }
  bool operator()(size_t a, size_t b) const {
    return bits[a * words + b / 64] >> (b % 64) & 1;
  }
  size_t count(size_t a) const {
    size_t sum = 0;
    for (size_t w = 0; w < words; ++w)
      sum += static_cast<size_t>(__builtin_popcountll(bits[a * words + w]));
    return sum - (*this)(a, a);
  }

private:
  size_t words;
  std::vector<uint64_t> bits;
};

class Placer {
public:
  explicit Placer(const MemoryProblem &problem)
      : problem(problem), conflicts(problem) {}

  /// Gives up as soon as the placement is higher than `most`.
  MemoryPlacement place(const std::vector<size_t> &order, Fit fit,
                        int64_t most = INT64_MAX) {
    MemoryPlacement out;
    out.offsets.assign(problem.buffers.size(), 0);
    placed.clear();
    for (size_t at : order) {
      int64_t size = problem.buffers[at].size;
      if (size == 0)
        continue;
      int64_t offset = findGap(at, size, fit);
      out.offsets[at] = offset;
      out.height = std::max(out.height, offset + size);
      if (out.height > most)
        break;
      Placed entry{offset, offset + size, at};
      placed.insert(std::upper_bound(placed.begin(), placed.end(), entry),
                    entry);
    }
    return out;
  }

  size_t countConflicts(size_t at) const { return conflicts.count(at); }

private:
  struct Placed {
    int64_t lower, upper;
    size_t buffer;
    bool operator<(const Placed &other) const { return lower < other.lower; }
  };

  int64_t alignUp(int64_t offset) const {
    return (offset + problem.alignment - 1) / problem.alignment *
           problem.alignment;
  }

  int64_t findGap(size_t at, int64_t size, Fit fit) const {
    int64_t end = 0, best = -1, bestGap = INT64_MAX;
    for (const Placed &other : placed) {
      if (!conflicts(at, other.buffer))
        continue;
      int64_t gap = other.lower - end;
      if (gap >= size && gap < bestGap) {
        best = end;
        bestGap = gap;
        if (fit == Fit::First)
          return best;
      }
      end = std::max(end, alignUp(other.upper));
    }
    return best >= 0 ? best : end;
  }

  const MemoryProblem &problem;
  Conflicts conflicts;
  std::vector<Placed> placed; // by lower
};

/// A small generator of our own, so that every standard library agrees.
class Random {
public:
  uint64_t below(uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  }

private:
  uint64_t state = 0x9e3779b97f4a7c15u;
};

} // namespace

static int64_t lifetime(const MemoryBuffer &buffer) {
  int64_t sum = 0;
  for (const Interval &live : buffer.live)
    sum += live.upper - live.lower;
  return sum;
}

static std::vector<size_t> sortedBy(const MemoryProblem &problem,
                                    const std::vector<double> &key) {
  std::vector<size_t> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (key[a] != key[b])
      return key[a] > key[b];
    int64_t sizeA = problem.buffers[a].size, sizeB = problem.buffers[b].size;
    return sizeA != sizeB ? sizeA > sizeB : a < b;
  });
  return order;
}

static std::vector<size_t> makeOrder(const MemoryProblem &problem,
                                     const Placer &placer,
                                     PlacementOrder order) {
  std::vector<double> key;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const MemoryBuffer &buffer = problem.buffers[i];
    double size = static_cast<double>(buffer.size);
    switch (order) {
    case PlacementOrder::Size:
      key.push_back(size);
      break;
    case PlacementOrder::Area:
      key.push_back(size * static_cast<double>(lifetime(buffer)));
      break;
    case PlacementOrder::Lifetime:
      key.push_back(static_cast<double>(lifetime(buffer)));
      break;
    case PlacementOrder::Conflicts:
      key.push_back(static_cast<double>(placer.countConflicts(i)));
      break;
    case PlacementOrder::Start:
      key.push_back(buffer.live.empty()
                        ? 0
                        : -static_cast<double>(buffer.live.front().lower));
      break;
    }
  }
  return sortedBy(problem, key);
}

std::vector<size_t> makeOrder(const MemoryProblem &problem,
                              PlacementOrder order) {
  return makeOrder(problem, Placer(problem), order);
}

MemoryPlacement placeInOrder(const MemoryProblem &problem,
                             const std::vector<size_t> &order, Fit fit) {
  return Placer(problem).place(order, fit);
}

/// Moves the buffers that end at the height, and a few others, forward.
static std::vector<size_t> disturb(const MemoryProblem &problem,
                                   const MemoryPlacement &placement,
                                   std::vector<size_t> order, Random &random) {
  std::vector<size_t> top;
  for (size_t i = 0; i < order.size(); ++i) {
    size_t at = order[i];
    if (placement.offsets[at] + problem.buffers[at].size == placement.height)
      top.push_back(i);
  }
  size_t moves = 1 + random.below(3);
  for (size_t i = 0; i < moves; ++i) {
    size_t from = i == 0 && !top.empty() ? top[random.below(top.size())]
                                         : random.below(order.size());
    size_t to = random.below(from + 1);
    std::rotate(order.begin() + to, order.begin() + from,
                order.begin() + from + 1);
  }
  return order;
}

// Larger problems are left to the greedy orders, which do well on them.
static constexpr size_t searchedBuffers = 1500;

MemoryPlacement placeBuffers(const MemoryProblem &problem,
                             const PlacementOptions &options) {
  MemoryPlacement best;
  size_t count = problem.buffers.size();
  best.offsets.assign(count, 0);
  if (count == 0)
    return best;
  int64_t target =
      std::max(options.target, lowerBound(problem)); // nothing is lower
  Placer placer(problem);
  std::vector<size_t> bestOrder;
  Fit bestFit = Fit::First;
  bool any = false;
  for (PlacementOrder kind :
       {PlacementOrder::Size, PlacementOrder::Area, PlacementOrder::Start,
        PlacementOrder::Lifetime, PlacementOrder::Conflicts}) {
    std::vector<size_t> order = makeOrder(problem, placer, kind);
    for (Fit fit : {Fit::First, Fit::Best}) {
      MemoryPlacement found =
          placer.place(order, fit, any ? best.height - 1 : INT64_MAX);
      if (any && found.height >= best.height)
        continue;
      any = true;
      best = std::move(found);
      bestOrder = order;
      bestFit = fit;
      if (best.height <= target)
        return best;
    }
  }
  // A node of the search keeps a list of what is left.
  for (int64_t height : {target, target + target / 200, target + target / 50})
    if (height < best.height && count <= searchedBuffers)
      if (std::optional<MemoryPlacement> found =
              searchPlacement(problem, height, options.nodes)) {
        best = std::move(*found);
        break;
      }
  if (best.height <= target)
    return best;
  // A placement costs about count^2 steps; the work is bounded.
  int64_t affordable =
      int64_t(400000000) / static_cast<int64_t>(count * count + 1);
  int64_t attempts = std::min(options.attempts, affordable);
  Random random;
  std::vector<size_t> order = bestOrder;
  MemoryPlacement current = placer.place(order, bestFit);
  for (int64_t i = 0; i < attempts && best.height > target; ++i) {
    std::vector<size_t> next = disturb(problem, current, order, random);
    MemoryPlacement found = placer.place(
        next, random.below(4) ? bestFit : Fit::Best, current.height);
    if (found.height > current.height)
      continue; // sideways moves are taken: they leave plateaus
    current = std::move(found);
    order = std::move(next);
    if (current.height < best.height)
      best = current;
  }
  return best;
}

} // namespace zcc::planning
