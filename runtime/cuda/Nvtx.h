// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of work on the host's threads, for NVIDIA's profilers (Nsight Systems,
// Compute). A program that uses NVTX loads the tool which NVTX_INJECTION64_PATH
// names, and offers it a table of function pointers; the tool fills in those
// that it implements. NVTX is no library: its headers do the same as this file.
// A test holds the numbers against them.

#ifndef ZCC_RUNTIME_CUDA_NVTX_H
#define ZCC_RUNTIME_CUDA_NVTX_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace zcc::rt::cuda {

namespace nvtx {
using ToolFunction = void (*)();
/// The number of functions in each of the modules 1 to 6, including the first,
/// which is unused.
constexpr unsigned functions[] = {0, 16, 9, 15, 7, 16, 7};
constexpr unsigned modules = sizeof(functions) / sizeof(*functions);
constexpr unsigned core = 1, rangePush = 9, rangePop = 11; // with char text
constexpr uint32_t callbacksTable = 1, versionTable = 3;
constexpr char variable[] = "NVTX_INJECTION64_PATH",
               initializer[] = "InitializeInjectionNvtx2";

/// The tables that a tool asks for by number.
struct Callbacks {
  size_t bytes;
  int (*table)(int module, ToolFunction ***table, unsigned *size);
};
struct Version {
  size_t bytes;
  uint32_t version, reserved;
  void (*set)(uint32_t ofTool);
};
using GetTable = const void *(*)(uint32_t number);
} // namespace nvtx

/// Returns true if a tool watches this process. The first call loads the tool;
/// one that does not load counts as none.
bool isWatchedByTool();
/// Begins a named range on this thread, which popRange() ends; ranges nest.
void pushRange(const char *name);
void popRange();

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_NVTX_H
