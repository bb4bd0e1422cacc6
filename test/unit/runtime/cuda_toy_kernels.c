// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The toy programs' kernels with the interface of a GPU's on the host: a block
// of one thread does an item, in its own part of the workspace.

#include "runtime/format/GpuThread.h"

#define toy_matmul cpu_matmul
#define toy_loss cpu_loss
#define toy_input_gradient cpu_input_gradient
#define toy_weight_gradient cpu_weight_gradient
#define toy_norm cpu_norm
#define toy_sgd cpu_sgd
#define toy_init cpu_init
#include "toy_kernels.c"
#undef toy_matmul
#undef toy_loss
#undef toy_input_gradient
#undef toy_weight_gradient
#undef toy_norm
#undef toy_sgd
#undef toy_init

typedef void (*CpuKernel)(void *const *b, int64_t begin, int64_t end,
                          void *scratch);

static uint64_t parameter(void *const *p, int i) { return *(uint64_t *)p[i]; }

static void run(CpuKernel kernel, int buffers, ZccGpuThread *thread,
                void *const *p) {
  void *b[8];
  for (int i = 0; i < buffers; ++i)
    b[i] = *(void **)parameter(p, i);
  kernel(b, thread->block, thread->block + 1,
         (char *)parameter(p, buffers) + 64 * thread->block);
}

#define GPU(name, buffers)                                                     \
  void toy_##name(ZccGpuThread *thread, void *const *p) {                      \
    run(cpu_##name, buffers, thread, p);                                       \
  }
GPU(matmul, 3)
GPU(loss, 6)
GPU(input_gradient, 3)
GPU(weight_gradient, 4)
GPU(norm, 5)
GPU(sgd, 4)
GPU(init, 2)

// The sum of collectives, in f32, as ReductionWords.h describes it.
#include "runtime/format/ReductionWords.h"
void toy_collective_sum(ZccGpuThread *thread, void *const *p) {
  const uint64_t *words = (const uint64_t *)parameter(p, 0);
  const float *const *sources = (const float *const *)(words + zccReductionWords);
  float *target = (float *)words[zccReductionTarget];
  uint64_t row = words[zccReductionRow], pitch = words[zccReductionPitch];
  for (uint64_t i = thread->block * thread->threads + thread->thread;
       i < words[zccReductionCount]; i += words[zccReductionThreads]) {
    uint64_t from = i / row * pitch + i % row;
    float sum = sources[0][from];
    for (uint64_t s = 1; s < words[zccReductionSources]; ++s)
      sum += sources[s][from];
    target[i] = sum;
  }
}

// Kernels of their own, for one block.

// x[threads] -> sum[1] by warps, with shuffles, and over warps in shared
// memory.
void block_sum(ZccGpuThread *thread, void *const *p) {
  const uint32_t *x = *(const uint32_t **)parameter(p, 0);
  uint32_t *sum = *(uint32_t **)parameter(p, 1);
  uint32_t *partial = thread->shared, lane = thread->thread % 32,
           value = x[thread->block * thread->threads + thread->thread];
  for (uint32_t step = 16; step; step /= 2)
    value += thread->shuffle(thread, value, lane ^ step);
  if (lane == 0)
    partial[thread->thread / 32] = value;
  thread->barrier(thread);
  if (thread->thread != 0)
    return;
  uint32_t all = 0;
  for (uint32_t i = 0; i < thread->threads / 32; ++i)
    all += partial[i];
  sum[thread->block] = all;
}

// Uses of shared memory as the compiler's code tells of them: each thread writes
// its word and, after a barrier, reads its neighbor's.
static void swap_words(ZccGpuThread *thread, int meets) {
  uint32_t *words = thread->shared,
           next = (thread->thread + 1) % thread->threads;
  thread->access(thread, words + thread->thread, 4, 1);
  words[thread->thread] = thread->thread;
  if (meets)
    thread->barrier(thread);
  thread->access(thread, words + next, 4, 0);
}
void neighbors(ZccGpuThread *thread, void *const *p) { swap_words(thread, 1); }
void racing_neighbors(ZccGpuThread *thread, void *const *p) {
  swap_words(thread, 0);
}
// All threads read a word, which one writes before the next barrier.
void racing_reader(ZccGpuThread *thread, void *const *p) {
  thread->access(thread, thread->shared, 4, 0);
  if (thread->thread == 3)
    thread->access(thread, thread->shared, 4, 1);
}
void beyond_shared(ZccGpuThread *thread, void *const *p) {
  thread->access(thread, (char *)thread->shared + 252, 8, 0);
}
void misaligned_word(ZccGpuThread *thread, void *const *p) {
  thread->misaligned(thread, (char *)thread->shared + 4, 8);
}

// The warp's product of matrices with the element 1 everywhere, in f16; each
// sum begins at 1. A sum that is not 17 is told as a wrong address.
static void multiply_ones(ZccGpuThread *thread, uint32_t one, int shuffles) {
  uint32_t left[] = {one, one, one, one}, right[] = {one, one};
  float sums[] = {1, 1, 1, 1};
  if (shuffles)
    thread->shuffle(thread, one, 0);
  else
    thread->multiply(thread, left, right, sums, 0);
  for (int i = 0; i < 4; ++i)
    if (!shuffles && sums[i] != 17)
      thread->misaligned(thread, &sums[i], 17);
}
void multiplied(ZccGpuThread *thread, void *const *p) {
  multiply_ones(thread, 0x3c003c00, 0);
}
void torn_warp(ZccGpuThread *thread, void *const *p) {
  multiply_ones(thread, 0x3c003c00, thread->thread % 32 == 5);
}

// A barrier that the first thread does not come to.
void missed_barrier(ZccGpuThread *thread, void *const *p) {
  if (thread->thread != 0)
    thread->barrier(thread);
}
