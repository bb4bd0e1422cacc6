// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placing buffers in memory: the problem (the live ranges of buffers), a
// placement, and the verifier, which knows nothing of the algorithms
// (MemoryAlgorithms.h).
//
// Two buffers conflict if some interval of one overlaps some interval of the
// other; conflicting buffers must not share a byte. A buffer has one offset for
// all its intervals: temporaries of a task that runs many times per step are
// such buffers.

#ifndef ZCC_PLANNING_MEMORYPROBLEM_H
#define ZCC_PLANNING_MEMORYPROBLEM_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zcc::planning {

/// A half-open live range [lower, upper).
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
  int64_t alignment = 1; // of offsets, in bytes
};

/// One offset per buffer; `height` is the largest offset + size, in bytes.
struct MemoryPlacement {
  std::vector<int64_t> offsets;
  int64_t height = 0;
};

bool conflict(const MemoryBuffer &a, const MemoryBuffer &b);

/// Sorts and joins intervals that touch or overlap.
void normalize(std::vector<Interval> &live);

/// Returns the largest sum of sizes that are live at the same time: no
/// placement is lower.
int64_t lowerBound(const MemoryProblem &problem);

/// Returns "" if no two conflicting buffers overlap, offsets are aligned and
/// not negative, and the height is right; else what is wrong.
[[nodiscard]] std::string verifyPlacement(const MemoryProblem &problem,
                                          const MemoryPlacement &placement);

/// Reads minimalloc's format: a header line that names at least the columns id,
/// lower, upper and size, then one row per interval; rows with the same id
/// belong to one buffer. Returns an error text, or "".
[[nodiscard]] std::string parseMemoryProblem(std::string_view csv,
                                             MemoryProblem &problem);

/// Returns the placement in the same format, with a column `offset`.
std::string printPlacement(const MemoryProblem &problem,
                           const MemoryPlacement &placement);

} // namespace zcc::planning

#endif // ZCC_PLANNING_MEMORYPROBLEM_H
