// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an op may do with one axis of the mesh: carry it on a factor on which a
// neighbor has it, or do without.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_AXISCHOICES_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_AXISCHOICES_H

#include "passes/Distribute/Place/Propagation.h"

namespace zcc::dist {

class AxisChoices {
public:
  AxisChoices(const MeshAxes &mesh, const Units &units, unsigned axis)
      : mesh(mesh), units(units), axis(axis) {}

  struct Candidate {
    unsigned factor;
    FactorPlacement factors; // of the whole op
    double bytes = 0;        // of the values that have it so
  };
  // What the op, which does not carry the axis, may do to have it as one of its
  // neighbors has it; `at` gives the neighbors' placements, null where nothing
  // is known.
  llvm::SmallVector<Candidate>
  candidates(mlir::Operation *operation, const OpSharding &op,
             llvm::function_ref<const Placement *(mlir::Value)> at) const;
  // Where the neighboring value `v` has it, in `placement`; nullopt if the op
  // cannot follow. The op may carry the axis elsewhere.
  std::optional<FactorPlacement> following(mlir::Operation *operation,
                                           const OpSharding &op, mlir::Value v,
                                           const Placement &placement) const;
  // The op without the axis.
  OpSharding without(mlir::Operation *operation, const OpSharding &op) const;

  const MeshAxes &mesh;
  const Units &units;
  const unsigned axis;

private:
  std::optional<unsigned> factorOf(const OpSharding &op,
                                   const train::FactorRule::Tensor &tensor,
                                   const Placement &placement,
                                   AxisList &order) const;
  std::optional<FactorPlacement> with(mlir::Operation *operation,
                                      const OpSharding &op, unsigned factor,
                                      llvm::ArrayRef<unsigned> order) const;
};

} // namespace zcc::dist

#endif
