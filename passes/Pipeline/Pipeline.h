// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From phase `partitioned` to `tasks`.
#ifndef ZCC_PASSES_PIPELINE_PIPELINE_H
#define ZCC_PASSES_PIPELINE_PIPELINE_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}
namespace zcc {
#define GEN_PASS_DECL
#include "passes/Pipeline/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Pipeline/Passes.h.inc"

struct PipelineOptions {
  // auto, none or full; `glob`: what the globs name is computed again.
  std::string remat = "auto";
  std::vector<std::string> rematGlobs;
  // Name of a schedule; see compiler/planning/ScheduleGenerators.h.
  std::string schedule = "auto";
  // No optimization that reorders floating-point sums.
  bool exact = false;
  // Optimizations that are off, by name; under `exact` those that reorder too.
  std::vector<std::string> disable;
  // Bytes of a device that may be used; 0: unknown.
  double memory = 0;
};

// `partitioned` to `tasks`.
void buildPipelinePipeline(mlir::OpPassManager &pm,
                           const PipelineOptions &options = {});

// Fails with an error where a module's action tables were not made by the
// schedule of that name.
mlir::LogicalResult checkSchedule(mlir::ModuleOp module,
                                  llvm::StringRef schedule);

} // namespace zcc

#endif
