// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared parts of the kernels of train.attention and its gradient. They
// work on all keys, or on one block of keys and the sums of the blocks before.
//
// Scores are computed transposed, a block of 48 queries at a time: keys are
// rows, queries are columns, so that vectors run along queries. Then every
// operand of every product has the layout that the register tile needs (the
// left one is read one element at a time, at any strides; the right one a
// vector at a time), sums along keys are chains of whole vectors, and nothing
// has to be moved in between. The bits of a row depend only on its own query
// and the keys.
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

  // The queries of a block. This is part of the op's semantics (order of sums
  // over queries).
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
  /// Returns the buffers of a result; there is none if nothing reads it.
  llvm::SmallVector<Tensor, 1> results(unsigned i);

  /// Returns the offset of the element in batch `batch` (linear) and at `at` in
  /// the last dims.
  Value place(const Tensor &tensor, Value batch, llvm::ArrayRef<Value> at);

  void zeroRows(Value matrix, int64_t columns, Value first, Value limit);
  /// Copies rows [first, limit) of `tensor` (dims [batch..., rows, heads, n])
  /// into a matrix of `columns` columns, with row `first` at row 0, times
  /// `factor` or `factors` (a float per row; either may be null). Columns from
  /// n on, and rows up to a multiple of 24, become zero.
  void copyRows(Value matrix, int64_t columns, const Tensor &tensor, int64_t n,
                Value batch, Value head, Value first, Value limit, Value factor,
                Value factors = nullptr);
  /// Transposes `matrix`, [48, columns], to [columns, 48].
  void transposeBlock(Value to, Value matrix, int64_t columns);
  /// Stores rows [0, count) of `matrix` to the rows from `first` on, times
  /// `factors` (a float per row) or `factor` (either may be null), and added to
  /// `before` (may be null).
  void storeRows(llvm::ArrayRef<Tensor> tensors, Value matrix, int64_t columns,
                 int64_t n, Value batch, Value head, Value first, Value count,
                 Value factors, Value factor, const Tensor *before = nullptr);
  /// Copy one float per row, [batch..., rows, heads], to and from scratch.
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
  /// Emits out = (or +=) left right for `rows` rows, a multiple of the tile's.
  void multiply(const Product &p, Value left, Value right, Value out,
                Value rows, Value steps, Value accumulate);
  /// Multiplies rows of keys [rows, depth] by queries [depth, 48].
  void multiplyScores(const char *name, Value keys, int64_t depth,
                      Value queries, Value out, Value rows, Value count);

  /// The range of keys that any query of [query, query + count) sees (rounded
  /// outwards to 24), and of those that all of them see.
  struct KeyRange {
    Value low, high, allLow, allHigh;
  };
  KeyRange keyRange(Value query, Value count);
  /// Applies bias and masks to the scores of keys [low, high); `low` is row 0.
  void finishScores(Value scores, Value low, Value high, const KeyRange &range,
                    Value batch, Value head, Value query, Value count);
  /// Applies bias, mask and band to one score of a vector of queries from
  /// `query` + `i` on.
  Value finishScore(Value score, Value key, Value i, Value batch, Value head,
                    Value query, Value count);
  /// Return the position of a query, and the number of keys before a position.
  /// Both grow with the index, so that a query sees consecutive keys.
  Value positionOf(Value query);
  Value keysBefore(Value position);
  /// Adds the first of `starts` to an index in the first stripe, the second to
  /// one in the second stripe.
  Value placed(Value index, llvm::ArrayRef<Value> starts);
  /// Returns the mask of those of `lanes` queries from `query` on that see the
  /// key, by their positions.
  Value seenByBand(Value key, Value query);

  /// A block of queries of a head and the keys from `low` on, which a matrix of
  /// scores belongs to.
  struct ScoreBlock {
    Value batch, head, query, count, low;
  };
  /// Returns the mask of the weights that dropout keeps, in a row from `column`
  /// on. It is computed here and never stored. Null if all are kept.
  Value keptLanes(const ScoreBlock &block, Value row, Value column);
  /// Returns `x` in the lanes that are kept, else 0.
  Value whereKept(Value kept, Value x) {
    return kept ? ir.CreateSelect(kept, x, floats(0)) : x;
  }

  /// Declares the items and emits `body` for each item of this call.
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
  /// Returns the address of a row of a scratch matrix.
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
  /// Emits `body` for the offset of each vector that holds queries of a block.
  void forEachLanes(Value count, llvm::function_ref<void(Value)> body) {
    kernel.together(number(0), count, lanes, body);
  }
  /// With one lane: emits `body` for each element of `rows` rows, distributed
  /// over threads.
  void forEachElement(Value rows, int64_t columns,
                      llvm::function_ref<void(Value row, Value column)> body) {
    kernel.together(number(0), times(rows, columns), 1, [&](Value i) {
      body(ir.CreateUDiv(i, number(columns)),
           ir.CreateURem(i, number(columns)));
    });
  }
  /// Splits an item number: returns `item` mod `extent` and divides `item` by
  /// it.
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
  // True if an operand is a mask: then all keys of a row take part, because
  // hidden ones have the score `fill`.
  bool anyKey;
  Value shift; // query origin - key origin
  // For a folded sequence: the position minus the index of queries and of keys
  // in the first and the second of two stripes.
  Value queryStart[2] = {}, keyStart[2] = {};
  // The number of keys in this block, without padding, and the number of the
  // first one.
  Value keyCount, firstKey;
  int64_t tileRows;
  double keptNanoseconds = 0; // per score, to decide whether it is kept

private:
  /// The variables and the index in terms of which `kept` is emitted.
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
