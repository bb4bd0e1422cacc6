// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step functions of a segment of a chain (ChainSolver.h): the least extra time
// within some bytes.
#ifndef ZCC_PLANNING_CHAINFRONTIER_H
#define ZCC_PLANNING_CHAINFRONTIER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zcc::planning {

struct ChainFrontier {
  struct Point {
    int64_t bytes = 0, ticks = 0; // of time
  };
  std::vector<Point> points; // ascending bytes, descending ticks
  // Never above the function, a slot of bytes each (ChainFrontierBuilder).
  std::vector<double> least;

  /// The last point within the bytes, or null.
  const Point *find(int64_t bytes) const;
};

/// `ticks`, with `above` while `held` bytes are beside it, with `below`; from
/// `needed` bytes on.
struct ChainSum {
  int64_t needed = 0, ticks = 0, held = 0;
  const ChainFrontier *above = nullptr, *below = nullptr; // not null

  /// Within the bytes, or `never`.
  int64_t ticksAt(int64_t bytes) const;
};
inline constexpr int64_t never = INT64_MAX;

/// The least of many sums. Most sums are nowhere the least one: what they are
/// at least in each of some slots of bytes shows that.
class ChainFrontierBuilder {
public:
  /// No bytes are above `most`.
  ChainFrontierBuilder(int64_t most, size_t slots)
      : width(most / static_cast<int64_t>(slots) + 1), slots(slots) {}

  void begin() { best.clear(), reached.assign(slots, 0); }
  void add(const ChainSum &sum);
  /// About `most` points are left where there are more: such that no step is
  /// much larger than the others, in bytes and ticks together. Those left out
  /// only make the function larger.
  void finish(size_t most, ChainFrontier &frontier);

private:
  bool isLess(const ChainSum &sum, int64_t from, int64_t to) const;
  bool isNowhereLess(const ChainSum &sum) const;

  int64_t width; // bytes of a slot
  size_t slots;
  std::vector<ChainFrontier::Point> best, scratch;
  std::vector<double> reached; // at a slot's first byte
};

} // namespace zcc::planning

#endif
