// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared parts of the attention kernels that multiply in tensor cores
// (mma.m16n8k16): fragments of operands in 16 bits in registers and in shared
// memory, and the weights of scores.
//
// A block has four warps, each of which does 16 rows of the left operand. Lane
// 4 g + t of a warp holds rows g and g + 8, and of each 8 columns of a product
// the columns 2 t and 2 t + 1: element 0 is (g, 2 t), 1 (g, 2 t + 1), 2 and 3
// the same of row g + 8. A right operand lies in shared memory as words of two
// numbers that follow each other in the direction of the steps: along a row
// (RowTile), or in a column of two rows (PairTile). The strides make the 32
// words that a warp reads at a time lie in different banks.
#ifndef ZCC_COMPILER_CUDA_MATRIXTILES_H
#define ZCC_COMPILER_CUDA_MATRIXTILES_H

#include "compiler/codegen/SpecialAttention.h"
#include "compiler/cuda/CudaKernelBuilder.h"

namespace zcc::cuda {

class MatrixTiles : protected AttentionKernel {
public:
  /// Returns true if the op's types and extents suit these kernels.
  static bool suits(const train::Attention &a);

protected:
  using Values = llvm::SmallVector<Value>;
  using Variables = llvm::SmallVector<llvm::AllocaInst *>;

  static constexpr int64_t warps = 4, warpRows = 16, threads = 128,
                           blockRows = warps * warpRows, columnTile = 8,
                           stepTile = 16;
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  MatrixTiles(CudaKernelBuilder &kernel, mlir::Operation *op)
      : AttentionKernel(kernel, op), gpu(kernel),
        isBf16(getElementTypeOrSelf(a.query).isBF16()), word(ir.getInt32Ty()) {}

  /// Declares the launch, and finds the places of the thread.
  void begin(int64_t blocks);

  /// An operand [batch..., rows, heads, columns] of 16-bit elements.
  struct Rows {
    Tensor tensor;
    int64_t columns;
    bool isAligned; // 8 elements of a row are 16 aligned bytes
  };
  Rows rowsOf(mlir::Value v, int64_t columns);

  /// The words of a left operand: 4 for each 16 columns.
  /// Loads them from memory, rows from `first` on; rows from `limit` on get the
  /// values of the last existing one.
  Values loadLeft(const Rows &rows, Value batch, Value head, Value first,
                  Value limit);
  /// Rounds the elements of two neighboring tiles of a product, to be the left
  /// operand of 16 steps.
  Values roundLeft(llvm::ArrayRef<Value> elements);

  /// A tile in shared memory; `stride` is that of its rows, or of its pairs of
  /// rows, in words.
  struct Tile {
    Value base;
    int64_t stride, columns;
  };
  static int64_t rowTileStride(int64_t columns) {
    return llvm::alignTo(columns, 16) / 2 + 4;
  }
  static int64_t pairTileStride(int64_t columns) {
    return llvm::alignTo(columns, 16) + 8;
  }
  static int64_t rowTileWords(int64_t rows, int64_t columns) {
    return rows * rowTileStride(columns);
  }
  static int64_t pairTileWords(int64_t rows, int64_t columns) {
    return rows / 2 * pairTileStride(columns);
  }
  Tile rowTile(int64_t rows, int64_t columns) {
    return {gpu.shared(rowTileWords(rows, columns) * 4), rowTileStride(columns),
            columns};
  }
  Tile pairTile(int64_t rows, int64_t columns) {
    return {gpu.shared(pairTileWords(rows, columns) * 4),
            pairTileStride(columns), columns};
  }

  /// The thread has loaded these pairs of rows, to be put into tiles. All
  /// loads are emitted by fetch(), so that they do not wait for each other.
  struct Fetched {
    struct Part {
      Value pair, column, upper, lower, exists; // `exists` may be null
    };
    llvm::SmallVector<Part> parts;
  };
  Fetched fetch(const Rows &rows, Value batch, Value head, Value first,
                Value limit, int64_t count);
  void putRows(const Tile &tile, const Fetched &fetched);
  void putPairs(const Tile &tile, const Fetched &fetched);

  /// Adds left times right to `sums` (elements of column tiles): the right
  /// operand has the rows of a RowTile as columns, or the pairs of rows of a
  /// PairTile as steps.
  /// `left` returns the words of a step, which need no registers before.
  void multiplyRows(Values &sums, llvm::function_ref<Values(int64_t)> left,
                    const Tile &right, int64_t columns);
  void multiplyPairs(const Variables &sums, llvm::ArrayRef<Value> left,
                     const Tile &right, int64_t step);
  static Values wordsOfStep(const Values &all, int64_t step) {
    return Values(llvm::ArrayRef(all).slice(step * 4, 4));
  }
  /// Returns the words of a left operand whose rows, from `row` on, are those
  /// of a RowTile.
  Values leftOf(const Tile &tile, int64_t step);

  /// Returns a sum or the largest of the four lanes of a row.
  Value acrossRow(Value x, llvm::function_ref<Value(Value, Value)> combine);

  /// Stores two neighboring elements of a row of a result.
  void storePair(llvm::ArrayRef<Tensor> tensors, Value batch, Value row,
                 Value head, Value column, Value low, Value high);

  Variables variables(int64_t n, double initial) {
    Variables out;
    for (int64_t i = 0; i < n; ++i)
      out.push_back(kernel.variable(f32, floats(initial)));
    return out;
  }
  Values zeros(int64_t n) { return Values(n, floats(0)); }
  /// Returns the row, within the block, of an element of a product.
  Value rowOfElement(int64_t element) {
    return add(ownRow, number(element % 4 / 2 * 8));
  }
  /// Returns the column of element i, counted over all column tiles.
  Value columnOfElement(int64_t i) {
    return add(ownColumn, number(i / 4 * columnTile + i % 2));
  }

  CudaKernelBuilder &gpu;
  bool isBf16;
  llvm::Type *word;
  Value thread, lane32; // i64; i32
  Value group, place4;  // g and t
  Value ownRow;         // g, counted over all warps
  Value ownColumn;      // 2 t

private:
  Value wordAt(const Tile &tile, Value index) {
    return ir.CreateAlignedLoad(word, ir.CreateGEP(word, tile.base, index),
                                llvm::Align(4));
  }
  Value loadWord(const Rows &rows, Value offset);
  Value loadChunk(const Rows &rows, Value offset);
};

} // namespace zcc::cuda

#endif
