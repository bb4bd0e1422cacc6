// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folded dim: of 2n equal stripes, stripes i and 2n-1-i stand at places 2i
// and 2i+1, so that each of n devices has a pair. Under a causal mask the first
// of a pair sees little and the second one much, and all pairs together the
// same.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_FOLDS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_FOLDS_H

#include "passes/Distribute/Place/Placement.h"

namespace zcc::dist {

// Of attention of a sharded step. Its sequence is folded (FoldSequences.cpp)
// over so many devices (i64); or why it is not, though half of the ring's work
// is masked (string).
inline constexpr llvm::StringLiteral foldedAttrName = "dist.folded";
inline constexpr llvm::StringLiteral unfoldedAttrName = "dist.unfolded";

// Folds and unfolds dims of values of a step in phase `sharded`, by ops in
// front of `at`, which belong to the same part of the step.
class Folds {
public:
  Folds(mlir::Operation *at, const MeshAxes &mesh)
      : at(at), b(at), loc(at->getLoc()), mesh(mesh) {}

  // `v`, which lives as `placement` says, with dim `d` folded over `devices`;
  // or, from a folded one, as it was. On the way the dim is whole.
  mlir::Value fold(mlir::Value v, unsigned d, int64_t devices,
                   const Placement &placement);
  mlir::Value unfold(mlir::Value v, unsigned d, int64_t devices,
                     const Placement &placement);
  // An iota along a dim that is folded: each device computes the positions of
  // its own elements.
  mlir::Value foldIota(train::IotaOp iota, int64_t devices,
                       const Placement &placement);

private:
  // Says where the op of `v` lives, and of which part of the step it is.
  mlir::Value put(mlir::Value v, const Placement &placement);
  mlir::Value reshard(mlir::Value v, const Placement &from,
                      const Placement &to);
  // Of dims `parts`, of extent 2, and `devices` beside it: the two change
  // places, and the second part is reversed along the devices.
  mlir::Value swapParts(mlir::Value v, unsigned parts, unsigned devices,
                        const Placement &placement);

  mlir::Operation *at;
  mlir::OpBuilder b;
  mlir::Location loc;
  const MeshAxes &mesh;
};

} // namespace zcc::dist

#endif
