// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From phase `partitioned` to `tasks`.
#ifndef ZCC_PASSES_PIPELINE_PIPELINE_H
#define ZCC_PASSES_PIPELINE_PIPELINE_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mlir {
class ModuleOp;
}
namespace zcc {
#define GEN_PASS_DECL
#include "passes/Pipeline/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Pipeline/Passes.h.inc"

struct PipelineOptions {};

// `partitioned` to `tasks`.
void buildPipelinePipeline(mlir::OpPassManager &pm,
                           const PipelineOptions &options = {});

} // namespace zcc

#endif
