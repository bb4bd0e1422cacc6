// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/fit/ResidualSearch.h"
#include <algorithm>
#include <cmath>

using namespace zcc;
using namespace zcc::planner;

namespace {
constexpr int mostResidualTries = 8;
// The share of memory that may stay unused, if that costs at most a share
// `smallShare` of the time of all recomputation.
constexpr double slack = 1.0 / 128, smallShare = 1.0 / 64;
// The relative deviation of the peaks of two tries from their kept bytes up to
// which peaks between them are interpolated.
constexpr double offLine = 1.0 / 16;
} // namespace

void ResidualSearch::note(const Frontier &frontier, double kept, double peak) {
  ++tries;
  // Points that keep as much as the first try are no progress.
  for (; seen < frontier.size(); ++seen)
    if (!points.empty() || !tooMuch || frontier[seen].bytes < tooMuch->kept)
      points.push_back(frontier[seen]);
  // The first try may keep more than any point: values between blocks that
  // nothing reads.
  if (points.empty() && !frontier.empty())
    points.push_back(frontier.back());
  Try now{points.empty() ? 0 : findWithin(kept), kept, peak};
  improved = peak <= memory || (!fits && tooMuch && peak < leastPeak);
  leastPeak = std::min(leastPeak, peak);
  if (peak <= memory)
    fits = now;
  else
    tooMuch = now;
}

// Returns the index + 1 of the first point that keeps at most `bytes`.
size_t ResidualSearch::findWithin(double bytes) const {
  size_t point = 1;
  while (point < points.size() && points[point - 1].bytes > bytes)
    ++point;
  return point;
}

// Returns the next try if nothing fits yet.
std::optional<double> ResidualSearch::nextBelow() {
  // Keeps less by the excess, and by more after each try that was not enough.
  // Finally, or if no point promises enough, keeps the least possible, of which
  // no point may be known yet.
  constexpr int mostBelow = 3;
  double excess = (tooMuch->peak - memory) / held,
         wanted = tooMuch->kept - (0.77 + 0.25 * tries) * excess;
  if (points.empty()) // the frontier is not known yet
    return tries == 1 ? std::optional(std::max(0.0, wanted)) : std::nullopt;
  if (askedLeast)
    return std::nullopt;
  size_t next = std::max(findWithin(wanted), tooMuch->point + 1);
  // There may be more points after the last known one.
  if (tries < mostBelow && next < points.size() &&
      wanted >= points.back().bytes)
    return points[next - 1].bytes;
  askedLeast = true;
  return 0;
}

// Returns the next try if all tries fit: each additional byte kept per
// microbatch is assumed to add one byte to the peak.
std::optional<double> ResidualSearch::nextAbove() {
  if (fits->point <= 1 || tries == mostResidualTries ||
      (fits->peak >= (1 - slack) * memory) ||
      secondsOf(fits->point) <= smallShare * points.back().seconds)
    return std::nullopt;
  double wanted =
      fits->kept + ((1 - slack / 2) * memory - fits->peak) / held;
  return points[std::min(findWithin(wanted), fits->point - 1) - 1].bytes;
}

std::optional<double> ResidualSearch::nextBetween() {
  size_t first = tooMuch->point + 1, last = fits->point - 1;
  bool isFull = fits->peak >= (1 - slack) * memory;
  double more = held * (tooMuch->kept - fits->kept);
  bool isLine = std::abs(tooMuch->peak - fits->peak - more) <= offLine * more;
  if (first > last || tries == mostResidualTries ||
      (isFull &&
       (isLine || secondsOf(fits->point) - secondsOf(tooMuch->point) <=
                      smallShare * points.back().seconds)))
    return std::nullopt;
  double wanted;
  if (isFull && tries % 2 == 0) { // try whether a little more is too much
    wanted = fits->kept + 2 * slack * memory / held;
  } else if (isFull || tries % 3 == 0) { // the peak may not be linear
    wanted = (tooMuch->kept + fits->kept) / 2;
  } else {
    double line = (tooMuch->kept - fits->kept) / (tooMuch->peak - fits->peak);
    wanted = fits->kept + line * ((1 - slack / 2) * memory - fits->peak);
  }
  return points[std::clamp(findWithin(wanted), first, last) - 1].bytes;
}

std::optional<double> ResidualSearch::next() {
  return !fits ? nextBelow() : !tooMuch ? nextAbove() : nextBetween();
}
