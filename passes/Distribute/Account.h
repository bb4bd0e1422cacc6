// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The account (compiler/planning/Collective.h) of what ops and decisions send:
// collectives of dist and exec, rings, transfers between stages, exchanges of
// boxes.
#ifndef ZCC_PASSES_DISTRIBUTE_ACCOUNT_H
#define ZCC_PASSES_DISTRIBUTE_ACCOUNT_H

#include "compiler/planning/CostModel.h"
#include "passes/Distribute/Place/Placement.h"

namespace zcc::dist {

// Of a step: the product of the temporal axes.
int64_t countMicrobatches(MeshOp mesh);

// Of ops of a module with a mesh.
class Accounts {
public:
  explicit Accounts(MeshOp mesh) : mesh(mesh), axes(mesh) {}

  planning::Collective of(CollectiveOpInterface op) const;
  // What a ring passes on, and how often.
  struct Repeated {
    planning::Collective collective;
    int64_t times;
  };
  llvm::SmallVector<Repeated> of(RingOp ring) const;
  // Of a value that goes from one stage to another.
  planning::Collective transfer(planning::CollectiveKind kind, int64_t from,
                                int64_t to, double bytes) const;
  // What an op of a partitioned step takes on a device, its collectives too.
  double secondsOf(mlir::Operation *op, const planning::CostModel &model) const;
  // The first of the stage's ranks.
  int64_t rankOfStage(int64_t stage) const;

private:
  AxisList find(mlir::ArrayAttr names) const;

  MeshOp mesh;
  MeshAxes axes;
};

// Of boxes of elements of `width` bytes that go from one placement to another,
// within groups of `axes`: the same boxes on other devices are a permute.
planning::Collective accountOfBoxes(const MeshAxes &mesh, int64_t width,
                                    const Placement &from, const Placement &to,
                                    llvm::ArrayRef<unsigned> axes);
// Whether only which device holds which box changes.
bool areSameBoxes(const MeshAxes &mesh, const Placement &a, const Placement &b);

} // namespace zcc::dist

#endif
