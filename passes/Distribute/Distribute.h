// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From phase `step` to `sharded` to `partitioned`.
#ifndef ZCC_PASSES_DISTRIBUTE_DISTRIBUTE_H
#define ZCC_PASSES_DISTRIBUTE_DISTRIBUTE_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Distribute/PlanParsers.h"
#include "planning/Machine.h"
#include "planning/Plan.h"
#include <limits>

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
}
} // namespace mlir
namespace zcc {
#define GEN_PASS_DECL
#include "passes/Distribute/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Distribute/Passes.h.inc"

struct DistributeOptions {
  // The plan that the user asked for, or that is followed. The passes decide
  // the fields that are open. A bare mesh is the exception: its plan is chosen
  // before they run (ChoosePlan.h).
  planning::Plan plan;
  // Inputs whose first dim is not the batch.
  std::vector<std::string> notBatched;
  // Globs of locations whose ops may take statistics per microbatch.
  std::vector<std::string> perMicrobatch;
  // Pins of stages: GLOB=N puts the ops that the glob names on stage N.
  std::vector<std::string> stages;
  // True if no optimization may reorder floating-point sums.
  bool exact = false;
  // Names of the optimizations that are off. `exact` turns off those that
  // reorder sums, too.
  std::vector<std::string> disable;
  planning::MachineFacts machine;
  planning::Machine model; // the machine that plans are chosen for

  // The memory of a device in bytes; infinite if nothing is known of it.
  double getMemory() const {
    return machine.deviceMemory > 0 ? machine.deviceMemory
                                    : std::numeric_limits<double>::infinity();
  }
};

// The passes that know the machine. Without a machine, each task that reads a
// parameter gathers it again.
std::unique_ptr<mlir::Pass> createPlaceMesh(const DistributeOptions &options);
std::unique_ptr<mlir::Pass> createShardStep(const DistributeOptions &options);
std::unique_ptr<mlir::Pass> createPartition(const planning::Machine &machine,
                                            bool reduceScatter = true);
std::unique_ptr<mlir::Pass> createCutStages(const DistributeOptions &options);
// Removes from the backward pass the ops that only repeat an op of the forward
// pass: their readers read the forward op's results instead.
void mergeForwardCopies(mlir::func::FuncOp step);
// Adds the passes that run before anything is decided.
void buildMeshPipeline(mlir::OpPassManager &pm,
                       const DistributeOptions &options);
// `step` to `sharded`.
void buildShardPipeline(mlir::OpPassManager &pm,
                        const DistributeOptions &options);
// `sharded` to `partitioned`.
void buildPartitionPipeline(mlir::OpPassManager &pm,
                            const DistributeOptions &options = {});
// `step` to `partitioned`.
void buildDistributePipeline(mlir::OpPassManager &pm,
                             const DistributeOptions &options);

} // namespace zcc

#endif
