// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda-blocks/Blocks.h"

#include "runtime/format/Text.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <vector>

#if !defined(__x86_64__)
#error "switching of stacks is written for x86-64, as kernels' objects are"
#endif

// zccStandInSwitch(where to store our stack pointer, the other's stack pointer)
asm(R"(
.text
.type zccStandInSwitch, @function
.hidden zccStandInSwitch
zccStandInSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size zccStandInSwitch, .-zccStandInSwitch
)");
extern "C" void zccStandInSwitch(void **own, void *other);

namespace zcc::standin {

namespace {

constexpr uint32_t warpSize = 32;
constexpr size_t stackBytes = 256 << 10;

class Runner;

enum class Wait : uint8_t { None, Barrier, Shuffle };

struct Fiber {
  ZccGpuThread thread; // first: kernels hand on pointers to it
  Runner *runner;
  void *stackPointer;
  char *stack;
  Wait waits;
  bool isDone;
};

struct Warp {
  uint32_t given[warpSize], taken[warpSize];
  uint32_t arrived = 0;
};

class Runner {
public:
  Runner() = default;
  ~Runner() {
    for (char *stack : allStacks)
      munmap(stack, stackBytes);
  }

  std::string run(ZccGpuKernel kernel, void *const *parameters,
                  const Grid &grid, uint64_t seed);

private:
  static void enter();
  static void barrier(ZccGpuThread *thread);
  static uint32_t shuffle(ZccGpuThread *thread, uint32_t value, uint32_t lane);
  static void misaligned(ZccGpuThread *thread, const void *at,
                         uint32_t alignment);
  static void access(ZccGpuThread *thread, const void *at, uint32_t bytes,
                     uint32_t isWritten);

  std::string runBlock(uint32_t block);
  void start(uint32_t thread);
  void resume(Fiber &fiber);
  void suspend(Fiber &fiber, Wait why);
  char *takeStack();

