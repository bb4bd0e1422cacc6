// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ChainFrontier.h"
#include <algorithm>
#include <limits>

namespace zcc::planning {

using Point = ChainFrontier::Point;
static constexpr double infinity = std::numeric_limits<double>::infinity();

static bool isBefore(int64_t bytes, const Point &point) {
  return bytes < point.bytes;
}

const Point *ChainFrontier::find(int64_t bytes) const {
  auto after = std::upper_bound(points.begin(), points.end(), bytes, isBefore);
  return after == points.begin() ? nullptr : &*std::prev(after);
}

int64_t ChainSum::ticksAt(int64_t bytes) const {
  const Point *a = above->find(bytes - held), *b = below->find(bytes);
  return bytes < needed || !a || !b ? never : ticks + a->ticks + b->ticks;
}

// Returns true if the sum is less than `best` somewhere in [from, to).
bool ChainFrontierBuilder::isLess(const ChainSum &sum, int64_t from,
                                  int64_t to) const {
  const std::vector<Point> &above = sum.above->points,
                           &below = sum.below->points;
  const Point *a = sum.above->find(from - sum.held), *b = sum.below->find(from),
              *aEnd = above.data() + above.size(),
              *bEnd = below.data() + below.size(),
              *cEnd = best.data() + best.size();
  const Point *c = std::upper_bound(best.data(), cEnd, from, isBefore);
  while (from < to) {
    while (a + 1 < aEnd && a[1].bytes + sum.held <= from)
      ++a;
    while (b + 1 < bEnd && b[1].bytes <= from)
      ++b;
    while (c < cEnd && c->bytes <= from)
      ++c;
    if (c == best.data() || sum.ticks + a->ticks + b->ticks < c[-1].ticks)
      return true;
    from = std::min(a + 1 < aEnd ? a[1].bytes + sum.held : never,
                    b + 1 < bEnd ? b[1].bytes : never);
  }
  return false;
}

bool ChainFrontierBuilder::isNowhereLess(const ChainSum &sum) const {
  const std::vector<Point> &above = sum.above->points,
                           &below = sum.below->points;
  if (best.empty() ||
      best.back().ticks > sum.ticks + above.back().ticks + below.back().ticks)
    return false;
  int64_t first = std::max(
      {sum.needed, above.front().bytes + sum.held, below.front().bytes});
  // Any byte count in slot s, less `held`, is in slot s - shift or an earlier
  // one.
  size_t shift = sum.held / width,
         last = std::min<size_t>(best.back().bytes / width, slots - 1);
  double ticks = static_cast<double>(sum.ticks);
  for (size_t s = first / width; s <= last; ++s)
    if (ticks + sum.above->least[s - shift] + sum.below->least[s] <
            reached[s] &&
        isLess(sum, std::max(first, static_cast<int64_t>(s) * width),
               static_cast<int64_t>(s + 1) * width))
      return false;
  return true;
}

void ChainFrontierBuilder::add(const ChainSum &sum) {
  if (isNowhereLess(sum))
    return;
  const std::vector<Point> &above = sum.above->points,
                           &below = sum.below->points;
  // The steps of both frontiers are merged by ascending bytes with those of
  // `best`.
  scratch.clear();
  auto push = [&](const Point &point) {
    if (scratch.empty() || point.ticks < scratch.back().ticks)
      scratch.push_back(point);
  };
  size_t a = 0, b = 0, c = 0;
  int64_t bytes = std::max(
      {sum.needed, above.front().bytes + sum.held, below.front().bytes});
  while (bytes != never) {
    while (a + 1 < above.size() && above[a + 1].bytes + sum.held <= bytes)
      ++a;
    while (b + 1 < below.size() && below[b + 1].bytes <= bytes)
      ++b;
    for (; c < best.size() && best[c].bytes < bytes; ++c)
      push(best[c]);
    Point point = {bytes, sum.ticks + above[a].ticks + below[b].ticks};
    if (c < best.size() && best[c].bytes == bytes)
      point.ticks = std::min(point.ticks, best[c++].ticks);
    push(point);
    bytes =
        std::min(a + 1 < above.size() ? above[a + 1].bytes + sum.held : never,
                 b + 1 < below.size() ? below[b + 1].bytes : never);
  }
  for (; c < best.size(); ++c)
    push(best[c]);
  std::swap(best, scratch);

  size_t next = 0;
  for (size_t s = 0; s < slots; ++s) {
    while (next < best.size() &&
           best[next].bytes <= static_cast<int64_t>(s) * width)
      ++next;
    reached[s] = next ? static_cast<double>(best[next - 1].ticks) : infinity;
  }
}

void ChainFrontierBuilder::finish(size_t most, ChainFrontier &frontier) {
  if (best.size() > most) {
    // The remaining points have equal distances along the curve, which is
    // scaled to a square; the ends stay.
    Point first = best.front(), last = best.back();
    auto distance = [&](const Point &point) {
      return double(point.bytes - first.bytes) /
                 double(last.bytes - first.bytes) +
             double(first.ticks - point.ticks) /
                 double(first.ticks - last.ticks);
    };
    double step = 2.0 / double(most - 1);
    size_t kept = 1;
    for (size_t p = 1; p + 1 < best.size(); ++p)
      if (distance(best[p + 1]) >= step * double(kept))
        best[kept++] = best[p];
    best[kept++] = last;
    best.resize(kept);
  }
  frontier.points = best;
  frontier.least.assign(slots, infinity);
  size_t next = 0;
  for (size_t s = 0; s < slots; ++s) {
    while (next < best.size() &&
           best[next].bytes < static_cast<int64_t>(s + 1) * width)
      ++next;
    if (next)
      frontier.least[s] = static_cast<double>(best[next - 1].ticks);
  }
}

} // namespace zcc::planning
