// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ConflictMatrix.h"
#include <algorithm>

namespace zcc::planning {

ConflictMatrix::ConflictMatrix(const MemoryProblem &problem)
    : words((problem.buffers.size() + 63) / 64),
      bits(problem.buffers.size() * words) {
  struct Event {
    int64_t time;
    size_t buffer;
    bool starts;
  };
  std::vector<Event> events;
  for (size_t at = 0; at < problem.buffers.size(); ++at)
    for (const Interval &live : problem.buffers[at].live) {
      events.push_back({live.lower, at, true});
      events.push_back({live.upper, at, false});
    }
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return a.time != b.time ? a.time < b.time : a.starts < b.starts;
  });
  // Each pair is seen when the later of the two starts.
  std::vector<uint64_t> open(words);
  for (const Event &event : events) {
    uint64_t bit = uint64_t(1) << event.buffer % 64;
    if (!event.starts) {
      open[event.buffer / 64] &= ~bit;
      continue;
    }
    for (size_t w = 0; w < words; ++w)
      bits[event.buffer * words + w] |= open[w];
    open[event.buffer / 64] |= bit;
  }
  for (size_t a = 0; a < problem.buffers.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (conflict(a, b) || conflict(b, a)) {
        bits[a * words + b / 64] |= uint64_t(1) << b % 64;
        bits[b * words + a / 64] |= uint64_t(1) << a % 64;
      }
}

} // namespace zcc::planning
