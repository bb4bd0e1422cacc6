// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/OffloadChoice.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace zcc::planning {

namespace {
double secondsOf(const OffloadProblem &problem,
                 const std::vector<bool> &moved) {
  double hiding = 0, others = 0;
  for (size_t i = 0; i < moved.size(); ++i)
    if (moved[i])
      (problem.values[i].hides ? hiding : others) += problem.values[i].seconds;
  return others + std::max(0.0, hiding - problem.hiddenSeconds);
}
} // namespace

OffloadChoice chooseOffload(const OffloadProblem &problem, double bytes) {
  const std::vector<OffloadProblem::Value> &values = problem.values;
  OffloadChoice out;
  out.moved.assign(values.size(), false);
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  auto priceOf = [&](size_t i) {
    return values[i].bytes > 0 ? values[i].seconds / values[i].bytes : 1e300;
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::make_tuple(priceOf(a), -values[a].bytes, a) <
           std::make_tuple(priceOf(b), -values[b].bytes, b);
  });
  double hidden = 0;
  // Values whose copies are hidden come first, then all others by their price.
  for (bool free : {true, false})
    for (size_t i : order) {
      if (out.bytes >= bytes)
        break;
      const OffloadProblem::Value &value = values[i];
      if (out.moved[i] || (free && (!value.hides || hidden + value.seconds >
                                                        problem.hiddenSeconds)))
        continue;
      hidden += free ? value.seconds : 0;
      out.moved[i] = true;
      out.bytes += value.bytes;
    }
  // The last value may make some earlier ones unnecessary; the most expensive
  // ones are dropped first.
  for (auto at = order.rbegin(); at != order.rend(); ++at)
    if (out.moved[*at] && out.bytes - values[*at].bytes >= bytes) {
      out.moved[*at] = false;
      out.bytes -= values[*at].bytes;
    }
  out.seconds = secondsOf(problem, out.moved);
  return out;
}

std::string verifyOffload(const OffloadProblem &problem, double bytes,
                          const OffloadChoice &choice) {
  if (choice.moved.size() != problem.values.size())
    return "expected a decision on each of " +
           std::to_string(problem.values.size()) + " values, found " +
           std::to_string(choice.moved.size());
  double moved = 0, all = 0;
  for (size_t i = 0; i < problem.values.size(); ++i) {
    all += problem.values[i].bytes;
    moved += choice.moved[i] ? problem.values[i].bytes : 0;
  }
  auto differs = [](double a, double b) {
    return std::abs(a - b) > 1e-9 * (1 + std::abs(a) + std::abs(b));
  };
  if (differs(moved, choice.bytes))
    return "expected " + std::to_string(moved) + " bytes, found " +
           std::to_string(choice.bytes);
  if (moved < bytes && differs(moved, all))
    return std::to_string(moved) + " bytes are moved of " +
           std::to_string(bytes) + " that must, and there is more";
  if (double seconds = secondsOf(problem, choice.moved);
      differs(seconds, choice.seconds))
    return "expected " + std::to_string(seconds) + " seconds, found " +
           std::to_string(choice.seconds);
  return "";
}

} // namespace zcc::planning
