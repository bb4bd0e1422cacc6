// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depth-first search for a placement of at most a given height, after
// MiniMalloc (Moffitt, MiniMalloc: A Lightweight Memory Allocator for
// Hardware-Accelerated Machine Learning, ASPLOS 2023). Only canonical
// placements are visited: every buffer lies as low as the ones before it allow,
// and offsets do not fall from one to the next. Time is cut into sections
// between which nothing starts or ends; a branch is left when some section
// cannot hold what is still to come.
#include "compiler/planning/MemoryAlgorithms.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace zcc::planning {

namespace {

class Search {
public:
  Search(const MemoryProblem &problem, int64_t capacity, int64_t nodes)
      : problem(problem), capacity(capacity), nodes(nodes) {
    std::vector<int64_t> times;
    for (const MemoryBuffer &buffer : problem.buffers)
      for (const Interval &live : buffer.live) {
        times.push_back(live.lower);
        times.push_back(live.upper);
      }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    auto index = [&](int64_t time) {
      return static_cast<int>(
          std::lower_bound(times.begin(), times.end(), time) - times.begin());
    };
    sectionsOf.resize(problem.buffers.size());
    rest.assign(times.size(), 0);
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      for (const Interval &live : problem.buffers[i].live)
        for (int s = index(live.lower); s < index(live.upper); ++s) {
          sectionsOf[i].push_back(s);
          rest[s] += aligned(problem.buffers[i].size);
        }
    floor.assign(times.size(), 0);
    start.assign(times.size(), 0);
    offsets.assign(problem.buffers.size(), -1);
  }

  bool run(const std::vector<size_t> &order) {
    std::vector<size_t> open; // in the order of preference
    for (size_t at : order)
      if (problem.buffers[at].size == 0)
        offsets[at] = 0;
      else
        open.push_back(at);
    rank.resize(offsets.size());
    for (size_t i = 0; i < open.size(); ++i)
      rank[open[i]] = i;
    return descend(open, 0, 0);
  }

  MemoryPlacement placement() const {
    MemoryPlacement out{offsets, 0};
    for (size_t i = 0; i < offsets.size(); ++i)
      out.height = std::max(out.height, offsets[i] + problem.buffers[i].size);
    return out;
  }

private:
  int64_t aligned(int64_t size) const {
    return (size + problem.alignment - 1) / problem.alignment *
           problem.alignment;
  }

  /// The lowest offset that the sections allow, not below `least`.
  int64_t lowest(size_t at, int64_t least) const {
    int64_t offset = least;
    for (int s : sectionsOf[at])
      offset = std::max(offset, floor[s]);
    return offset;
  }

  /// Parts of `open` that share no time, each in the same order.
  std::vector<std::vector<size_t>>
  split(const std::vector<size_t> &open) const {
    std::vector<size_t> byStart(open);
    std::sort(byStart.begin(), byStart.end(), [&](size_t a, size_t b) {
      int x = sectionsOf[a].front(), y = sectionsOf[b].front();
      return x != y ? x < y : rank[a] < rank[b];
    });
    std::vector<std::vector<size_t>> parts;
    int end = -1;
    for (size_t at : byStart) {
      if (sectionsOf[at].front() > end)
        parts.emplace_back();
      parts.back().push_back(at);
      end = std::max(end, sectionsOf[at].back());
    }
    for (std::vector<size_t> &part : parts)
      std::sort(part.begin(), part.end(),
                [&](size_t a, size_t b) { return rank[a] < rank[b]; });
    return parts;
  }

  bool descend(const std::vector<size_t> &all, int64_t least,
               size_t leastRank) {
    if (all.empty())
      return true;
    std::vector<std::vector<size_t>> parts = split(all);
    if (parts.size() == 1)
      return place(parts.front(), least, leastRank);
    std::vector<int64_t> floorBefore = floor, restBefore = rest;
    for (const std::vector<size_t> &part : parts)
      if (!place(part, least, leastRank)) {
        floor = std::move(floorBefore);
        rest = std::move(restBefore);
        return false;
      }
    return true;
  }

