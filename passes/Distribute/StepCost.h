// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seconds and bytes of a sharding of the step on a machine, from the IR at
// global shapes: nothing is written. What compilation makes of it later (kernels,
// their order, the places of buffers) is estimated; the report's figures come
// from the program itself.
#ifndef ZCC_PASSES_DISTRIBUTE_STEPCOST_H
#define ZCC_PASSES_DISTRIBUTE_STEPCOST_H

#include "compiler/planning/CostModel.h"
#include "passes/Distribute/PlacedStep.h"
#include <map>

namespace zcc::dist {

class StepCost {
public:
  StepCost(mlir::Block &block, const MeshAxes &mesh,
           const planning::CostModel &model);

  // Of the arithmetic of an op, all microbatches.
  double seconds(mlir::Operation *op, const OpSharding &sharding) const;
  // Of what its devices exchange while it runs: halos, blocks of rings.
  double edgeSeconds(mlir::Operation *op, const OpSharding &sharding) const;
  // Of bringing a value from one placement to another, all microbatches;
  // infinity where that cannot be.
  double moveSeconds(mlir::Value v, const Placement &from,
                     const Placement &to) const;
  // How often a step does what is placed so.
  double timesOf(const Placement &placement) const {
    return usesTime(placement) ? microbatches : 1;
  }
  double numMicrobatches() const { return microbatches; }
  // Bytes that a device holds.
  double localBytes(mlir::Value v, const Placement &placement) const;
  // Whether the backward pass reads `v`, a value of the forward pass.
  static bool isResidual(mlir::Value v);

  struct Figures {
    double compute = 0, communication = 0; // seconds
    // Bytes of a device.
    double state = 0, gradients = 0, residuals = 0, largest = 0;

    double seconds() const { return compute + communication; }
    double bytes() const { return state + gradients + residuals + largest; }
  };
  Figures measure(const PlacedStep &placed) const;

private:
  planning::AxisGroup groupOf(unsigned axis) const;
  bool usesTime(const Placement &placement) const;

  mlir::Block &block;
  const MeshAxes &mesh;
  const planning::CostModel &model;
  double microbatches = 1;
  // Of moves that were asked for before.
  mutable std::map<std::vector<int64_t>, double> known;
};

} // namespace zcc::dist

#endif
