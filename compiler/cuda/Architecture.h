// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that code can be generated for, and what of a device decides how many
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
  // The PTX that knew the device first: newer drivers take it too.
  const char *ptx; // LLVM's feature, "ptx78"
  // Of a multiprocessor.
  unsigned threads, blocks;
  uint64_t sharedBytes;

  bool isHost() const { return ptx == nullptr; }
};

/// Null if nobody knows the name.
const Architecture *findArchitecture(llvm::StringRef name);
/// Their names, between commas.
std::string getArchitectureNames();

/// Threads that are resident on a multiprocessor, of those that could be, for
/// kernels of so many registers a thread and bytes of shared memory a block.
double getOccupancy(const Architecture &architecture, unsigned threads,
                    unsigned registers, uint64_t sharedBytes);

} // namespace zcc::cuda

#endif
