// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds of Threefry (Salmon et al., 2011, "Parallel random numbers: as easy as
// 1, 2, 3"), which make y of x and y: (x + y) xor (y rotated). Ops are those of
// StableHLO or of train.
#ifndef ZCC_PASSES_IMPORT_HASHROUNDS_H
#define ZCC_PASSES_IMPORT_HASHROUNDS_H

#include "mlir/IR/Operation.h"

namespace zcc {

/// On a constant (unit): it was folded of the last word of a round, or of
/// numbers made of it. UnrollLoops makes it, WarnFrozenRandom takes it away.
inline constexpr llvm::StringLiteral drawnAttrName = "zcc.drawn";

/// Returns the value whose bits `v` has rotated; null if it is no rotation.
template <typename OrOp, typename ShlOp, typename ShrlOp>
mlir::Value findRotated(mlir::Value v) {
  auto both = v.getDefiningOp<OrOp>();
  if (!both)
    return {};
  auto left = both.getLhs().template getDefiningOp<ShlOp>();
  auto right = both.getRhs().template getDefiningOp<ShrlOp>();
  return left && right && left.getLhs() == right.getLhs() ? left.getLhs()
                                                          : mlir::Value();
}

/// Returns true for the last op of a round.
template <typename XorOp, typename AddOp, typename OrOp, typename ShlOp,
          typename ShrlOp>
bool isThreefryRound(mlir::Operation *op) {
  auto round = mlir::dyn_cast<XorOp>(op);
  if (!round)
    return false;
  mlir::Value rotated = findRotated<OrOp, ShlOp, ShrlOp>(round.getRhs());
  auto sum = round.getLhs().template getDefiningOp<AddOp>();
  return rotated && sum && sum.getRhs() == rotated;
}

} // namespace zcc

#endif
