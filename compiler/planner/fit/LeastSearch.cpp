// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/fit/LeastSearch.h"
#include <algorithm>

using namespace zcc;
using namespace zcc::planner;

void LeastSearch::note(const Frontier &frontier, double kept, double peak) {
  improved = peak < leastPeak;
  leastPeak = std::min(leastPeak, peak);
  if (frontier.empty())
    return;
  if (points.empty())
    points = frontier;
  size_t point = 0;
  while (point + 1 < points.size() && points[point].bytes > kept)
    ++point;
  bool isLeast = peaks.empty() || peak < peaks[least];
  peaks[point] = peak;
  if (isLeast)
    least = point;
}

// Finally tries to keep everything: arithmetic that differentiation repeats
// then exists twice, as without a choice, and may need less memory than if it
// is merged.
std::optional<double> LeastSearch::next() {
  if (std::optional<double> bytes = nextPoint())
    return bytes;
  if (askedForAll || points.empty() || points.front().bytes >= leastPeak)
    return std::nullopt;
  askedForAll = true;
  return -1;
}

// Returns first the point with the least memory by the frontier itself. Then it
// alternates between the middle of a gap beside the best tried point and the
// middle of the widest gap (in bytes) of all.
std::optional<double> LeastSearch::nextPoint() const {
  if (points.empty() || peaks.size() >= mostTries)
    return std::nullopt;
  auto atOnce = [](const Frontier::value_type &point) {
    return point.bytes + point.returning;
  };
  size_t guess = std::min_element(points.begin(), points.end(),
                                  [&](const auto &a, const auto &b) {
                                    return atOnce(a) < atOnce(b);
                                  }) -
                 points.begin();
  if (!peaks.count(guess))
    return points[guess].bytes;
  struct Gap {
    size_t first = 0, end = 0; // first and last point of the gap
    double bytes = -1;
  } near, any;
  size_t first = 0;
  auto close = [&](size_t end, bool isNear) {
    if (first >= end)
      return;
    Gap own{first, end, points[first].bytes - points[end - 1].bytes};
    if (own.bytes > any.bytes)
      any = own;
    if (isNear && own.bytes > near.bytes)
      near = own;
  };
  bool afterLeast = false;
  for (auto [point, peak] : peaks) {
    close(point, afterLeast || point == least);
    afterLeast = point == least;
    first = point + 1;
  }
  close(points.size(), afterLeast);
  const Gap &gap = near.bytes >= 0 && peaks.size() % 2 == 0 ? near : any;
  if (gap.bytes < 0)
    return std::nullopt;
  size_t middle = gap.first;
  double wanted = (points[gap.first].bytes + points[gap.end - 1].bytes) / 2;
  while (middle + 1 < gap.end && points[middle].bytes > wanted)
    ++middle;
  return points[middle].bytes;
}
