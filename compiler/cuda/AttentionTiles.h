// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared parts of the attention kernels in shared memory: tiles of rows of
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

  // The threads of a block form rows of `across` threads along keys or columns.
  // Each thread computes a few queries.
  static constexpr int64_t threads = 192, across = 16;
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  using Variables = llvm::SmallVector<llvm::AllocaInst *>;
  Variables variables(int64_t n, double initial);

  Value sharedFloats(int64_t n) { return gpu.shared(n * 4); }
  Value load(Value base, Value index) {
    return loadLanes(element(base, index));
  }
  // Loads rows [first, first + rows) of a head, times `factor` (may be null),
  // to a tile with `stride` floats per row. Rows from `limit` on get the values
  // of arbitrary existing ones.
  void loadTile(Value to, int64_t stride, const Tensor &tensor, int64_t columns,
                Value batch, Value head, Value first, Value limit, int64_t rows,
                Value factor);
  // Returns the tile's row for the thread's i-th row.
  using Place = llvm::function_ref<Value(int64_t)>;
  // Adds the products of rows of `x` (queries) and rows of `y` (keys) to sums[i
  // * ys + j], as chains over `depth`.
  void addProducts(llvm::ArrayRef<llvm::AllocaInst *> sums, Value x, int64_t xs,
                   Place rowOfX, Value y, int64_t ys, Place rowOfY,
                   int64_t depth);

  CudaKernelBuilder &gpu;
  Value thread = nullptr; // i64
};

} // namespace zcc::cuda

#endif
