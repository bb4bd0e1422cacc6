// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CollectiveAccounts of communication: each says how many bytes an op or a
// decision sends, and between which devices (planning/Collective.h). The ops
// are collectives of dist and exec, rings, transfers between stages and
// exchanges of boxes.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_COLLECTIVEACCOUNT_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_COLLECTIVEACCOUNT_H

#include "passes/Distribute/Sharding/Placement.h"
#include "planning/CostModel.h"

namespace zcc::distribute {

// Returns the number of microbatches of a step: the product of the temporal
// axes.
int64_t countMicrobatches(dist::MeshOp mesh);

// Makes the accounts of the ops of a module that has a mesh.
class CollectiveAccounts {
public:
  explicit CollectiveAccounts(dist::MeshOp mesh) : mesh(mesh), axes(mesh) {}

  planning::Collective of(dist::CollectiveOpInterface op) const;
  // One message that a ring passes on, and how often it does so.
  struct Repeated {
    planning::Collective collective;
    int64_t times;
  };
  llvm::SmallVector<Repeated> of(dist::RingOp ring) const;
  // Returns the account of a value of `bytes` that goes from one stage to
  // another.
  planning::Collective transfer(planning::CollectiveKind kind, int64_t from,
                                int64_t to, double bytes) const;
  // Returns the seconds that a device spends on an op of a partitioned step,
  // its collectives included.
  double secondsOf(mlir::Operation *op, const planning::CostModel &model) const;
  // Returns the first of the stage's ranks.
  int64_t rankOfStage(int64_t stage) const;

private:
  AxisList find(mlir::ArrayAttr names) const;

  dist::MeshOp mesh;
  MeshAxes axes;
};

// Returns the account of moving boxes of elements of `width` bytes from one
// placement to another, within groups of `axes`. It is a permute if each device
// ends with a box that some device had before.
planning::Collective accountOfBoxes(const MeshAxes &mesh, int64_t width,
                                    const Placement &from, const Placement &to,
                                    llvm::ArrayRef<unsigned> axes);
// Returns true if the two placements cut the same boxes, and differ only in
// which device holds which.
bool areSameBoxes(const MeshAxes &mesh, const Placement &a, const Placement &b);

} // namespace zcc::distribute

#endif
