// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/Pipeline.h"

void zcc::buildPipelinePipeline(mlir::OpPassManager &pm,
                                const PipelineOptions &) {
  pm.addPass(createSplitTasks());
  // Needs the states that SplitTasks declares.
  pm.addPass(createSplitInit());
  // After both, which make and move coordinates.
  pm.addPass(createLowerCoordinates());
  pm.addPass(createPlaceSchedule());
  pm.addPass(createVerifyTasks());
}
