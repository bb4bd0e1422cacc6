// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of the host's threads, for NVIDIA's tools (Nsight Systems, Compute).
// A program that uses NVTX loads the tool which NVTX_INJECTION64_PATH names and
// offers it places for the functions that it will call; the tool fills those
// that it wants. That is all of NVTX, which is no library: the toolkit's
// headers do what is done here. A test holds the numbers against them.

#ifndef ZCC_RUNTIME_CUDA_NVTX_H
#define ZCC_RUNTIME_CUDA_NVTX_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace zcc::rt::cuda {

namespace nvtx {
using ToolFunction = void (*)();
/// Of the modules 1 to 6: how many functions each has, with the first, which is
/// none.
constexpr unsigned functions[] = {0, 16, 9, 15, 7, 16, 7};
constexpr unsigned modules = sizeof(functions) / sizeof(*functions);
constexpr unsigned core = 1, rangePush = 9, rangePop = 11; // with char text
constexpr uint32_t callbacksTable = 1, versionTable = 3;
constexpr char variable[] = "NVTX_INJECTION64_PATH",
               initializer[] = "InitializeInjectionNvtx2";

/// What a tool asks for by number.
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

/// Whether a tool watches this process; the first call loads it. One that does
/// not load is as none.
bool isWatchedByTool();
/// From here to popRange(), on this thread; ranges nest.
void pushRange(const char *name);
void popRange();

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_NVTX_H
