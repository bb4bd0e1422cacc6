// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RunBlocks.h. A fiber runs one thread after the other until one waits;
// then another fiber goes on. Hence kernels without barriers need no second
// one.

#include "test/unit/codegen/RunBlocks.h"
#include "gtest/gtest.h"
#include <cstring>

namespace zcc::test {
namespace {
constexpr size_t stackBytes = 256 << 10;
constexpr unsigned warp = 32;
} // namespace

void BlockRunner::wait(Thread &thread) {
  Fiber *own = current;
  own->thread = &thread;
  swapcontext(&own->context, &scheduler);
  own->thread = nullptr;
  thread.waitsAt = Thread::None;
}

void BlockRunner::barrier(ZccGpuThread *base) {
  auto &thread = *static_cast<Thread *>(base);
  ++thread.barriers;
  thread.waitsAt = Thread::Barrier;
  thread.runner->wait(thread);
}

uint32_t BlockRunner::shuffle(ZccGpuThread *base, uint32_t value,
                              uint32_t lane) {
  auto &thread = *static_cast<Thread *>(base);
  uint64_t number = thread.shuffles++;
  thread.values[number % 2] = value;
  thread.waitsAt = Thread::Shuffle;
  thread.runner->wait(thread);
  EXPECT_LT(lane, warp);
  size_t first = thread.thread / warp * warp;
  return thread.runner->threads[first + lane].values[number % 2];
}

bool BlockRunner::mayGoOn(const Thread &thread) const {
  size_t first = 0, end = threads.size();
  if (thread.waitsAt == Thread::Shuffle) {
    first = thread.thread / warp * warp;
    end = first + warp;
  }
  for (size_t i = first; i < end; ++i)
    if (thread.waitsAt == Thread::Barrier
            ? threads[i].barriers < thread.barriers
            : threads[i].shuffles < thread.shuffles)
      return false;
  return true;
}

void BlockRunner::work() {
  while (next < threads.size()) {
    Thread &thread = threads[next++];
    kernel(&thread, parameters);
  }
}

void BlockRunner::fiberMain(unsigned low, unsigned high) {
  auto *runner = reinterpret_cast<BlockRunner *>(uint64_t(high) << 32 | low);
  runner->work();
  swapcontext(&runner->current->context, &runner->scheduler);
}

void BlockRunner::resume(Fiber &fiber) {
  current = &fiber;
  swapcontext(&scheduler, &fiber.context);
}

void BlockRunner::runBlock() {
  next = 0;
  fibers.clear();
  while (next < threads.size()) {
    Fiber &fiber = *fibers.emplace_back(std::make_unique<Fiber>());
    fiber.stack.reset(new char[stackBytes]);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stackBytes;
    fiber.context.uc_link = nullptr;
    auto self = reinterpret_cast<uint64_t>(this);
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(&fiberMain), 2,
                unsigned(self), unsigned(self >> 32));
    resume(fiber);
  }
  for (bool waiting = true; waiting;) {
    bool moved = false;
    waiting = false;
    for (auto &fiber : fibers)
      if (fiber->thread) {
        waiting = true;
        if (mayGoOn(*fiber->thread)) {
          resume(*fiber);
          moved = true;
        }
      }
    if (waiting && !moved) {
      ADD_FAILURE() << "threads wait for ever";
      return;
    }
  }
}

void BlockRunner::run(ZccGpuKernel kernel, void *const *parameters,
                      uint64_t blocks, unsigned count, uint64_t sharedBytes) {
  this->kernel = kernel;
  this->parameters = parameters;
  std::vector<char> shared(sharedBytes + 256);
  auto base = (reinterpret_cast<uintptr_t>(shared.data()) + 127) / 128 * 128;
  for (uint64_t block = 0; block < blocks; ++block) {
    std::memset(shared.data(), 0x7F, shared.size());
    threads.assign(count, Thread());
    for (unsigned t = 0; t < count; ++t) {
      Thread &thread = threads[t];
      thread.thread = t;
      thread.threads = count;
      thread.block = uint32_t(block);
      thread.blocks = uint32_t(blocks);
      thread.shared = reinterpret_cast<void *>(base);
      thread.barrier = &barrier;
      thread.shuffle = &shuffle;
      thread.runner = this;
    }
    runBlock();
    for (const Thread &thread : threads)
      EXPECT_EQ(thread.barriers, threads[0].barriers)
          << "thread " << thread.thread;
    EXPECT_TRUE(std::all_of(reinterpret_cast<char *>(base) + sharedBytes,
                            shared.data() + shared.size(),
                            [](char c) { return c == 0x7F; }))
        << "shared memory overrun";
  }
}

} // namespace zcc::test
