// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/Architecture.h"
#include "planning/LaunchWork.h"
#include "llvm/Support/MathExtras.h"

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
  planning::Multiprocessor limits;
  limits.threads = architecture.threads;
  limits.blocks = architecture.blocks;
  limits.registers = 1 << 16; // of every architecture above
  limits.sharedBytes = static_cast<double>(architecture.sharedBytes);
  int64_t warps = llvm::divideCeil(threads, 32u);
  int64_t blocks = planning::residentBlocks(limits, threads, registers,
                                            static_cast<double>(sharedBytes));
  return static_cast<double>(blocks * warps * 32) / architecture.threads;
}

} // namespace zcc::cuda
