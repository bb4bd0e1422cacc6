// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders the passes from phase `graph` to phase `step`.
#include "dialects/Train/Optimizers/Optimizer.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Train/Train.h"
#include "planning/StepExtent.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace zcc;

void zcc::buildTrainPipeline(OpPassManager &pm, const TrainOptions &options) {
  bool narrow = options.precision == "bf16" || options.precision == "f16";
  bool forward = extentOf(options.optimizer) == StepExtent::Forward;

  // The input may contain the op itself. This pass comes first, so that all
  // others see one graph.
  if (llvm::is_contained(options.disable, "attention"))
    pm.addPass(createDecomposeAttention());
  // This pass comes before differentiation, so that derivatives are taken of
  // few and simple ops. Equal ops are not merged before it: each use of a
  // parameter must stay a use of its own.
  pm.addPass(createSimplifyTrain());
  // Products are in their final form now.
  if (options.addBiasesFirst)
    pm.addPass(createAddBiasesFirst());
  if (narrow) {
    // Precision comes before differentiation, because cotangents have the types
    // of the values.
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
  // Merging compares all attributes, including the tag.
  pm.addPass(createCSEPass());
  AttachOptimizerOptions attach;
  attach.optimizer = options.optimizer;
  attach.gradientType = options.gradientType;
  if (options.ema)
    attach.ema = *options.ema;
  attach.precision = narrow ? options.precision : "f32";
  attach.noDecay.assign(options.noDecay.begin(), options.noDecay.end());
  pm.addPass(createAttachOptimizer(attach));
  pm.addPass(createSimplifyTrain());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyStep());
}
