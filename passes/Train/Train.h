// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from phase `graph` to phase `step`: precision, derivative, optimizer.
#ifndef ZCC_PASSES_TRAIN_TRAIN_H
#define ZCC_PASSES_TRAIN_TRAIN_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}
namespace zcc {
#define GEN_PASS_DECL
#include "passes/Train/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Train/Passes.h.inc"

// The options have the same names in docs. Globs match parameter names (`*`,
// `?`, `[...]`).
struct TrainOptions {
  std::string precision = "f32";    // f32, tf32, bf16, f16
  std::string optimizer = "adamw";  // a name, none, forward
  std::string gradientType = "f32"; // f32, compute
  std::optional<double> ema; // the decay of the averages, if any are kept
  std::vector<std::string> freeze, noDecay;
  // Names of optimizations that are off, including those that --exact forbids.
  std::vector<std::string> disable;
  // Adds biases of products before attention's transposes of them, for a target
  // whose products add biases.
  bool addBiasesFirst = false;
};

void buildTrainPipeline(mlir::OpPassManager &pm, const TrainOptions &options);

} // namespace zcc

#endif
