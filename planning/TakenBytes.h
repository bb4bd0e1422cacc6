// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef ZCC_PLANNING_TAKENBYTES_H
#define ZCC_PLANNING_TAKENBYTES_H

#include "planning/MemoryAlgorithms.h"
#include <memory>

namespace zcc::planning {

/// Tracks which bytes are taken during which live ranges, while buffers are
/// placed one by one.
class TakenBytes {
public:
  /// Returns a list for few buffers, a tree for many; both find the same gaps.
  static std::unique_ptr<TakenBytes> make(const MemoryProblem &problem);
  static std::unique_ptr<TakenBytes> makeList(const MemoryProblem &problem);
  static std::unique_ptr<TakenBytes> makeTree(const MemoryProblem &problem);
  virtual ~TakenBytes() = default;

  /// Frees everything.
  virtual void clear() = 0;
  /// Returns the offset of the gap for buffer `at`, given the bytes that are
  /// taken while it is live.
  virtual int64_t findGap(size_t at, Fit fit) = 0;
  virtual void take(size_t at, int64_t offset) = 0;

  int64_t steps = 0; // steps taken so far, some nanoseconds each
};

} // namespace zcc::planning

#endif // ZCC_PLANNING_TAKENBYTES_H
