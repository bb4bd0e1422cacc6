// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From phase `step` to `sharded` to `partitioned`.
#ifndef ZCC_PASSES_DISTRIBUTE_DISTRIBUTE_H
#define ZCC_PASSES_DISTRIBUTE_DISTRIBUTE_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mlir {
class ModuleOp;
}
namespace zcc {
#define GEN_PASS_DECL
#include "passes/Distribute/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Distribute/Passes.h.inc"

struct DistributeOptions {
  // Axes of the mesh, major to minor. An axis without a name is `data`; none is
  // one device.
  std::vector<std::pair<std::string, int64_t>> mesh;
  // Inputs whose first dim is not the batch.
  std::vector<std::string> notBatched;
};

// `step` to `sharded`.
void buildShardPipeline(mlir::OpPassManager &pm,
                        const DistributeOptions &options);
// `sharded` to `partitioned`.
void buildPartitionPipeline(mlir::OpPassManager &pm);
// `step` to `partitioned`.
void buildDistributePipeline(mlir::OpPassManager &pm,
                             const DistributeOptions &options);

} // namespace zcc

#endif
