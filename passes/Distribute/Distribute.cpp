// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Distribute.h"

using namespace zcc;

void zcc::buildMeshPipeline(mlir::OpPassManager &pm,
                            const DistributeOptions &options) {
  pm.addPass(createPlaceMesh(options));
  if (!llvm::is_contained(options.disable, "ring"))
    pm.addPass(createMarkRings());
}

void zcc::buildShardPipeline(mlir::OpPassManager &pm,
                             const DistributeOptions &options) {
  buildMeshPipeline(pm, options);
  pm.addPass(createShardStep(options));
  // What SplitConstants has split, before the plan was chosen.
  pm.addPass(createMergeCopies());
  // Merged last: what was moved may be what another one moved.
  if (!llvm::is_contained(options.disable, "move-gathers"))
    pm.addPass(createMoveGathers());
  if (!llvm::is_contained(options.disable, "merge-collectives"))
    pm.addPass(createMergeCollectives());
  // By shardings that nothing changes any more.
  if (!llvm::is_contained(options.disable, "fold-sequences"))
    pm.addPass(createFoldSequences());
  pm.addPass(createVerifySharded());
}

void zcc::buildPartitionPipeline(mlir::OpPassManager &pm,
                                 const DistributeOptions &options) {
  pm.addPass(createRecordWork());
  pm.addPass(createPartition(
      options.model, !llvm::is_contained(options.disable, "reduce-scatter")));
  if (!llvm::is_contained(options.disable, "merge-collectives"))
    pm.addPass(createMergeCollectives());
  // Splits by the extents on a device, so it follows their choice; before
  // regions, which every op must have.
  pm.addPass(createSplitReductions());
  AssignRegionsOptions regions;
  regions.perMicrobatch.assign(options.perMicrobatch.begin(),
                               options.perMicrobatch.end());
  pm.addPass(createAssignRegions(regions));
  // By the seconds of what is final now.
  pm.addPass(createCutStages(options));
  pm.addPass(createVerifyPartitioned());
}

void zcc::buildDistributePipeline(mlir::OpPassManager &pm,
                                  const DistributeOptions &options) {
  buildShardPipeline(pm, options);
  buildPartitionPipeline(pm, options);
}
