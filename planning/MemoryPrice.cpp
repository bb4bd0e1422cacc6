// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/MemoryPrice.h"

namespace zcc::planning {

namespace {
using Frontier = std::vector<RecomputationFrontier::Point>;

/// Computes prices relative to the frontier's point that keeps at most `kept`.
struct From {
  From(const Frontier &frontier, double kept, double live)
      : frontier(frontier), live(live) {
    while (now + 1 < frontier.size() && frontier[now].bytes > kept)
      ++now;
  }
  /// Returns the bytes in use. Values of a part that are computed again are
  /// live while the backward pass is in that part.
  double used(size_t point) const {
    return live * frontier[point].bytes + frontier[point].returning;
  }
  MemoryPrice priceOf(size_t point) const {
    return {used(point) - used(now),
            frontier[point].seconds - frontier[now].seconds, true};
  }

  const Frontier &frontier;
  double live;
  size_t now = 0;
};
} // namespace

MemoryPrice priceNext(const Frontier &frontier, double kept, double live) {
  From from(frontier, kept, live);
  size_t point = from.now;
  while (point > 0 && !(frontier[point].seconds < frontier[from.now].seconds))
    --point;
  MemoryPrice price = from.priceOf(point);
  price.enough = price.seconds < 0;
  return price;
}

MemoryPrice priceMemory(const Frontier &frontier, double kept, double change,
                        double live) {
  From from(frontier, kept, live);
  size_t now = from.now;
  auto used = [&](size_t point) { return from.used(point); };
  auto priceOf = [&](size_t point) { return from.priceOf(point); };
  if (change >= 0) {
    size_t point = now;
    while (point > 0 && used(point - 1) <= used(now) + change)
      --point;
    MemoryPrice price = priceOf(point);
    price.enough = point > 0;
    return price;
  }
  size_t least = now;
  for (size_t point = now; point < frontier.size(); ++point) {
    if (used(point) <= used(now) + change)
      return priceOf(point);
    if (used(point) < used(least))
      least = point;
  }
  MemoryPrice price = priceOf(least);
  price.enough = false;
  return price;
}

namespace {
constexpr double worthOfMemory = 1.0 / 8, // as a share of the step
    mostOfStep = 1.0 / 100, leastOfMemory = 1.0 / 64;
} // namespace

double worthOfByte(double seconds, double memory) {
  return memory > 0 ? worthOfMemory * seconds / memory : 0;
}

double leastWorthwhile(double memory) { return leastOfMemory * memory; }

size_t findWorthwhile(const Frontier &frontier, double seconds, double memory) {
  if (frontier.empty() || !(seconds > 0) || !(memory > 0))
    return 0;
  From from(frontier, frontier.front().bytes, 1);
  double price = worthOfByte(seconds, memory);
  auto cost = [&](size_t point) {
    return frontier[point].seconds + price * from.used(point);
  };
  size_t best = 0;
  for (size_t point = 1; point < frontier.size(); ++point)
    if (frontier[point].seconds <=
            frontier.front().seconds + mostOfStep * seconds &&
        cost(point) < cost(best))
      best = point;
  return from.used(0) - from.used(best) >= leastWorthwhile(memory) ? best : 0;
}

} // namespace zcc::planning
