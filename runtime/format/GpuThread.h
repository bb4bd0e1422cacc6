// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a thread of a GPU's block on the host: the argument of kernels of
// the image "host" (docs/decisions/cuda/0028-cuda-kernels.md). The compiler builds
// accesses to these fields; the tests' stand-in for the driver fills them in.
// In C, so that tests can write kernels by hand.
#ifndef ZCC_RUNTIME_FORMAT_GPUTHREAD_H
#define ZCC_RUNTIME_FORMAT_GPUTHREAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ZccGpuThread ZccGpuThread;
struct ZccGpuThread {
  uint32_t thread;  /* of its block: %tid.x */
  uint32_t threads; /* in a block: %ntid.x */
  uint32_t block;   /* %ctaid.x */
  uint32_t blocks;  /* %nctaid.x */
  void *shared;     /* the block's dynamic shared memory, 128-byte aligned */
  /* bar.sync 0: returns when all threads of the block have called it. */
  void (*barrier)(ZccGpuThread *);
  /* shfl.sync.idx with all 32 lanes: `value` of the warp's lane `lane`. */
  uint32_t (*shuffle)(ZccGpuThread *, uint32_t value, uint32_t lane);
  /* A kernel calls this before an access at an address that is no multiple of
     `alignment`, which its code claims: a GPU would refuse it. */
  void (*misaligned)(ZccGpuThread *, const void *at, uint32_t alignment);
  /* A kernel calls this before each access to shared memory, so that threads
     are found that use the same bytes between two barriers. */
  void (*access)(ZccGpuThread *, const void *at, uint32_t bytes,
                 uint32_t isWritten);
  /* mma.sync.m16n8k16 with sums in f32 and operands in bf16 (isBf16) or f16,
     two to a word; all 32 lanes take part. `left`, `right` and `sums` are this
     lane's 4, 2 and 4 words of the matrices, as PTX distributes them over a
     warp; adds the product to `sums`. */
  void (*multiply)(ZccGpuThread *, const uint32_t *left, const uint32_t *right,
                   float *sums, uint32_t isBf16);
};

/* `parameters[i]` points to parameter i, as in cuLaunchKernel. */
typedef void (*ZccGpuKernel)(ZccGpuThread *, void *const *parameters);

/* An entry of the table of a launch that runs several kernels: the work of the
   block of that number. */
typedef struct ZccGpuSegment {
  uint32_t part;  /* index into Segments.kernels */
  uint32_t word;  /* of the first of its buffers' addresses */
  uint32_t first; /* of that kernel's blocks */
  uint32_t count; /* that follow, at least 1 */
} ZccGpuSegment;

#ifdef __cplusplus
}
#endif

#endif /* ZCC_RUNTIME_FORMAT_GPUTHREAD_H */
