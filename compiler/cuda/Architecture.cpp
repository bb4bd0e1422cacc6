// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/Architecture.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace zcc::cuda {

// Sources: CUDA C++ Programming Guide, technical specifications by compute
// capability; PTX ISA, release notes.
static const Architecture architectures[] = {
    {"sm_80", "ptx70", 2048, 32, 164 << 10},
    {"sm_86", "ptx71", 1536, 16, 100 << 10},
    {"sm_89", "ptx78", 1536, 24, 100 << 10},
    {"sm_90", "ptx78", 2048, 32, 228 << 10},
    {"sm_100", "ptx86", 2048, 32, 228 << 10},
    {"sm_120", "ptx87", 1536, 24, 100 << 10},
    {"host", nullptr, 0, 0, 0},
};

const Architecture *findArchitecture(llvm::StringRef name) {
  for (const Architecture &architecture : architectures)
    if (name == architecture.name)
      return &architecture;
  return nullptr;
}

std::string getArchitectureNames() {
  std::string names;
  for (const Architecture &architecture : architectures)
    names += (names.empty() ? "" : ", ") + std::string(architecture.name);
  return names;
}

double getOccupancy(const Architecture &architecture, unsigned threads,
                    unsigned registers, uint64_t sharedBytes) {
  // Registers are allocated to warps in units of 256; each block takes 1 KiB of
  // shared memory in addition to its own.
  constexpr unsigned allRegisters = 1 << 16, registerUnit = 256, own = 1 << 10;
  unsigned warps = (threads + 31) / 32;
  unsigned ofWarp = llvm::alignTo(std::max(1u, registers) * 32, registerUnit);
  uint64_t blocks = std::min<uint64_t>(architecture.blocks,
                                       architecture.threads / (warps * 32));
  blocks = std::min<uint64_t>(blocks, allRegisters / ofWarp / warps);
  blocks = std::min<uint64_t>(blocks,
                              architecture.sharedBytes / (sharedBytes + own));
  return static_cast<double>(blocks * warps * 32) / architecture.threads;
}

} // namespace zcc::cuda
