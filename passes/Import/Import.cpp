// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the import passes.
#include "passes/Import/Import.h"
#include "dialects/StableHLO/SDY.h"
#include "dialects/StableHLO/StableHLO.h"
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
  std::string role = options.role == ImportRole::Loss ? "loss" : "init";
  pm.addPass(createMarkLibraryFrames()); // before any may refuse something
  pm.addPass(createNameArguments({options.parameters, role}));
  pm.addPass(createInlineCalls());
  pm.addPass(createExpandOps()); // before loops, whose conditions may have some
  pm.addPass(createUnrollLoops()); // after inlining: the trip count may pass
                                   // through calls
  pm.addPass(createSplitStacks()); // after unrolling: only then are the slices'
                                   // indices constants
  pm.addPass(createConvertToTrain({role}));
  pm.addPass(createSimplifyGraph());
  pm.addPass(mlir::createCSEPass()); // so that a shifted maximum has one name
  pm.addPass(createCountedIndices());
  pm.addPass(createStopMaximumGradients());
  pm.addPass(mlir::createCSEPass());
  // After the maxima are told, which it does not read, and before derivatives.
  if (!llvm::is_contained(options.disable, "attention")) {
    pm.addPass(createSplitBatches()); // batches and heads apart
    pm.addPass(createRecognizeAttention({options.warnAttention}));
  }
  pm.addPass(createLimitInputs()); // on the simplest form of the indices
  pm.addPass(createVerifyGraph());
}
