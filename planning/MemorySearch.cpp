// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches depth-first for a placement of at most a given height, after
// MiniMalloc (Moffitt, MiniMalloc: A Lightweight Memory Allocator for
// Hardware-Accelerated Machine Learning, ASPLOS 2023). It visits only canonical
// placements: every buffer lies on top of one that it conflicts with or at 0,
// and offsets do not decrease from one buffer to the next; among equal offsets,
// the order of preference decides. Time is divided into sections in which the
// set of live buffers does not change. A branch is pruned if the remaining
// buffers of some section cannot fit. Parts whose live ranges do not overlap
// are searched one by one.
//
// In addition: a buffer that was passed over must lie on top of one that has no
// offset yet, which bounds its offset; parts that failed before are remembered;
// and the search is restarted (Luby, Sinclair, Zuckerman, Optimal Speedup of
// Las Vegas Algorithms, 1993) in other orders, some of which prefer the
// sections that failed most often (weights as in Boussemart et al., Boosting
// Systematic Search by Weighting Constraints, 2004).
#include "planning/ConflictMatrix.h"
#include "planning/MemoryAlgorithms.h"
#include "planning/Random.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace zcc::planning {

namespace {

class OffsetSearch {
public:
  OffsetSearch(const MemoryProblem &problem, int64_t height, int64_t steps)
      : problem(problem), matrix(problem), steps(steps),
        offsets(problem.buffers.size()), sizes(problem.buffers.size()),
        ranks(problem.buffers.size()), least(problem.buffers.size()),
        failedParts(size_t(1) << 18) {
    // Canonical offsets are sums of sizes, so they are multiples of the
    // greatest common divisor of the sizes.
    for (size_t i = 0; i < sizes.size(); ++i) {
      int64_t a = problem.alignment;
      sizes[i] = (problem.buffers[i].size + a - 1) / a * a;
      unit = std::gcd(unit, sizes[i]);
    }
    unit = std::max<int64_t>(unit, 1);
    for (int64_t &size : sizes)
      size /= unit;
    capacity = height / unit;
    cutTime();
    makeKeys();
  }

  std::optional<MemoryPlacement> run() {
    std::vector<Open> all;
    for (size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] > 0)
        all.push_back({static_cast<uint32_t>(i), false, 0});
    std::sort(all.begin(), all.end(), [&](const Open &a, const Open &b) {
      int x = begin(a.buffer), y = begin(b.buffer);
      return x != y ? x < y : a.buffer < b.buffer;
    });
    const std::vector<double> width = widths, area = areas, size = sizeKeys;
    for (int64_t attempt = 0; steps > 0; ++attempt) {
      constexpr std::string_view orders[] = {"WAT", "TAW", "TWA",
                                             "XWA", "XAW", "XZW"};
      keys = orders[attempt % std::size(orders)];
      blameBuffers();
      if (attempt >= int64_t(std::size(orders)))
        for (size_t i = 0; i < sizes.size(); ++i) {
          double factor = 0.85 + 0.3 * double(random.below(1024)) / 1024;
          widths[i] = width[i] * factor;
          areas[i] = area[i] * factor;
          sizeKeys[i] = size[i] * factor;
        }
      std::fill(failedParts.begin(), failedParts.end(), 0);
      nodes = luby(attempt + 1) * 10 * static_cast<int64_t>(sizes.size());
      rankBuffers(all);
      std::vector<Open> open = all;
      if (descend(open, 0))
        return placement();
      if (nodes >= 0 && steps > 0)
        return std::nullopt; // every canonical placement was seen
    }
    return std::nullopt;
  }

private:
  /// A buffer that has no offset yet, and the lowest that it can have.
  struct Open {
    uint32_t buffer;
    bool passed; // it must lie above `floor`, on another open buffer
    int64_t floor;
  };
  struct Range {
    int begin, end; // sections
  };

