// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef ZCC_PLANNING_TAKENBYTES_H
#define ZCC_PLANNING_TAKENBYTES_H

#include "planning/MemoryAlgorithms.h"
#include <memory>

namespace zcc::planning {

/// Which bytes are taken when, while buffers are placed one by one.
class TakenBytes {
public:
  /// A list for few buffers, a tree for many: they find the same gaps.
  static std::unique_ptr<TakenBytes> make(const MemoryProblem &problem);
  static std::unique_ptr<TakenBytes> makeList(const MemoryProblem &problem);
  static std::unique_ptr<TakenBytes> makeTree(const MemoryProblem &problem);
  virtual ~TakenBytes() = default;

  /// Nothing is taken.
  virtual void clear() = 0;
  /// Where buffer `at` goes, by what is taken while it lives.
  virtual int64_t findGap(size_t at, Fit fit) = 0;
  virtual void take(size_t at, int64_t offset) = 0;

  int64_t steps = 0; // what was looked at, some nanoseconds each
};

} // namespace zcc::planning

#endif // ZCC_PLANNING_TAKENBYTES_H
