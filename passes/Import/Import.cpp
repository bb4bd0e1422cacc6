// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the import passes.
#include "passes/Import/Import.h"
#include "dialects/StableHLO/SDY.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

void zcc::registerImportDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, train::TrainDialect,
                  stablehlo::StableHLODialect, chlo::CHLODialect,
                  sdy::SDYDialect>();
}

void zcc::buildImportPipeline(mlir::OpPassManager &pm,
                              const ImportOptions &options) {
  llvm::StringRef role =
      options.role == ImportRole::Loss ? lossFunctionName : initFunctionName;
  pm.addPass(createMarkLibraryFrames()); // before any pass may refuse an op
  pm.addPass(
      createNameArguments({options.parameters, role.str(), options.forward}));
  pm.addPass(createInlineCalls());
  // Before loops, whose conditions may have such ops.
  pm.addPass(createExpandOps());
  UnrollLoopsOptions loops;
  loops.batch = !llvm::is_contained(options.disable, "batch-loops");
  // After inlining: the trip count may pass through calls.
  pm.addPass(createUnrollLoops(loops));
  pm.addPass(createFoldEmpty());   // after unrolling: all ops are in @main
  pm.addPass(createSplitStacks()); // after unrolling: only then are the slices'
                                   // indices constants
  pm.addPass(createConvertToTrain({role.str()}));
  // Before folding, which hides hashes of constants.
  pm.addPass(createWarnFrozenRandom({options.warnFrozenRandom}));
  pm.addPass(createSimplifyGraph());
  pm.addPass(mlir::createCSEPass()); // so that a shifted maximum is one value
  if (!llvm::is_contained(options.disable, "unsort"))
    pm.addPass(createUnsortRows()); // after merging: equal keys are one value
  pm.addPass(createCountedIndices());
  pm.addPass(createSplitRows()); // after counted indices, which are batches
  pm.addPass(createStopMaximumGradients());
  pm.addPass(mlir::createCSEPass());
  // Recognition skips the maxima that a softmax subtracts, so it may come after
  // StopMaximumGradients. It must come before derivatives.
  if (!llvm::is_contained(options.disable, "attention")) {
    pm.addPass(createSplitBatches()); // separates batches and heads
    pm.addPass(createRecognizeAttention({options.warnAttention}));
  }
  if (options.checkIndices)
    pm.addPass(createLimitInputs()); // needs the simplest form of indices
  pm.addPass(createVerifyGraph());
}
