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
  // SplitConstants made copies before the plan was chosen: merge those that got
  // equal shardings.
  pm.addPass(createMergeCopies());
  // Reshards are merged last: two of them may be of one value once they are
  // moved.
  if (!llvm::is_contained(options.disable, "move-gathers"))
    pm.addPass(createMoveGathers());
  if (!llvm::is_contained(options.disable, "merge-collectives"))
    pm.addPass(createMergeCollectives());
  // Needs the final shardings.
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
  // Collectives that are equal are one by now.
  if (!llvm::is_contained(options.disable, "deal-sequences"))
    pm.addPass(createDealSequences());
  if (!llvm::is_contained(options.disable, "deal-exchanges"))
    pm.addPass(createDealExchanges());
  if (!llvm::is_contained(options.disable, "lay-out-exchanges"))
    pm.addPass(createLayOutExchanges());
  // Splits by the extents on a device, so it runs after they are final. It runs
  // before regions are assigned, because every op must have one.
  pm.addPass(createSplitReductions());
  AssignRegionsOptions regions;
  regions.perMicrobatch.assign(options.perMicrobatch.begin(),
                               options.perMicrobatch.end());
  pm.addPass(createAssignRegions(regions));
  // Cuts by the seconds of ops, which are final now.
  pm.addPass(createCutStages(options));
  pm.addPass(createVerifyPartitioned());
}

void zcc::buildDistributePipeline(mlir::OpPassManager &pm,
                                  const DistributeOptions &options) {
  buildShardPipeline(pm, options);
  buildPartitionPipeline(pm, options);
}
