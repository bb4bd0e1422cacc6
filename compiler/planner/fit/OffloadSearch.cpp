// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/fit/OffloadSearch.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace zcc;
using namespace zcc::planner;

namespace {
constexpr int mostOffloadTries = 8;
constexpr double infinity = std::numeric_limits<double>::infinity();
// More is moved than necessary, because moved values come back through buffers
// on the device.
constexpr double margin = 1.0625;
} // namespace

void OffloadSearch::note(const Frontier &frontier, double nowKept,
                         const planning::OffloadProblem &values,
                         double nowMoved, double nowPeak) {
  if (!frontier.empty())
    points = frontier;
  kept = nowKept;
  moved = nowMoved;
  peak = nowPeak;
  problem = values;
  bool fits = peak <= memory;
  improved = fits || (!hasFit && (tries == 0 || peak < leastPeak));
  leastPeak = tries == 0 ? peak : std::min(leastPeak, peak);
  hasFit |= fits;
  if (tries++ == 0)
    asked.kept = kept;
}

// Returns the point of the frontier with the fastest step, if all excess goes
// to the host; additional residuals that are kept may go there, too.
std::optional<OffloadSearch::Try> OffloadSearch::findCheapest() const {
  double rest = peak + moved - kept, // without the residuals
      residualPrice = 0, residuals = 0;
  for (const planning::OffloadProblem::Value &value : problem.values)
    if (value.hides) {
      residualPrice += value.seconds;
      residuals += value.bytes;
    }
  residualPrice = residuals > 0 ? residualPrice / residuals : 0;
  std::optional<Try> best;
  double least = infinity;
  for (const Frontier::value_type &point : points) {
    planning::OffloadProblem own = problem;
    constexpr int parts = 64; // parts of the additional residuals
    if (double more = point.bytes - kept; more > 0 && residuals > 0)
      own.values.insert(own.values.end(), parts,
                        {more / parts, residualPrice * more / parts, true});
    double excess = margin * std::max(0.0, rest + point.bytes - memory);
    planning::OffloadChoice choice = planning::chooseOffload(own, excess);
    double seconds = choice.seconds + microbatches * point.seconds;
    if (choice.bytes >= excess && seconds < least) {
      least = seconds;
      best = {point.bytes, excess};
    }
  }
  return best;
}

std::optional<OffloadSearch::Try> OffloadSearch::next() {
  double excess = peak - memory;
  if (tries == 1) {
    if (excess <= 0)
      return std::nullopt;
    asked.moved = margin * excess;
    return asked;
  }
  // The cheapest point is searched once more with the results of the first one.
  if (priced < 2) {
    ++priced;
    if (std::optional<Try> cheapest = findCheapest();
        cheapest && cheapest->kept != kept)
      return asked = *cheapest;
  }
  if (excess <= 0 || wasAll)
    return std::nullopt;
  double all = 0;
  for (const planning::OffloadProblem::Value &value : problem.values)
    all += value.bytes;
  if (tries < mostOffloadTries && moved + excess <= all) {
    asked.moved = std::max(asked.moved, moved) + margin * excess;
    return asked;
  }
  if (hasFit)
    return std::nullopt;
  wasAll = true;
  return asked = {points.empty() ? kept : points.back().bytes, infinity};
}
