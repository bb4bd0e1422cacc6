// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that watches ranges (runtime/cuda/Nvtx.h): it writes them into the
// file that ZCC_NVTX_RANGES names, each with its depth.

#include "runtime/cuda/Nvtx.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>

using namespace zcc::rt::cuda;

static thread_local int depth = 0;
static std::mutex mutex;
static std::FILE *file = nullptr;

static int push(const char *name) {
  std::lock_guard<std::mutex> lock(mutex);
  std::fprintf(file, "%d %s\n", depth, name);
  return depth++;
}

static int pop() {
  if (--depth < 0)
    std::abort();
  return depth;
}

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(nvtx::GetTable get) {
  auto *callbacks =
      static_cast<const nvtx::Callbacks *>(get(nvtx::callbacksTable));
  const char *path = std::getenv("ZCC_NVTX_RANGES");
  nvtx::ToolFunction **table = nullptr;
  unsigned size = 0;
  if (!path || !callbacks->table(nvtx::core, &table, &size) ||
      size <= nvtx::rangePop)
    return 0;
  file = std::fopen(path, "w");
  *table[nvtx::rangePush] = reinterpret_cast<nvtx::ToolFunction>(push);
  *table[nvtx::rangePop] = reinterpret_cast<nvtx::ToolFunction>(pop);
  return file ? 1 : 0;
}
