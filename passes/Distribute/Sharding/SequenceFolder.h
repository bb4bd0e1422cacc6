// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds a dim: it is cut into 2n equal stripes, and stripes i and 2n-1-i stand
// at places 2i and 2i+1, so that each of n devices has a pair. Under a causal
// mask the first stripe of a pair sees little and the second one much, so that
// all pairs have the same work.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_SEQUENCEFOLDER_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_SEQUENCEFOLDER_H

#include "passes/Distribute/Sharding/Placement.h"

namespace zcc::distribute {

// Attributes of attention in a sharded step. Either its sequence is folded
// (FoldSequences.cpp) over so many devices (i64), or the string tells why it is
// not, though half of the ring's work is masked.
inline constexpr llvm::StringLiteral foldedAttrName = "dist.folded";
inline constexpr llvm::StringLiteral unfoldedAttrName = "dist.unfolded";

// SequenceFolder and unfolds dims of values of a step in phase `sharded`. The
// new ops stand in front of `at`, and belong to the same part of the step.
class SequenceFolder {
public:
  SequenceFolder(mlir::Operation *at, const MeshAxes &mesh)
      : at(at), b(at), loc(at->getLoc()), mesh(mesh) {}

  // fold() returns `v`, whose placement is given, with dim `d` folded over
  // `devices`. unfold() reverts that. The dim is whole on the way.
  mlir::Value fold(mlir::Value v, unsigned d, int64_t devices,
                   const Placement &placement);
  mlir::Value unfold(mlir::Value v, unsigned d, int64_t devices,
                     const Placement &placement);
  // Returns an iota along a dim that is folded: each device computes the
  // positions of its own elements.
  mlir::Value foldIota(train::IotaOp iota, int64_t devices,
                       const Placement &placement);

private:
  // Marks the op of `v` with its placement, and with the part of the step that
  // it belongs to.
  mlir::Value put(mlir::Value v, const Placement &placement);
  mlir::Value reshard(mlir::Value v, const Placement &from,
                      const Placement &to);
  // Swaps the dims `parts`, of extent 2, and `devices` beside it, and reverses
  // the second part along the devices.
  mlir::Value swapParts(mlir::Value v, unsigned parts, unsigned devices,
                        const Placement &placement);

  mlir::Operation *at;
  mlir::OpBuilder b;
  mlir::Location loc;
  const MeshAxes &mesh;
};

} // namespace zcc::distribute

#endif
