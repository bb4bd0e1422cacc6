// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step functions of a segment of a chain (ChainSolver.h), which give the least
// extra time for a budget of bytes.
#ifndef ZCC_PLANNING_CHAINFRONTIER_H
#define ZCC_PLANNING_CHAINFRONTIER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zcc::planning {

struct ChainFrontier {
  struct Point {
    int64_t bytes = 0, ticks = 0; // ticks are units of time
  };
  std::vector<Point> points; // ascending bytes, descending ticks
  // A lower bound of the function for each slot of bytes
  // (ChainFrontierBuilder).
  std::vector<double> least;

  /// Returns the last point within the bytes, or null.
  const Point *find(int64_t bytes) const;
};

/// The sum of `ticks`, of `below`, and of `above` in the budget less `held`
/// bytes. It is defined from `needed` bytes on.
struct ChainSum {
  int64_t needed = 0, ticks = 0, held = 0;
  const ChainFrontier *above = nullptr, *below = nullptr; // never null

  /// Returns the ticks for a budget of bytes, or `never`.
  int64_t ticksAt(int64_t bytes) const;
};
inline constexpr int64_t never = INT64_MAX;

/// Builds the minimum of many sums. Most sums are nowhere the least one: lower
/// bounds of them in some slots of bytes show that quickly.
class ChainFrontierBuilder {
public:
  /// No budget is above `most`.
  ChainFrontierBuilder(int64_t most, size_t slots)
      : width(most / static_cast<int64_t>(slots) + 1), slots(slots) {}

  void begin() { best.clear(), reached.assign(slots, 0); }
  void add(const ChainSum &sum);
  /// Writes the minimum, thinned to about `most` points if it has more. The
  /// points are chosen so that no step is much larger than the others, in bytes
  /// and ticks together; leaving out points can only raise the function.
  void finish(size_t most, ChainFrontier &frontier);

private:
  bool isLess(const ChainSum &sum, int64_t from, int64_t to) const;
  bool isNowhereLess(const ChainSum &sum) const;

  int64_t width; // bytes of a slot
  size_t slots;
  std::vector<ChainFrontier::Point> best, scratch;
  std::vector<double> reached; // the ticks at a slot's first byte
};

} // namespace zcc::planning

#endif
