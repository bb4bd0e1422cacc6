// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of train.attention and of its gradient share; with all keys,
// or with one block of them and the sums so far.
//
// Scores are computed transposed, a block of 48 queries at a time: keys are
// rows, queries are columns, so that vectors run along queries. Then every
// operand of every product lies as the register tile wants it (the left one is
// read an element at a time, at any strides; the right one a vector at a time),
// sums along keys are chains of whole vectors, and nothing is moved in between.
// A row's bits depend on its own query and the keys alone.
#ifndef ZCC_COMPILER_CODEGEN_SPECIALATTENTION_H
#define ZCC_COMPILER_CODEGEN_SPECIALATTENTION_H

#include "compiler/codegen/ElementEmitter.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/StridedView.h"
#include <map>
#include <string>

namespace zcc {

class AttentionKernel {
public:
  AttentionKernel(KernelBuilder &kernel, mlir::Operation *op);

protected:
  using Value = llvm::Value *;

  // Queries of a block: a constant of the op's meaning (sums over queries).
  static constexpr int64_t queryBlock = 48;
  // Steps of one chain of fused multiply-adds, as in train.dot_general.
  static constexpr int64_t chain = 256;
  // Rows of every scratch matrix are padded to this: a multiple of all tiles.
  static constexpr int64_t rowPadding = 24;

  /// An operand or result in memory, with a stride for each of its dims.
  struct Tensor {
    TensorBuffer buffer;
    int64_t offset = 0;
    llvm::SmallVector<int64_t, 6> strides;
  };
  Tensor operand(mlir::Value v);
  /// A result that nobody reads has no buffer.
  llvm::SmallVector<Tensor, 1> results(unsigned i);

  /// The element at batch `batch` (linear), and `at` in the last dims.
  Value place(const Tensor &tensor, Value batch, llvm::ArrayRef<Value> at);

  void zeroRows(Value matrix, int64_t columns, Value first, Value limit);
  /// Rows [first, limit) of `tensor` (dims [batch..., rows, heads, n]) into a
  /// matrix of `columns` columns, times `factor` or `factors` (a float a row;
  /// either may be null), row `first` at row 0. Columns from n on, and rows up
  /// to a multiple of 24, are zero.
  void copyRows(Value matrix, int64_t columns, const Tensor &tensor, int64_t n,
                Value batch, Value head, Value first, Value limit, Value factor,
                Value factors = nullptr);
  /// `matrix`, [48, columns], as [columns, 48].
  void transposeBlock(Value to, Value matrix, int64_t columns);
  /// Rows [0, count) of `matrix`, times `factors` (a float a row) or `factor`
  /// (either may be null), and added to `before` (may be null), to the rows
  /// from `first` on.
  void storeRows(llvm::ArrayRef<Tensor> tensors, Value matrix, int64_t columns,
                 int64_t n, Value batch, Value head, Value first, Value count,
                 Value factors, Value factor, const Tensor *before = nullptr);
  /// A float of each row, [batch..., rows, heads], from and to scratch.
  void loadRow(Value to, const Tensor &tensor, Value batch, Value head,
               Value first, Value count);
  void storeRow(llvm::ArrayRef<Tensor> tensors, Value from, Value batch,
                Value head, Value first, Value count);

  /// Strides of the operands and the result, in elements.
  struct Product {
    int64_t aRow, aStep, bStep, cRow;
    int64_t columns; // a multiple of the lanes
    const char *name;
  };
  /// out = (or +=) left right, `rows` of it, a multiple of the tile's.
  void multiply(const Product &p, Value left, Value right, Value out,
                Value rows, Value steps, Value accumulate);
  /// Rows of keys [rows, depth] times queries [depth, 48].
  void multiplyScores(const char *name, Value keys, int64_t depth,
                      Value queries, Value out, Value rows, Value count);

  /// The keys that any (rounded outwards to 24) and that every query of
  /// [query, query + count) sees.
  struct KeyRange {
    Value low, high, allLow, allHigh;
  };
  KeyRange keyRange(Value query, Value count);
  /// Makes the scores of keys [low, high) (`low` is row 0) what the op says:
  /// bias and masks.
  void finishScores(Value scores, Value low, Value high, const KeyRange &range,
                    Value batch, Value head, Value query, Value count);
  /// The same of one score, of lanes of queries from `query` + `i` on, with
  /// bias, mask and band.
  Value finishScore(Value score, Value key, Value i, Value batch, Value head,
                    Value query, Value count);
  /// The position of a query; of how many keys the one is less. Both grow with
  /// the index, so that a query sees keys that stand beside each other.
  Value positionOf(Value query);
  Value keysBefore(Value position);
  /// `index` less `half` or more: the first or the second of `starts`, added.
  Value placed(Value index, llvm::ArrayRef<Value> starts);
  /// Which of `lanes` queries from `query` on see the key, by their positions.
  Value seenByBand(Value key, Value query);

