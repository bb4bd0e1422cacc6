// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by train.attention, its gradient, and their forms for one block of
// keys: their extents, and the graphs of elementary ops that they stand for.
#ifndef ZCC_DIALECTS_TRAIN_ATTENTION_H
#define ZCC_DIALECTS_TRAIN_ATTENTION_H

#include "dialects/Train/Train.h"

namespace zcc::train {

/// A score that is not seen is at most this, so that its exponential is 0
/// compared with that of any score that is seen.
inline constexpr double largestFill = -1e4;

/// The operands and attributes of an attention or of its gradient, for all keys
/// or for one block of them.
struct Attention {
  explicit Attention(AttentionOp op);
  explicit Attention(AttentionGradientOp op);
  explicit Attention(AttentionBlockOp op);
  explicit Attention(AttentionBlockGradientOp op);
  static bool isAttention(mlir::Operation *op);
  /// Reads `op`, which must be one of the four.
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
  /// Returns true for a block of a folded sequence: queries and keys form two
  /// stripes each, and queryOrigin has the positions of both stripes of
  /// queries.
  bool isFolded() const;
  /// Returns [batch..., heads, queries, keys].
  llvm::SmallVector<int64_t> scoreShape() const;
  /// Returns true if every query sees a key by the band, with origins of 0.
  bool bandSeesAll() const;
  /// Returns f32, or f64 for f64.
  mlir::Type wideType() const;
  /// Return [batch..., queries, heads], and the same with the values' depth.
  llvm::SmallVector<int64_t> rowShape() const;
  llvm::SmallVector<int64_t> resultShape() const;

  // ---- elementary ops

  /// Builds the predicate of seen keys, of the shape of the scores; null: every
  /// query sees all keys.
  mlir::Value buildSeen(mlir::OpBuilder &b, mlir::Location loc) const;
  /// Builds the scores, with `fill` for keys that are not seen.
  mlir::Value buildScores(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value seen) const;
  /// Builds the weights of the keys; `lse` is the op's, or null.
  mlir::Value buildWeights(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value scores, mlir::Value lse) const;
  /// Builds weights, or their cotangents, with those that are dropped 0 and the
  /// others scaled.
  mlir::Value buildKept(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value weights) const;
  /// Builds the cotangents of the scores (before they are scaled), from the
  /// weights.
  mlir::Value buildScoreGradient(mlir::OpBuilder &b, mlir::Location loc,
                                 mlir::Value weights, mlir::Value seen,
                                 mlir::Value gradient, mlir::Value delta) const;

  /// Multiplies [batch..., queries, heads, n] by [batch..., keys, keyHeads, n].
  /// The result has the shape of the scores.
  mlir::Value rowsTimesKeys(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value rows, mlir::Value keyRows) const;
  /// Multiplies a tensor of the shape of the scores by [batch..., keys,
  /// keyHeads, n]. The result is [batch..., queries, heads, n].
  mlir::Value scoresTimesKeys(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value scores, mlir::Value keyRows) const;
  /// Multiplies a tensor of the shape of the scores, transposed, by [batch...,
  /// queries, heads, n]. The result is [batch..., keys, keyHeads, n].
  mlir::Value scoresTimesRows(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value scores, mlir::Value rows) const;

private:
  template <typename Op> void read(Op op);
  template <typename Op> void readWhole(Op op);
  template <typename Op> void readBlock(Op op);
  /// Broadcasts [batch..., queries, heads] to the shape of the scores.
  mlir::Value rowsToScores(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value rows) const;
};

/// Builds the results of the op by elementary ops at the insertion point.
llvm::SmallVector<mlir::Value> decompose(mlir::OpBuilder &b, AttentionOp op);
llvm::SmallVector<mlir::Value> decompose(mlir::OpBuilder &b,
                                         AttentionGradientOp op);

} // namespace zcc::train

#endif