  ZccGpuKernel kernel = nullptr;
  void *const *parameters = nullptr;
  Grid grid{};
  uint32_t block = 0;
  std::vector<Fiber> fibers;
  std::vector<Warp> warps;
  std::vector<uint32_t> order; // of threads
  std::vector<char> sharedMemory;
  char *shared = nullptr;
  /// The last uses of a byte of shared memory: threads, and the number of the
  /// interval between two barriers, of all blocks.
  struct Uses {
    uint64_t written = 0, read = 0; // intervals; 0: never
    uint32_t writer = 0, reader = 0;
    bool isReadBySeveral = false;
  };
  std::vector<Uses> uses; // by byte of shared memory
  uint64_t interval = 0;
  std::string wrong; // what was found first
  uint32_t atBarrier = 0, alive = 0;
  void *scheduler = nullptr; // its stack pointer
  Fiber *current = nullptr;
  std::vector<char *> stacks, allStacks; // free; all
};

thread_local Runner *running = nullptr;

char *Runner::takeStack() {
  if (stacks.empty()) {
    void *made = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
      return nullptr;
    stacks.push_back(static_cast<char *>(made));
    allStacks.push_back(stacks.back());
  }
  char *stack = stacks.back();
  stacks.pop_back();
  return stack;
}

void Runner::enter() {
  Runner *self = running;
  Fiber *fiber = self->current;
  self->kernel(&fiber->thread, self->parameters);
  fiber->isDone = true;
  --self->alive;
  void *ignored;
  zccStandInSwitch(&ignored, self->scheduler);
}

void Runner::resume(Fiber &fiber) {
  current = &fiber;
  zccStandInSwitch(&scheduler, fiber.stackPointer);
  if (fiber.isDone)
    stacks.push_back(fiber.stack);
}

void Runner::suspend(Fiber &fiber, Wait why) {
  fiber.waits = why;
  zccStandInSwitch(&fiber.stackPointer, scheduler);
}

void Runner::barrier(ZccGpuThread *thread) {
  auto &fiber = *reinterpret_cast<Fiber *>(thread);
  ++fiber.runner->atBarrier;
  fiber.runner->suspend(fiber, Wait::Barrier);
}

uint32_t Runner::shuffle(ZccGpuThread *thread, uint32_t value, uint32_t lane) {
  auto &fiber = *reinterpret_cast<Fiber *>(thread);
  Warp &warp = fiber.runner->warps[thread->thread / warpSize];
  warp.given[thread->thread % warpSize] = value;
  ++warp.arrived;
  fiber.runner->suspend(fiber, Wait::Shuffle);
  return warp.taken[lane % warpSize];
}

void Runner::misaligned(ZccGpuThread *thread, const void *at,
                        uint32_t alignment) {
  std::string &wrong = reinterpret_cast<Fiber *>(thread)->runner->wrong;
  if (wrong.empty())
    wrong = rt::text("block ", thread->block, ", thread ", thread->thread,
                     ": address ", reinterpret_cast<uintptr_t>(at),
                     " is no multiple of ", alignment, ", as the code claims");
}

void Runner::access(ZccGpuThread *thread, const void *at, uint32_t bytes,
                    uint32_t isWritten) {
  Runner &self = *reinterpret_cast<Fiber *>(thread)->runner;
  auto begin = size_t(static_cast<const char *>(at) - self.shared);
  uint32_t own = thread->thread;
  auto find = [&](const char *does, const char *did, uint32_t other) {
    if (self.wrong.empty())
      self.wrong = rt::text("block ", thread->block, ": thread ", own, " ",
                            does, " byte ", begin,
                            " of shared memory, which "
                            "thread ",
                            other, " ", did, " between the same barriers");
  };
  if (begin + bytes > self.grid.shared) {
    if (self.wrong.empty())
      self.wrong =
          rt::text("block ", thread->block, ", thread ", own, ": byte ", begin,
                   " of ", self.grid.shared, " of shared memory");
    return;
  }
  const uint64_t now = self.interval;
  for (; bytes != 0; ++begin, --bytes) {
    Uses &byte = self.uses[begin];
    if (byte.written == now && byte.writer != own)
      find(isWritten ? "writes" : "reads", "writes", byte.writer);
    if (isWritten) {
      if (byte.read == now && (byte.reader != own || byte.isReadBySeveral))
        find("writes", "reads", byte.reader);
      byte.written = now;
      byte.writer = own;
      continue;
    }
    byte.isReadBySeveral =
        byte.read == now && (byte.isReadBySeveral || byte.reader != own);
    byte.read = now;
    byte.reader = own;
  }
}

void Runner::start(uint32_t thread) {
  Fiber &fiber = fibers[thread];
  fiber.thread = {thread,  grid.threads, block,      grid.blocks, shared,
                  barrier, shuffle,      misaligned, access};
  fiber.runner = this;
  fiber.waits = Wait::None;
  fiber.isDone = false;
  fiber.stack = takeStack();
  // Sets the stack up as if enter()'s caller had left it by zccStandInSwitch().
  auto **top = reinterpret_cast<void **>(fiber.stack + stackBytes);
  top[-1] = nullptr;
  top[-2] = reinterpret_cast<void *>(&Runner::enter);
  std::fill(top - 8, top - 2, nullptr);
  fiber.stackPointer = top - 8;
  ++alive;
  resume(fiber);
}

std::string Runner::runBlock(uint32_t number) {
  block = number;
  atBarrier = alive = 0;
  ++interval;
  std::fill(warps.begin(), warps.end(), Warp());
  // Memory that nobody has written holds NaNs.
  std::fill(sharedMemory.begin(), sharedMemory.end(), char(0xff));
  for (uint32_t thread : order)
    start(thread);
  while (alive != 0) {
    bool isMoved = false;
    if (atBarrier == grid.threads) {
      atBarrier = 0;
      ++interval;
      for (Fiber &fiber : fibers)
        fiber.waits = Wait::None;
      isMoved = true;
    }
    for (size_t w = 0; w < warps.size(); ++w) {
      Warp &warp = warps[w];
      if (warp.arrived != warpSize)
        continue;
      std::memcpy(warp.taken, warp.given, sizeof(warp.taken));
      warp.arrived = 0;
      for (uint32_t lane = 0; lane < warpSize; ++lane)
        fibers[w * warpSize + lane].waits = Wait::None;
      isMoved = true;
    }
    if (!isMoved) {
      uint32_t atShuffle = 0;
      for (const Warp &warp : warps)
        atShuffle += warp.arrived;
      return rt::text("block ", number, ": of ", grid.threads, " threads ",
                      atBarrier, " wait at a barrier, ", atShuffle,
                      " at shuffles, ", grid.threads - alive, " have ended");
    }
    for (uint32_t thread : order)
      if (!fibers[thread].isDone && fibers[thread].waits == Wait::None)
        resume(fibers[thread]);
  }
  return wrong;
}

std::string Runner::run(ZccGpuKernel function, void *const *values,
                        const Grid &given, uint64_t seed) {
  kernel = function;
  parameters = values;
  grid = given;
  fibers.resize(grid.threads);
  warps.resize((grid.threads + warpSize - 1) / warpSize);
  wrong.clear();
  if (uses.size() < grid.shared)
    uses.resize(grid.shared); // intervals of earlier launches are past
  sharedMemory.resize(grid.shared + 128);
  shared = reinterpret_cast<char *>(
      (reinterpret_cast<uintptr_t>(sharedMemory.data()) + 127) / 128 * 128);
  order.resize(grid.threads);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  // Warps, and threads of a warp, come in any order, at little cost.
  std::rotate(order.begin(), order.begin() + int64_t(random() % grid.threads),
              order.end());
  if (random() % 2)
    std::reverse(order.begin(), order.end());
  bool isUp = random() % 2;
  running = this;
  for (uint32_t i = 0; i < grid.blocks; ++i)
    if (std::string wrong = runBlock(isUp ? i : grid.blocks - 1 - i);
        !wrong.empty()) {
      // Stacks of threads that hang are still in use.
      fibers.clear();
      return wrong;
    }
  return "";
}

} // namespace

std::string runBlocks(ZccGpuKernel kernel, void *const *parameters,
                      const Grid &grid, uint64_t seed) {
  static thread_local Runner runner;
  return runner.run(kernel, parameters, grid, seed);
}

} // namespace zcc::standin
