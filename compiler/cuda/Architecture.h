// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that code can be generated for, with the limits that decide how many
// threads are resident.
#ifndef ZCC_COMPILER_CUDA_ARCHITECTURE_H
#define ZCC_COMPILER_CUDA_ARCHITECTURE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace zcc::cuda {

struct Architecture {
  const char *name; // "sm_90"; "host" for tests
  // The oldest PTX version that has the device: newer drivers accept it, too.
  const char *ptx; // LLVM's feature, "ptx78"
  // The limits of a multiprocessor.
  unsigned threads, blocks;
  uint64_t sharedBytes;

  bool isHost() const { return ptx == nullptr; }
};

/// Returns the device of that name; null if there is none.
const Architecture *findArchitecture(llvm::StringRef name);
/// Returns the names of all devices, separated by commas.
std::string getArchitectureNames();

/// Returns the occupancy (0 to 1): the threads that are resident on a
/// multiprocessor relative to the most possible, for kernels of so many
/// registers per thread and bytes of shared memory per block.
double getOccupancy(const Architecture &architecture, unsigned threads,
                    unsigned registers, uint64_t sharedBytes);

} // namespace zcc::cuda

#endif
