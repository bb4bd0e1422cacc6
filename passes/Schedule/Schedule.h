// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From `tasks` to `scheduled`: kernels, launches and their order.
#ifndef ZCC_PASSES_SCHEDULE_SCHEDULE_H
#define ZCC_PASSES_SCHEDULE_SCHEDULE_H

#include "compiler/planning/Machine.h"
#include "dialects/Dist/Dist.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace zcc {

struct ScheduleOptions {
  bool fuse = true;
  bool bucket = true;
  planning::Machine machine;
};

/// The passes of the phase, its verifier last.
void buildSchedulePipeline(mlir::OpPassManager &pm,
                           const ScheduleOptions &options = {});

/// The pass that knows the machine.
std::unique_ptr<mlir::Pass>
createBucketCollectives(const planning::Machine &machine);

/// Whether collectives of that kind may be members of an exec.bucket.
bool mayRunTogether(dist::CollectiveKind kind);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Schedule/Passes.h.inc"

} // namespace zcc

#endif
