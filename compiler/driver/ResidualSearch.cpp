// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/ResidualSearch.h"
#include <algorithm>

using namespace zcc;

namespace {
constexpr int mostTries = 8;
// Of the memory, that may stay unused, where that costs no more than this share
// of all that could be computed again.
constexpr double slack = 1.0 / 128, smallShare = 1.0 / 64;
} // namespace

// The first that keeps no more, one past it.
size_t ResidualSearch::findWithin(double bytes) const {
  size_t point = 1;
  while (point < points.size() && points[point - 1].bytes > bytes)
    ++point;
  return point;
}

std::optional<double> ResidualSearch::next() {
  if (tries == 0)
    return std::max(0.0, tooMuch.kept - 1.02 * (tooMuch.peak - memory));
  size_t first = tooMuch.point + 1,
         last = fits ? fits->point - 1 : points.size();
  auto secondsOf = [&](size_t point) {
    return point == 0 ? 0 : points[point - 1].seconds;
  };
  if (first > last || tries == mostTries ||
      (fits && fits->peak >= (1 - slack) * memory &&
       secondsOf(fits->point) - secondsOf(tooMuch.point) <=
           smallShare * points.back().seconds))
    return std::nullopt;
  double wanted = 0; // at last the fewest bytes
  if (!fits && tries < 3) {
    wanted = tooMuch.kept - 1.25 * tries * (tooMuch.peak - memory);
  } else if (fits && (tries % 3 == 2 || fits->peak >= (1 - slack) * memory)) {
    // The peak may be far from a line.
    wanted = (tooMuch.kept + fits->kept) / 2;
  } else if (fits) {
    double line = (tooMuch.kept - fits->kept) / (tooMuch.peak - fits->peak);
    wanted = fits->kept + line * ((1 - slack / 2) * memory - fits->peak);
  }
  return points[std::clamp(findWithin(wanted), first, last) - 1].bytes;
}

void ResidualSearch::note(const std::vector<Point> &frontier, double kept,
                          double peak) {
  // What keeps as much as there was at first is no step ahead.
  if (tries++ == 0)
    for (const Point &point : frontier)
      if (point.bytes < tooMuch.kept)
        points.push_back(point);
  Try now{points.empty() ? 0 : findWithin(kept), kept, peak};
  improved = peak <= memory || (!fits && peak < tooMuch.peak);
  if (peak <= memory)
    fits = now;
  else
    tooMuch = now;
}
