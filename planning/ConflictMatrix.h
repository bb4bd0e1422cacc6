// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef ZCC_PLANNING_CONFLICTMATRIX_H
#define ZCC_PLANNING_CONFLICTMATRIX_H

#include "planning/MemoryProblem.h"

namespace zcc::planning {

/// Stores for each pair of buffers of a problem whether they conflict, in one
/// bit.
class ConflictMatrix {
public:
  explicit ConflictMatrix(const MemoryProblem &problem);
  bool conflict(size_t a, size_t b) const {
    return bits[a * words + b / 64] >> b % 64 & 1;
  }

private:
  size_t words; // 64-bit words per row
  std::vector<uint64_t> bits;
};

} // namespace zcc::planning

#endif // ZCC_PLANNING_CONFLICTMATRIX_H
