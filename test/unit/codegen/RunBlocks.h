// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernels of a GPU on the host: the image "host" of
// docs/decisions/cuda/0028-cuda-kernels.md, block by block, a fiber for each thread
// that waits for others.

#ifndef ZCC_TEST_UNIT_CODEGEN_RUNBLOCKS_H
#define ZCC_TEST_UNIT_CODEGEN_RUNBLOCKS_H

#include "runtime/format/GpuThread.h"
#include <memory>
#include <string>
#include <ucontext.h>
#include <vector>

namespace zcc::test {

class BlockRunner {
public:
  /// Runs the kernel. The test fails if threads of a block wait for each other
  /// forever.
  void run(ZccGpuKernel kernel, void *const *parameters, uint64_t blocks,
           unsigned threads, uint64_t sharedBytes);

private:
  struct Thread : ZccGpuThread {
    BlockRunner *runner;
    enum { None, Barrier, Shuffle } waitsAt;
    uint64_t barriers, shuffles;
    uint32_t values[2]; // of the last two shuffles
  };
  struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    Thread *thread = nullptr; // that waits, or null: idle
  };
  void runBlock();
  void resume(Fiber &fiber);
  bool mayGoOn(const Thread &thread) const;
  static void barrier(ZccGpuThread *thread);
  static uint32_t shuffle(ZccGpuThread *thread, uint32_t value, uint32_t lane);
  static void fiberMain(unsigned low, unsigned high);
  void wait(Thread &thread);
  void work();

  ZccGpuKernel kernel = nullptr;
  void *const *parameters = nullptr;
  std::vector<Thread> threads;
  std::vector<std::unique_ptr<Fiber>> fibers;
  Fiber *current = nullptr;
  size_t next = 0; // thread that has not begun
  ucontext_t scheduler;
};

} // namespace zcc::test

#endif // ZCC_TEST_UNIT_CODEGEN_RUNBLOCKS_H
