// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists the ways in which an op can be sharded over one axis of the mesh: carry
// the axis on a factor on which a neighbor has it, or do without.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_AXISCHOICES_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_AXISCHOICES_H

#include "passes/Distribute/Sharding/StepSharding.h"

namespace zcc::distribute {

class AxisChoices {
public:
  AxisChoices(const MeshAxes &mesh, const DimUnits &units, unsigned axis)
      : mesh(mesh), units(units), axis(axis) {}

  struct Candidate {
    unsigned factor;
    FactorPlacement factors; // of all factors of the op
    double bytes = 0;        // bytes of the values that have it so
  };
  // Returns the ways in which an op that does not carry the axis can have it as
  // one of its neighbors has it. `at` returns the placement of a neighboring
  // value; null if none is known.
  llvm::SmallVector<Candidate>
  candidates(mlir::Operation *operation, const OpSharding &op,
             llvm::function_ref<const Placement *(mlir::Value)> at) const;
  // Returns how the op can have the axis as the neighboring value `v` has it in
  // `placement`; nullopt if it cannot. The op may carry the axis elsewhere now.
  std::optional<FactorPlacement> following(mlir::Operation *operation,
                                           const OpSharding &op, mlir::Value v,
                                           const Placement &placement) const;
  // Returns the op's sharding without the axis.
  OpSharding without(mlir::Operation *operation, const OpSharding &op) const;

  const MeshAxes &mesh;
  const DimUnits &units;
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

} // namespace zcc::distribute

#endif
