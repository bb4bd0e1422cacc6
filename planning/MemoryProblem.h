// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placing buffers in memory: the problem (who lives when), a placement, and the
// verifier, which knows nothing of the algorithms (MemoryAlgorithms.h).
//
// Two buffers conflict when some interval of one overlaps some interval of the
// other; conflicting buffers must not share a byte. A buffer has one offset,
// however many intervals it has: the temporaries of a task that runs many times
// a step are such buffers.

#ifndef ZCC_PLANNING_MEMORYPROBLEM_H
#define ZCC_PLANNING_MEMORYPROBLEM_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zcc::planning {

/// Live on [lower, upper).
struct Interval {
  int64_t lower = 0, upper = 0;
};

struct MemoryBuffer {
  std::string id;
  int64_t size = 0;           // bytes
  std::vector<Interval> live; // ascending, disjoint, not empty
};

struct MemoryProblem {
  std::vector<MemoryBuffer> buffers;
  int64_t alignment = 1; // of offsets
};

/// One offset a buffer; `height` is the largest offset + size.
struct MemoryPlacement {
  std::vector<int64_t> offsets;
  int64_t height = 0;
};

bool conflict(const MemoryBuffer &a, const MemoryBuffer &b);

/// Sorts and joins intervals that touch or overlap.
void normalize(std::vector<Interval> &live);

/// Largest sum of live sizes over time: no placement is lower.
int64_t lowerBound(const MemoryProblem &problem);

/// Empty if no two conflicting buffers overlap, offsets are aligned and not
/// negative, and the height is right; else what is wrong.
[[nodiscard]] std::string verifyPlacement(const MemoryProblem &problem,
                                          const MemoryPlacement &placement);

/// Reads minimalloc's format: a header line that names at least the columns id,
/// lower, upper and size, then a row a buffer; rows of one id are the intervals
/// of one buffer. An error text, or empty.
[[nodiscard]] std::string parseMemoryProblem(std::string_view csv,
                                             MemoryProblem &problem);

/// The same format with a column `offset`.
std::string printPlacement(const MemoryProblem &problem,
                           const MemoryPlacement &placement);

} // namespace zcc::planning

#endif // ZCC_PLANNING_MEMORYPROBLEM_H
