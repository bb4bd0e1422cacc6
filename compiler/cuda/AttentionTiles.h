// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the attention kernels in shared memory have in common: tiles of rows of
// an operand, and products of their rows in registers.
#ifndef ZCC_COMPILER_CUDA_ATTENTIONTILES_H
#define ZCC_COMPILER_CUDA_ATTENTIONTILES_H

#include "compiler/codegen/SpecialAttention.h"
#include "compiler/cuda/CudaKernelBuilder.h"

namespace zcc::cuda {

class AttentionTiles : protected AttentionKernel {
protected:
  AttentionTiles(CudaKernelBuilder &kernel, mlir::Operation *op)
      : AttentionKernel(kernel, op), gpu(kernel) {}

  // Of a block: a thread does a few queries, sixteen are side by side along
  // keys or columns.
  static constexpr int64_t threads = 192, across = 16;
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  using Variables = llvm::SmallVector<llvm::AllocaInst *>;
  Variables variables(int64_t n, double initial);

  Value sharedFloats(int64_t n) { return gpu.shared(n * 4); }
  Value load(Value base, Value index) {
    return loadLanes(element(base, index));
  }
  // Rows [first, first + rows) of a head, times `factor` (may be null), a row
  // `stride` floats after the other; those from `limit` on are any that exist.
  void loadTile(Value to, int64_t stride, const Tensor &tensor, int64_t columns,
                Value batch, Value head, Value first, Value limit, int64_t rows,
                Value factor);
  // A place in two dims: of the thread's i-th row.
  using Place = llvm::function_ref<Value(int64_t)>;
  // The products of rows of `x` (queries) and of `y` (keys) are added to
  // sums[i * ys + j], as chains over `depth`.
  void addProducts(llvm::ArrayRef<llvm::AllocaInst *> sums, Value x, int64_t xs,
                   Place rowOfX, Value y, int64_t ys, Place rowOfY,
                   int64_t depth);

  CudaKernelBuilder &gpu;
  Value thread = nullptr; // i64
};

} // namespace zcc::cuda

#endif