  bool place(std::vector<size_t> open, int64_t least, size_t leastRank) {
    if (--nodes < 0)
      return false;
    // Every section must hold its rest above the lowest offset at which one of
    // its buffers can still go.
    std::vector<int64_t> own(open.size());
    std::vector<bool> late(open.size());
    for (size_t at : open)
      for (int s : sectionsOf[at])
        start[s] = INT64_MAX;
    int64_t ceiling = INT64_MAX; // some buffer fits below it entirely
    for (size_t i = 0; i < open.size(); ++i) {
      size_t at = open[i];
      own[i] = lowest(at, least);
      // Of buffers side by side at one offset, the first in the order is first:
      // one that was passed over goes higher.
      bool passed = own[i] == least && rank[at] < leastRank;
      late[i] = passed;
      if (passed)
        own[i] = least + problem.alignment;
      int64_t end = own[i] + aligned(problem.buffers[at].size);
      if (end > capacity)
        return false;
      ceiling = std::min(ceiling, end);
      for (int s : sectionsOf[at])
        start[s] = std::min(start[s], own[i]);
    }
    for (size_t at : open)
      for (int s : sectionsOf[at])
        if (start[s] + rest[s] > capacity)
          return false;
    std::vector<size_t> choices;
    for (size_t i = 0; i < open.size(); ++i)
      if (!late[i] && own[i] < ceiling) // else that buffer could come first
        choices.push_back(i);
    std::sort(choices.begin(), choices.end(), [&](size_t a, size_t b) {
      return own[a] != own[b] ? own[a] < own[b] : a < b;
    });
    for (size_t i : choices) {
      size_t at = open[i];
      int64_t size = aligned(problem.buffers[at].size);
      std::vector<int64_t> saved;
      for (int s : sectionsOf[at]) {
        saved.push_back(floor[s]);
        floor[s] = own[i] + size;
        rest[s] -= size;
      }
      offsets[at] = own[i];
      open.erase(open.begin() + i);
      if (descend(open, own[i], rank[at]))
        return true;
      open.insert(open.begin() + i, at);
      offsets[at] = -1;
      for (size_t k = 0; k < saved.size(); ++k) {
        floor[sectionsOf[at][k]] = saved[k];
        rest[sectionsOf[at][k]] += size;
      }
      if (nodes < 0)
        return false;
    }
    return false;
  }

  const MemoryProblem &problem;
  int64_t capacity, nodes;
  std::vector<std::vector<int>> sectionsOf;
  std::vector<int64_t> floor, rest; // by section
  std::vector<int64_t> offsets;
  std::vector<size_t> rank;   // by buffer: its place in the order of preference
  std::vector<int64_t> start; // scratch, by section
};

} // namespace

namespace {

/// Largest element of any range of a list, from the largest of each range whose
/// length is a power of two.
class RangeMaximum {
public:
  explicit RangeMaximum(std::vector<double> list) {
    levels.push_back(std::move(list));
    for (size_t width = 1; 2 * width <= levels[0].size(); width *= 2) {
      const std::vector<double> &last = levels.back();
      std::vector<double> next(last.size() - width);
      for (size_t i = 0; i < next.size(); ++i)
        next[i] = std::max(last[i], last[i + width]);
      levels.push_back(std::move(next));
    }
  }
  /// 0 if the range is empty.
  double of(size_t begin, size_t end) const {
    if (begin >= end)
      return 0;
    size_t level = 0;
    while ((size_t(2) << level) <= end - begin)
      ++level;
    return std::max(levels[level][begin],
                    levels[level][end - (size_t(1) << level)]);
  }

private:
  std::vector<std::vector<double>> levels;
};

/// Orders in which buffers are preferred, the first one first: by the most
/// bytes that are live beside one, by its lifetime, by its area.
class Preferences {
public:
  explicit Preferences(const MemoryProblem &problem) {
    std::vector<std::pair<int64_t, int64_t>> changes; // time, size
    for (const MemoryBuffer &buffer : problem.buffers)
      for (const Interval &live : buffer.live) {
        changes.push_back({live.lower, buffer.size});
        changes.push_back({live.upper, -buffer.size});
      }
    std::sort(changes.begin(), changes.end());
    std::vector<double> sums;
    double sum = 0;
    for (auto [time, size] : changes)
      sums.push_back(sum += static_cast<double>(size));
    RangeMaximum most(std::move(sums));
    auto index = [&](int64_t time) {
      return static_cast<size_t>(
          std::lower_bound(changes.begin(), changes.end(),
                           std::pair<int64_t, int64_t>{time, INT64_MIN}) -
          changes.begin());
    };
    for (const MemoryBuffer &buffer : problem.buffers) {
      double width = 0, total = 0;
      for (const Interval &live : buffer.live) {
        width += static_cast<double>(live.upper - live.lower);
        total = std::max(total, most.of(index(live.lower), index(live.upper)));
      }
      totals.push_back(total);
      widths.push_back(width);
      areas.push_back(width * static_cast<double>(buffer.size));
    }
  }

  /// By the keys in turn: T total, W width, A area; larger first.
  std::vector<size_t> order(const std::string &keys) const {
    std::vector<size_t> order(totals.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      for (char k : keys) {
        const std::vector<double> &key = k == 'T'   ? totals
                                         : k == 'W' ? widths
                                                    : areas;
        if (key[a] != key[b])
          return key[a] > key[b];
      }
      return a < b;
    });
    return order;
  }

private:
  std::vector<double> totals, widths, areas; // by buffer
};

} // namespace

std::optional<MemoryPlacement> searchPlacement(const MemoryProblem &problem,
                                               int64_t height, int64_t nodes) {
  Preferences preferences(problem);
  for (const char *keys : {"TWA", "TAW", "WAT"}) {
    Search search(problem, height, nodes);
    if (search.run(preferences.order(keys)))
      return search.placement();
  }
  return std::nullopt;
}

} // namespace zcc::planning
