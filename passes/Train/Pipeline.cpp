// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes from phase `graph` to phase `step`.
#include "mlir/Transforms/Passes.h"
#include "passes/Train/Train.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

void zcc::buildTrainPipeline(OpPassManager &pm, const TrainOptions &options) {
  bool narrow = options.precision == "bf16" || options.precision == "f16";
  bool forward = options.optimizer == "forward";

  // A text may have the op itself. First, so that what follows sees one graph.
  if (llvm::is_contained(options.disable, "attention"))
    pm.addPass(createDecomposeAttention());
  // Before differentiation, so that derivatives are taken of few and simple
  // ops. Equal ops are not merged before: each use of a parameter must stay a
  // use of its own.
  pm.addPass(createSimplifyTrain());
  if (narrow) {
    // Before differentiation: cotangents have the types of the values.
    pm.addPass(createApplyPrecision({options.precision}));
    pm.addPass(createSimplifyTrain());
  }
  DifferentiateOptions differentiate;
  differentiate.freeze.assign(options.freeze.begin(), options.freeze.end());
  differentiate.forward = forward;
  differentiate.scaled = options.precision == "f16" && !forward;
  pm.addPass(createDifferentiate(differentiate));
  pm.addPass(createSimplifyTrain());
  if (narrow && !forward)
    pm.addPass(createNarrowResiduals({options.precision}));
  // Merging compares all attributes, the tag among them.
  pm.addPass(createCSEPass());
  AttachOptimizerOptions attach;
  attach.optimizer = options.optimizer;
  attach.gradientType = options.gradientType;
  attach.precision = narrow ? options.precision : "f32";
  attach.noDecay.assign(options.noDecay.begin(), options.noDecay.end());
  pm.addPass(createAttachOptimizer(attach));
  pm.addPass(createSimplifyTrain());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyStep());
}
