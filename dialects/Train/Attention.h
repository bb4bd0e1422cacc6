// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What train.attention, its gradient, and their forms for one block of keys
// share: their extents, and the graphs of elementary ops that they stand for.
#ifndef ZCC_DIALECTS_TRAIN_ATTENTION_H
#define ZCC_DIALECTS_TRAIN_ATTENTION_H

#include "dialects/Train/Train.h"

namespace zcc::train {

/// A score that is not seen is at most this, so that its exponential is 0
/// beside any score that is.
inline constexpr double largestFill = -1e4;

/// The operands and attributes of an attention or of its gradient; or of one
/// block of the keys.
struct Attention {
  explicit Attention(AttentionOp op);
  explicit Attention(AttentionGradientOp op);
  explicit Attention(AttentionBlockOp op);
  explicit Attention(AttentionBlockGradientOp op);
  static bool isAttention(mlir::Operation *op);
  /// `op` is one of the four.
  static Attention of(mlir::Operation *op);

  mlir::Value query, key, value, bias, mask, queryOrigin, keyOrigin, kept;
  /// The number of the block of keys; null: all keys are there.
  mlir::Value block;
  /// Keys of all blocks, without padding.
  int64_t allKeys;
  double scale, fill, keptScale = 1;
  std::optional<int64_t> before, after;

  llvm::SmallVector<int64_t> batch;
  int64_t queries, keys, heads, keyHeads, depth, valueDepth;

  int64_t group() const { return heads / keyHeads; }
  int64_t batches() const;
  bool hasBand() const { return before || after; }
  /// A block of a folded sequence: queries and keys stand in two stripes each,
  /// and the positions of the first queries are two.
  bool isFolded() const;
  /// [batch..., heads, queries, keys].
  llvm::SmallVector<int64_t> scoreShape() const;
  /// Whether every query sees a key, as far as the band goes and with origins
  /// of 0.
  bool bandSeesAll() const;
  /// f32, or f64.
  mlir::Type wideType() const;
  /// [batch..., queries, heads], and with the values' depth.
  llvm::SmallVector<int64_t> rowShape() const;
  llvm::SmallVector<int64_t> resultShape() const;

  // ---- elementary ops

  /// What is seen, of the shape of the scores; null: everything.
  mlir::Value buildSeen(mlir::OpBuilder &b, mlir::Location loc) const;
  /// The scores, those that are not seen `fill`.
  mlir::Value buildScores(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value seen) const;
  /// The weights of the keys; `lse`, if it is not null, is the op's.
  mlir::Value buildWeights(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value scores, mlir::Value lse) const;
  /// Weights, or their cotangents, without those that are not kept, scaled.
  mlir::Value buildKept(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value weights) const;
  /// Cotangents of the scores (before they are scaled), from the weights.
  mlir::Value buildScoreGradient(mlir::OpBuilder &b, mlir::Location loc,
                                 mlir::Value weights, mlir::Value seen,
                                 mlir::Value gradient, mlir::Value delta) const;

  /// [batch..., queries, heads, n] times [batch..., keys, keyHeads, n]: of the
  /// shape of the scores.
  mlir::Value rowsTimesKeys(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value rows, mlir::Value keyRows) const;
  /// Of the shape of the scores times [batch..., keys, keyHeads, n]: [batch...,
  /// queries, heads, n].
  mlir::Value scoresTimesKeys(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value scores, mlir::Value keyRows) const;
  /// Of the shape of the scores, transposed, times [batch..., queries, heads,
  /// n]: [batch..., keys, keyHeads, n].
  mlir::Value scoresTimesRows(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value scores, mlir::Value rows) const;

private:
  template <typename Op> void read(Op op);
  template <typename Op> void readWhole(Op op);
  template <typename Op> void readBlock(Op op);
  /// [batch..., queries, heads] as of the shape of the scores.
  mlir::Value rowsToScores(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value rows) const;
};

/// The results of the op as elementary ops at the insertion point.
llvm::SmallVector<mlir::Value> decompose(mlir::OpBuilder &b, AttentionOp op);
llvm::SmallVector<mlir::Value> decompose(mlir::OpBuilder &b,
                                         AttentionGradientOp op);

} // namespace zcc::train

#endif
