// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch on the host: blocks one after the other, a fiber for each thread of
// a block that waits for others, in an order drawn from the seed.

#ifndef ZCC_TEST_CUDABLOCKS_BLOCKS_H
#define ZCC_TEST_CUDABLOCKS_BLOCKS_H

#include "runtime/format/GpuThread.h"

#include <cstdint>
#include <string>

namespace zcc::standin {

struct Grid {
  uint32_t blocks, threads, shared;
};

/// Runs the blocks. Returns an empty text, or an error of how the threads met.
std::string runBlocks(ZccGpuKernel kernel, void *const *parameters,
                      const Grid &grid, uint64_t seed);

} // namespace zcc::standin

#endif // ZCC_TEST_CUDABLOCKS_BLOCKS_H
