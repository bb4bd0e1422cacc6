// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From phase `step` to `sharded` to `partitioned`.
#ifndef ZCC_PASSES_DISTRIBUTE_DISTRIBUTE_H
#define ZCC_PASSES_DISTRIBUTE_DISTRIBUTE_H

#include "compiler/planning/Machine.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <limits>

namespace mlir {
class ModuleOp;
}
namespace zcc {
#define GEN_PASS_DECL
#include "passes/Distribute/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Distribute/Passes.h.inc"

struct DistributeOptions {
  // Axes of the mesh, major to minor; none is one device. Where no axis has a
  // name, the axes are chosen.
  std::vector<std::pair<std::string, int64_t>> mesh;
  // Inputs whose first dim is not the batch.
  std::vector<std::string> notBatched;
  // ZeRO stage, 0 to 3; -1: chosen. The axes that it may use; empty: all that
  // shard the batch.
  int zero = -1;
  std::vector<std::string> zeroAxes;
  // `GLOB=0|1|2|3|keep|gather` each: the stage of single parameters, and
  // whether they are kept once gathered.
  std::vector<std::string> state;
  // `GLOB=a,-,b+c` each: one entry a dim, several axes major first. The text is
  // well-formed and its axes are in the mesh.
  std::vector<std::string> shard;
  // Microbatches a step; 0: chosen.
  int64_t microbatches = 0;
  // Globs of locations whose ops may take statistics per microbatch.
  std::vector<std::string> perMicrobatch;
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

// Whether more than one device is asked for, and no axis is named: a plan is
// chosen (ChoosePlan.h) and applied before the pipeline runs.
bool isBare(const DistributeOptions &options);
// The passes that know the machine. Without one, parameters are gathered again
// by each task that reads them.
std::unique_ptr<mlir::Pass> createShardStep(const DistributeOptions &options);
std::unique_ptr<mlir::Pass> createPartition(const planning::Machine &machine,
                                            bool reduceScatter = true);
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