  void cutTime() {
    std::vector<std::pair<int64_t, bool>> events; // ends first
    for (const MemoryBuffer &buffer : problem.buffers)
      for (const Interval &live : buffer.live) {
        events.push_back({live.lower, true});
        events.push_back({live.upper, false});
      }
    std::sort(events.begin(), events.end());
    // A section ends with the first end after a start: the buffers that are
    // live then include those that are live at any other time of the section.
    std::vector<int64_t> ends;
    bool started = false;
    for (auto [time, starts] : events) {
      if (!starts && started)
        ends.push_back(time);
      started = starts;
    }
    auto section = [&](int64_t time) {
      return static_cast<int>(std::upper_bound(ends.begin(), ends.end(), time) -
                              ends.begin());
    };
    for (const MemoryBuffer &buffer : problem.buffers) {
      firstRange.push_back(ranges.size());
      for (const Interval &live : buffer.live)
        ranges.push_back({section(live.lower), section(live.upper)});
    }
    firstRange.push_back(ranges.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      lengths.push_back(0);
      forSections(i, [&](int) { ++lengths[i]; });
    }
    sums.resize(ends.size());
    floors.resize(ends.size());
    blame.resize(ends.size());
  }

  void makeKeys() {
    for (size_t i = 0; i < sizes.size(); ++i) {
      double width = 0;
      for (const Interval &live : problem.buffers[i].live)
        width += static_cast<double>(live.upper - live.lower);
      widths.push_back(width);
      areas.push_back(width * static_cast<double>(sizes[i]));
      sizeKeys.push_back(static_cast<double>(sizes[i]));
    }
    totals.resize(sizes.size());
    blames.resize(sizes.size());
  }

  int begin(size_t at) const { return ranges[firstRange[at]].begin; }
  int end(size_t at) const { return ranges[firstRange[at + 1] - 1].end; }

  template <typename Visit> void forSections(size_t at, Visit visit) const {
    for (size_t i = firstRange[at]; i < firstRange[at + 1]; ++i)
      for (int s = ranges[i].begin; s < ranges[i].end; ++s)
        visit(s);
  }

  /// Returns the relative length of the i-th run: 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8
  /// ...
  static int64_t luby(int64_t i) {
    while (true) {
      int64_t length = 1; // 2^k - 1
      while (length < i)
        length = 2 * length + 1;
      if (length == i)
        return (length + 1) / 2;
      i -= length / 2;
    }
  }

  /// Computes a key of each buffer from the weights of its sections, and halves
  /// the weights.
  void blameBuffers() {
    double most = 1;
    for (double weight : blame)
      most = std::max(most, weight);
    for (size_t i = 0; i < sizes.size(); ++i) {
      double own = 0;
      forSections(i, [&](int s) { own = std::max(own, blame[s]); });
      blames[i] = static_cast<int>(8 * own / most);
    }
    for (double &weight : blame)
      weight /= 2;
  }

  void clearSections(const std::vector<Open> &part) {
    for (const Open &open : part)
      forSections(open.buffer, [&](int s) {
        sums[s] = 0;
        floors[s] = INT64_MAX;
      });
  }

