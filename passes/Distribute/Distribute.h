// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From phase `step` to `sharded` to `partitioned`.
#ifndef ZCC_PASSES_DISTRIBUTE_DISTRIBUTE_H
#define ZCC_PASSES_DISTRIBUTE_DISTRIBUTE_H

#include "compiler/planning/Machine.h"
#include "compiler/planning/Plan.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
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
  // What was asked for, or is followed. What is open, the passes decide, but
  // for a bare mesh: its plan is chosen before (ChoosePlan.h).
  planning::Plan plan;
  // Inputs whose first dim is not the batch.
  std::vector<std::string> notBatched;
  // Globs of locations whose ops may take statistics per microbatch.
  std::vector<std::string> perMicrobatch;
  // GLOB=N: what is on stage N.
  std::vector<std::string> stages;
  // No optimization that reorders floating-point sums.
  bool exact = false;
  // Optimizations that are off, by name; under `exact` those that reorder too.
  std::vector<std::string> disable;
  planning::MachineFacts machine;
  planning::Machine model; // what plans are chosen for

  // Of a device, bytes; infinite where nothing is known of it.
  double getMemory() const {
    return machine.deviceMemory > 0 ? machine.deviceMemory
                                    : std::numeric_limits<double>::infinity();
  }
};

// The passes that know the machine. Without one, parameters are gathered again
// by each task that reads them.
std::unique_ptr<mlir::Pass> createPlaceMesh(const DistributeOptions &options);
std::unique_ptr<mlir::Pass> createShardStep(const DistributeOptions &options);
std::unique_ptr<mlir::Pass> createPartition(const planning::Machine &machine,
                                            bool reduceScatter = true);
std::unique_ptr<mlir::Pass> createCutStages(const DistributeOptions &options);
// What of a step's backward pass only repeats an op of the forward pass reads
// that op's results.
void mergeForwardCopies(mlir::func::FuncOp step);
// The part of it before anything is decided.
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
