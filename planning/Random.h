// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small random number generator, which gives the same numbers with every
// standard library.
#ifndef ZCC_PLANNING_RANDOM_H
#define ZCC_PLANNING_RANDOM_H

#include <cstdint>

namespace zcc::planning {

class Random {
public:
  /// Returns a number from 0 to n - 1.
  uint64_t below(uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  }

private:
  uint64_t state = 0x9e3779b97f4a7c15u;
};

} // namespace zcc::planning

#endif // ZCC_PLANNING_RANDOM_H
