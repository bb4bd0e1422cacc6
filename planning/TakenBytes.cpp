// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/TakenBytes.h"
#include "planning/ConflictMatrix.h"
#include <algorithm>

namespace zcc::planning {

namespace {

struct Span {
  int64_t lower, upper; // offsets
};

Span spanOf(const MemoryProblem &problem, size_t at, int64_t offset) {
  int64_t a = problem.alignment;
  return {offset, offset + (problem.buffers[at].size + a - 1) / a * a};
}

/// Finds a gap below, between or above taken spans, which pass() gets by
/// ascending begin.
class GapFinder {
public:
  GapFinder(int64_t size, Fit fit) : size(size), fit(fit) {}
  /// Returns true if it needs to see no more spans.
  bool pass(Span span) {
    int64_t gap = span.lower - end;
    if (gap >= size && gap < bestGap) {
      best = end;
      bestGap = gap;
    }
    end = std::max(end, span.upper);
    return best >= 0 && fit == Fit::First;
  }
  int64_t offset() const { return best >= 0 ? best : end; }

private:
  int64_t size, end = 0, best = -1, bestGap = INT64_MAX;
  Fit fit;
};

/// A list of the placed buffers by offset; a buffer looks only at those that it
/// conflicts with.
class TakenList : public TakenBytes {
public:
  explicit TakenList(const MemoryProblem &problem)
      : problem(problem), matrix(problem) {}

  void clear() override { taken.clear(); }

  int64_t findGap(size_t at, Fit fit) override {
    GapFinder finder(problem.buffers[at].size, fit);
    size_t seen = 0;
    for (const Taken &other : taken) {
      ++seen;
      if (matrix.conflict(at, other.buffer) && finder.pass(other.span))
        break;
    }
    steps += 1 + static_cast<int64_t>(seen / 2);
    return finder.offset();
  }

  void take(size_t at, int64_t offset) override {
    auto place = std::upper_bound(
        taken.begin(), taken.end(), offset,
        [](int64_t lower, const Taken &own) { return lower < own.span.lower; });
    taken.insert(place, {spanOf(problem, at, offset), at});
  }

private:
  struct Taken {
    Span span;
    size_t buffer;
  };

  const MemoryProblem &problem;
  const ConflictMatrix matrix;
  std::vector<Taken> taken; // ascending
};

/// Disjoint ranges of offsets, ascending; adjacent ones are joined.
class Spans {
public:
  void add(Span own) {
    auto first = std::lower_bound(
        spans.begin(), spans.end(), own.lower,
        [](const Span &span, int64_t lower) { return span.upper < lower; });
    auto last = first;
    for (; last != spans.end() && last->lower <= own.upper; ++last) {
      own.lower = std::min(own.lower, last->lower);
      own.upper = std::max(own.upper, last->upper);
    }
    if (first == last) {
      spans.insert(first, own);
      return;
    }
    *first = own;
    spans.erase(first + 1, last);
  }
  std::vector<Span> spans;
};

/// A segment tree over the times at which live ranges start or end. Dense
/// stacks of buffers join to one span, so the lists stay short, however many
/// buffers there are.
class TakenTree : public TakenBytes {
public:
  explicit TakenTree(const MemoryProblem &problem) : problem(problem) {
    std::vector<int64_t> times;
    for (const MemoryBuffer &buffer : problem.buffers)
      for (const Interval &live : buffer.live) {
        times.push_back(live.lower);
        times.push_back(live.upper);
      }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    while (leaves < times.size())
      leaves *= 2;
    auto leaf = [&](int64_t time) {
      return leaves + (std::lower_bound(times.begin(), times.end(), time) -
                       times.begin());
    };
    for (const MemoryBuffer &buffer : problem.buffers) {
      first.push_back(ranges.size());
      for (const Interval &live : buffer.live)
        ranges.push_back({leaf(live.lower), leaf(live.upper)});
    }
    first.push_back(ranges.size());
    always.resize(2 * leaves);
    sometimes.resize(2 * leaves);
  }

  void clear() override {
    for (size_t node = 1; node < 2 * leaves; ++node) {
      always[node].spans.clear();
      sometimes[node].spans.clear();
    }
  }

  int64_t findGap(size_t at, Fit fit) override {
    int64_t size = problem.buffers[at].size;
    taken.clear();
    auto take = [&](const Spans &own) {
      size_t from = taken.size();
      steps += static_cast<int64_t>(own.spans.size());
      for (const Span &span : own.spans)
        if (taken.size() > from && span.lower - taken.back().upper < size)
          taken.back().upper = span.upper; // it fits into no such gap
        else
          taken.push_back(span);
    };
    for (size_t i = first[at]; i < first[at + 1]; ++i) {
      auto [begin, end] = ranges[i];
      forNodes(begin, end, [&](size_t node) { take(sometimes[node]); });
      size_t left = begin / 2, right = (end - 1) / 2;
      for (; left != right; left /= 2, right /= 2) {
        take(always[left]);
        take(always[right]);
      }
      for (; left > 0; left /= 2)
        take(always[left]);
    }
    steps += 4 + 4 * static_cast<int64_t>(taken.size());
    std::sort(taken.begin(), taken.end(),
              [](const Span &a, const Span &b) {
                return a.lower < b.lower;
              });
    GapFinder finder(size, fit);
    for (Span span : taken)
      if (finder.pass(span))
        break;
    return finder.offset();
  }

  void take(size_t at, int64_t offset) override {
    Span own = spanOf(problem, at, offset);
    for (size_t i = first[at]; i < first[at + 1]; ++i) {
      auto [begin, end] = ranges[i];
      forNodes(begin, end, [&](size_t node) {
        always[node].add(own);
        sometimes[node].add(own);
      });
      size_t left = begin / 2, right = (end - 1) / 2;
      for (; left > 0; left /= 2, right /= 2) {
        sometimes[left].add(own);
        if (left != right)
          sometimes[right].add(own);
      }
    }
  }

private:
  struct Range {
    size_t begin, end; // leaves
  };

  /// Visits the fewest nodes that together cover a range of leaves.
  template <typename Visit>
  static void forNodes(size_t begin, size_t end, Visit visit) {
    for (; begin < end; begin /= 2, end /= 2) {
      if (begin % 2)
        visit(begin++);
      if (end % 2)
        visit(--end);
    }
  }

  const MemoryProblem &problem;
  size_t leaves = 1;
  std::vector<Range> ranges;
  std::vector<size_t> first; // by buffer: its first range; and the end
  // By node of the tree: the bytes taken during all of its time, and those
  // taken during some of it.
  std::vector<Spans> always, sometimes;
  std::vector<Span> taken; // scratch
};

} // namespace

std::unique_ptr<TakenBytes> TakenBytes::makeList(const MemoryProblem &problem) {
  return std::make_unique<TakenList>(problem);
}

std::unique_ptr<TakenBytes> TakenBytes::makeTree(const MemoryProblem &problem) {
  return std::make_unique<TakenTree>(problem);
}

std::unique_ptr<TakenBytes> TakenBytes::make(const MemoryProblem &problem) {
  constexpr size_t few = 4096;
  return problem.buffers.size() <= few ? makeList(problem) : makeTree(problem);
}

} // namespace zcc::planning