  /// A block of the queries of a head and the keys from `low` on: what the rows
  /// and columns of a matrix of scores are.
  struct ScoreBlock {
    Value batch, head, query, count, low;
  };
  /// Which weights are kept, of a row and the columns from `column` on:
  /// computed here, and never held. Null: all.
  Value keptLanes(const ScoreBlock &block, Value row, Value column);
  /// `x` where it is kept.
  Value whereKept(Value kept, Value x) {
    return kept ? ir.CreateSelect(kept, x, floats(0)) : x;
  }

  /// Declares the items and emits `body` for each of this call's.
  void items(int64_t count, double itemNanoseconds,
             llvm::function_ref<void(Value)> body) {
    kernel.info.items = count;
    kernel.info.itemNanoseconds = static_cast<uint64_t>(itemNanoseconds) + 1;
    kernel.forEachItemOfTeam(body);
  }

  // ---- emission
  Value number(int64_t n) { return ir.getInt64(n); }
  Value add(Value x, Value y) { return ir.CreateNSWAdd(x, y); }
  Value sub(Value x, Value y) { return ir.CreateNSWSub(x, y); }
  Value times(Value x, int64_t n) {
    return n == 1 ? x : ir.CreateNSWMul(x, ir.getInt64(n));
  }
  Value smaller(Value x, Value y) {
    return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
  }
  Value larger(Value x, Value y) {
    return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
  }
  Value roundUp(Value x, int64_t n) {
    return times(ir.CreateSDiv(add(x, number(n - 1)), number(n)), n);
  }
  Value roundDown(Value x, int64_t n) {
    return times(ir.CreateSDiv(x, number(n)), n);
  }
  Value element(Value base, Value index) {
    return ir.CreateGEP(f32, base, index);
  }
  /// The address of a row of a scratch matrix.
  Value rowOf(Value matrix, Value row, int64_t columns) {
    return element(matrix, times(row, columns));
  }
  Value loadLanes(Value pointer) {
    return ir.CreateAlignedLoad(vector, pointer, llvm::Align(4));
  }
  void storeLanes(Value v, Value pointer) {
    ir.CreateAlignedStore(v, pointer, llvm::Align(4));
  }
  Value floats(double x) { return llvm::ConstantFP::get(vector, x); }
  int64_t padded(int64_t n) const { return llvm::alignTo(n, lanes); }
  Value scratchFloats(int64_t n) { return kernel.scratch(n * 4); }
  /// Vectors that hold the queries of a block: emits `body` for the offset of
  /// each.
  void forEachLanes(Value count, llvm::function_ref<void(Value)> body) {
    kernel.together(number(0), count, lanes, body);
  }
  /// With one lane: each element of `rows` rows, shared out.
  void forEachElement(Value rows, int64_t columns,
                      llvm::function_ref<void(Value row, Value column)> body) {
    kernel.together(number(0), times(rows, columns), 1, [&](Value i) {
      body(ir.CreateUDiv(i, number(columns)),
           ir.CreateURem(i, number(columns)));
    });
  }
  /// Splits an item: `item` mod `extent`, the rest stays.
  Value takeDim(Value &item, int64_t extent);

  KernelBuilder &kernel;
  mlir::Operation *op;
  llvm::IRBuilder<> &ir;
  train::Attention a;
  llvm::Type *f32;
  llvm::Type *vector;
  int64_t lanes;
  // Extents of scratch matrices.
  int64_t paddedKeys, paddedDepth, paddedValueDepth;
  // Masks by operand: then all keys of a row count, also hidden ones.
  bool anyKey;
  Value shift; // query origin - key origin
  // Of a folded sequence: the positions, less the indices, of the queries and
  // of the keys in the first and the second of two stripes.
  Value queryStart[2] = {}, keyStart[2] = {};
  // Keys of this block, without padding, and the first one's number.
  Value keyCount, firstKey;
  int64_t tileRows;
  double keptNanoseconds = 0; // of a score, for what tells whether it is kept

private:
  /// What `kept` is made of is followed in these terms.
  struct KeptIndex {
    train::IndexContext context;
    const train::IndexVar *batch, *head, *query, *key;
    train::ElementIndex index;
    std::unique_ptr<ElementEmitter> emitter;
  };
  std::unique_ptr<KeptIndex> keptIndex; // null: everything is kept
  void multiplyByElements(const Product &p, Value left, Value right, Value out,
                          Value rows, Value steps, Value accumulate);
  llvm::Function *tile(const Product &p);
  std::map<std::pair<std::string, int64_t>, llvm::Function *> tiles;
  int64_t tileVectors;
};

mlir::LogicalResult emitAttentionKernel(KernelBuilder &kernel,
                                        mlir::Operation *op);
mlir::LogicalResult emitAttention(KernelBuilder &kernel, mlir::Operation *op);
mlir::LogicalResult emitAttentionGradient(KernelBuilder &kernel,
                                          mlir::Operation *op);

} // namespace zcc

#endif
