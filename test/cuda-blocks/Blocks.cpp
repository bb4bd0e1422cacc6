// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda-blocks/Blocks.h"

#include "runtime/core/Float.h"
#include "runtime/format/Text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
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

/// The words that a lane hands to the others: one in a shuffle, its parts of
/// both operands in a product of matrices.
constexpr uint32_t leftWords = 4, rightWords = 2, sumWords = 4,
                   mostWords = leftWords + rightWords;

struct Warp {
  uint32_t given[mostWords][warpSize], taken[mostWords][warpSize];
  uint32_t words = 0; // of a lane that waits
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
  static void multiply(ZccGpuThread *thread, const uint32_t *left,
                       const uint32_t *right, float *sums, uint32_t isBf16);

  const Warp &exchange(ZccGpuThread *thread,
                       std::initializer_list<uint32_t> words);
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

/// Hands the words to the other lanes of the warp, and returns when all have
/// come.
const Warp &Runner::exchange(ZccGpuThread *thread,
                             std::initializer_list<uint32_t> words) {
  auto &fiber = *reinterpret_cast<Fiber *>(thread);
  Warp &warp = fiber.runner->warps[thread->thread / warpSize];
  if (warp.arrived != 0 && warp.words != words.size() && wrong.empty())
    wrong = rt::text("block ", thread->block, ", thread ", thread->thread,
                     ": some lanes of its warp shuffle, others multiply");
  warp.words = static_cast<uint32_t>(words.size());
  uint32_t i = 0;
  for (uint32_t word : words)
    warp.given[i++][thread->thread % warpSize] = word;
  ++warp.arrived;
  suspend(fiber, Wait::Shuffle);
  return warp;
}

uint32_t Runner::shuffle(ZccGpuThread *thread, uint32_t value, uint32_t lane) {
  Runner &self = *reinterpret_cast<Fiber *>(thread)->runner;
  return self.exchange(thread, {value}).taken[0][lane % warpSize];
}

/// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type": lane
/// 4 g + t has rows g and g + 8 of the left matrix and of the sums, and column
/// g of the right one; of the steps 2 t, 2 t + 1, and those 8 further on; of
/// columns of the sums 2 t and 2 t + 1. Adds in the order of the steps, which a
/// GPU does not promise.
void Runner::multiply(ZccGpuThread *thread, const uint32_t *left,
                      const uint32_t *right, float *sums, uint32_t isBf16) {
  constexpr uint32_t steps = 16;
  Runner &self = *reinterpret_cast<Fiber *>(thread)->runner;
  const Warp &warp = self.exchange(
      thread, {left[0], left[1], left[2], left[3], right[0], right[1]});
  uint32_t lane = thread->thread % warpSize, g = lane / 4, t = lane % 4;
  auto factor = [&](uint32_t word, uint32_t line, uint32_t step) {
    uint32_t pair = warp.taken[word][line * 4 + step % 8 / 2];
    auto bits = static_cast<uint16_t>(step % 2 ? pair >> 16 : pair);
    return isBf16 ? rt::bf16ToFloat(bits) : rt::f16ToFloat(bits);
  };
  for (uint32_t i = 0; i < sumWords; ++i)
    for (uint32_t step = 0; step < steps; ++step)
      sums[i] =
          std::fma(factor(step / 8 * 2 + i / 2, g, step),
                   factor(leftWords + step / 8, 2 * t + i % 2, step), sums[i]);
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
                  barrier, shuffle,      misaligned, access,      multiply};
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
      std::memcpy(warp.taken, warp.given, warp.words * sizeof(*warp.taken));
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