  /// Ranks the buffers of a part by `keys`, larger first. T is the most bytes
  /// that are live together with the buffer, W its lifetime, A its area, X the
  /// weight of its sections, Z its size.
  void rankBuffers(const std::vector<Open> &part) {
    clearSections(part);
    for (const Open &open : part)
      forSections(open.buffer, [&](int s) { sums[s] += sizes[open.buffer]; });
    std::vector<uint32_t> order;
    for (const Open &open : part) {
      int64_t total = 0;
      forSections(open.buffer,
                  [&](int s) { total = std::max(total, sums[s]); });
      totals[open.buffer] = static_cast<double>(total);
      order.push_back(open.buffer);
    }
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      for (char k : keys) {
        const std::vector<double> &key = k == 'T'   ? totals
                                         : k == 'W' ? widths
                                         : k == 'A' ? areas
                                         : k == 'X' ? blames
                                                    : sizeKeys;
        if (key[a] != key[b])
          return key[a] > key[b];
      }
      return a < b;
    });
    for (size_t i = 0; i < order.size(); ++i)
      ranks[order[i]] = i;
  }

  /// Returns a lower bound of the height of the fullest section of a part.
  int64_t fullest(const std::vector<Open> &part) {
    clearSections(part);
    int64_t most = 0;
    for (const Open &open : part)
      forSections(open.buffer, [&](int s) {
        sums[s] += sizes[open.buffer];
        floors[s] = std::min(floors[s], open.floor);
      });
    for (const Open &open : part)
      forSections(open.buffer,
                  [&](int s) { most = std::max(most, floors[s] + sums[s]); });
    return most;
  }

  static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
    return x ^ (x >> 33);
  }

  /// Places all of `all`, which is in the order of starts. Returns false if
  /// that failed.
  bool descend(std::vector<Open> &all, int64_t lowest) {
    if (all.empty())
      return true;
    std::vector<size_t> starts; // of parts that share no time
    int last = -1;
    for (size_t i = 0; i < all.size(); ++i) {
      if (begin(all[i].buffer) >= last)
        starts.push_back(i);
      last = std::max(last, end(all[i].buffer));
    }
    if (starts.size() == 1)
      return place(all, lowest);
    // The fullest part comes first because it fails first. Each part is a
    // separate problem, with an order that fits it.
    starts.push_back(all.size());
    std::vector<std::pair<int64_t, std::vector<Open>>> parts;
    for (size_t i = 0; i + 1 < starts.size(); ++i) {
      std::vector<Open> part(all.begin() + starts[i],
                             all.begin() + starts[i + 1]);
      int64_t full = fullest(part);
      parts.push_back({full, std::move(part)});
    }
    std::sort(parts.begin(), parts.end(), [&](const auto &a, const auto &b) {
      return a.first != b.first ? a.first > b.first
                                : begin(a.second.front().buffer) <
                                      begin(b.second.front().buffer);
    });
    std::vector<size_t> ranksBefore;
    for (const Open &open : all)
      ranksBefore.push_back(ranks[open.buffer]);
    uint64_t saltBefore = salt;
    bool done = true;
    for (auto &[full, part] : parts) {
      rankBuffers(part);
      salt = 0;
      for (Open &open : part) {
        open.passed = false;
        salt ^= mix((uint64_t(open.buffer) << 32) + ranks[open.buffer]);
      }
      if (!place(part, 0)) {
        done = false;
        break;
      }
    }
    for (size_t i = 0; i < all.size(); ++i)
      ranks[all[i].buffer] = ranksBefore[i];
    salt = saltBefore;
    return done;
  }

  /// Sets the least offset of each open buffer. Returns true if every section
  /// has room for its open buffers.
  bool bound(const std::vector<Open> &part, int64_t lowest) {
    for (const Open &open : part)
      least[open.buffer] = std::max(
          open.floor, lowest + (open.passed && open.floor == lowest ? 1 : 0));
    for (const Open &open : part) {
      if (!open.passed)
        continue;
      int64_t support = INT64_MAX;
      for (const Open &other : part)
        if (other.buffer != open.buffer &&
            matrix.conflict(open.buffer, other.buffer))
          support =
              std::min(support, least[other.buffer] + sizes[other.buffer]);
      if (support == INT64_MAX)
        return false;
      least[open.buffer] = std::max(least[open.buffer], support);
      steps -= static_cast<int64_t>(part.size()) / 8;
    }
    clearSections(part);
    for (const Open &open : part)
      forSections(open.buffer, [&](int s) {
        sums[s] += sizes[open.buffer];
        floors[s] = std::min(floors[s], least[open.buffer]);
      });
    bool holds = true;
    for (const Open &open : part)
      forSections(open.buffer, [&](int s) {
        if (sums[s] > 0 && floors[s] + sums[s] > capacity) {
          holds = false;
          blame[s] += 1;
          sums[s] = 0;
        }
      });
    return holds;
  }

  bool place(const std::vector<Open> &part, int64_t lowest) {
    for (const Open &open : part)
      steps -= 1 + lengths[open.buffer] / 16;
    if (--nodes < 0 || steps <= 0)
      return false;
    // The rest of the search depends only on this state.
    uint64_t state = salt;
    int64_t ceiling = INT64_MAX; // below it some buffer fits entirely
    for (const Open &open : part) {
      state ^= mix(uint64_t(open.buffer) * 0x9e3779b97f4a7c15u +
                   2 * static_cast<uint64_t>(open.floor) + open.passed);
      ceiling = std::min(ceiling, open.floor + sizes[open.buffer]);
    }
    state |= uint64_t(1) << 63; // 0 means no state
    uint64_t &known = failedParts[state % failedParts.size()];
    if (known == state)
      return false;
    if (!bound(part, lowest)) {
      known = state;
      return false;
    }
    std::vector<uint32_t> choices;
    for (size_t i = 0; i < part.size(); ++i)
      if (!part[i].passed && part[i].floor < ceiling)
        choices.push_back(static_cast<uint32_t>(i));
    std::sort(choices.begin(), choices.end(), [&](uint32_t a, uint32_t b) {
      return part[a].floor != part[b].floor
                 ? part[a].floor < part[b].floor
                 : ranks[part[a].buffer] < ranks[part[b].buffer];
    });
    std::vector<Open> next;
    for (uint32_t choice : choices) {
      auto [at, passed, offset] = part[choice];
      int64_t top = offset + sizes[at];
      next.clear();
      for (size_t i = 0; i < part.size(); ++i) {
        if (i == choice)
          continue;
        Open open = part[i];
        if (open.floor < top && matrix.conflict(open.buffer, at)) {
          open.floor = top;
          open.passed = false;
        } else if (open.floor < offset ||
                   (open.floor == offset && ranks[open.buffer] < ranks[at])) {
          open.passed = true;
        }
        next.push_back(open);
      }
      offsets[at] = offset;
      if (descend(next, offset))
        return true;
      if (nodes < 0 || steps <= 0)
        return false;
    }
    failedParts[state % failedParts.size()] = state;
    return false;
  }

  MemoryPlacement placement() const {
    MemoryPlacement out;
    for (size_t i = 0; i < offsets.size(); ++i) {
      out.offsets.push_back(offsets[i] * unit);
      out.height =
          std::max(out.height, out.offsets[i] + problem.buffers[i].size);
    }
    return out;
  }

  const MemoryProblem &problem;
  const ConflictMatrix matrix;
  int64_t steps; // left to take: open buffers and sections that are visited
  int64_t nodes = 0;
  int64_t unit = 0, capacity = 0;
  std::vector<int64_t> offsets, sizes; // by buffer, in units
  std::vector<size_t> ranks;           // by buffer: its rank in the order
  std::vector<int64_t> least;          // by buffer, in the current node
  std::vector<double> totals, widths, areas, blames, sizeKeys; // by buffer
  std::string_view keys;
  std::vector<Range> ranges;         // ascending in each buffer
  std::vector<size_t> firstRange;    // by buffer, and the end
  std::vector<int64_t> lengths;      // by buffer: how many sections
  std::vector<int64_t> sums, floors; // by section, in the current node
  std::vector<double> blame;         // by section: how often it failed
  std::vector<uint64_t> failedParts; // hashes of states
  uint64_t salt = 0;                 // hash of the ranks
  Random random;
};

} // namespace

std::optional<MemoryPlacement> searchPlacement(const MemoryProblem &problem,
                                               int64_t height, int64_t steps) {
  return OffsetSearch(problem, height, steps).run();
}

} // namespace zcc::planning
