// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from `tasks` to `scheduled`: they make kernels, launches and their
// order.
#ifndef ZCC_PASSES_SCHEDULE_SCHEDULE_H
#define ZCC_PASSES_SCHEDULE_SCHEDULE_H

#include "planning/CostModel.h"
#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <functional>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace zcc::exec {
class Backend;
} // namespace zcc::exec

namespace zcc {

/// Returns the cost of one run of a kernel. If the function is null, only the
/// kernel's bytes count.
using KernelCosts =
    std::function<planning::KernelCost(mlir::func::FuncOp kernel)>;

struct ScheduleOptions {
  bool fuse = true;
  bool bucket = true;
  bool overlap = true;
  bool splitSteps = true;
  bool interleaveRuns = true;
  bool shareBuffers = true;
  bool batch = true;
  planning::Machine machine;
  /// The bytes of a device that overlap may use; 0: no more than without
  /// overlap.
  int64_t memory = 0;
  /// Overlap may use an eighth of `memory` in addition in any case; then less
  /// is kept for the backward pass.
  bool mayGrow = false;
  // No order may take more memory than the original order of steps.
  bool leastMemory = false;
  KernelCosts kernelCosts;
};

#define GEN_PASS_DECL
#include "passes/Schedule/Passes.h.inc"

/// Adds the passes of the phase, with its verifier last. `backend` must outlive
/// them.
void buildSchedulePipeline(mlir::OpPassManager &pm,
                           const exec::Backend &backend,
                           const ScheduleOptions &options = {});

/// These passes need the backend.
std::unique_ptr<mlir::Pass> createCheckTarget(const exec::Backend &backend);
std::unique_ptr<mlir::Pass>
createScheduleTasks(const exec::Backend &backend,
                    const ScheduleTasksOptions &options);
std::unique_ptr<mlir::Pass> createShareBuffers(const exec::Backend &backend);
std::unique_ptr<mlir::Pass> createBatchLaunches(const exec::Backend &backend);
std::unique_ptr<mlir::Pass> createVerifySchedule(const exec::Backend &backend);
/// This pass needs the machine.
std::unique_ptr<mlir::Pass>
createBucketCollectives(const planning::Machine &machine);
/// These passes need the machine, and the cost of kernels on it.
std::unique_ptr<mlir::Pass>
createHoistCollectives(const ScheduleOptions &options);
std::unique_ptr<mlir::Pass> createSinkSteps(const ScheduleOptions &options);
std::unique_ptr<mlir::Pass>
createInterleaveRuns(const ScheduleOptions &options);
std::unique_ptr<mlir::Pass>
createOverlapCollectives(const ScheduleOptions &options);
std::unique_ptr<mlir::Pass> createPlaceCopies(const ScheduleOptions &options);
/// This pass needs the backend, the machine, and the cost of kernels.
std::unique_ptr<mlir::Pass> createSplitSteps(const exec::Backend &backend,
                                             const ScheduleOptions &options);

/// Registers the phase's passes under their names for that backend, which must
/// live until the end.
void registerSchedulePasses(const exec::Backend &backend);

/// Returns true if collectives can run beside computation on the machine. If
/// ranks share a node that has no links, moving bytes is work of the same
/// cores.
bool knowsLinks(const planning::Machine &machine);

/// Does the work of the pass zcc-hold-sends.
void holdSends(mlir::ModuleOp module);

/// Does the work of the pass zcc-place-events.
mlir::LogicalResult placeEvents(mlir::ModuleOp module);

/// Returns true if the program has one stage, and so no transfers between
/// stages.
bool hasOneStage(mlir::ModuleOp module);

/// The least share of the step that collectives on streams of their own must
/// save.
inline constexpr double leastOverlapGain = 0.01;

/// Returns true if collectives of that kind may be members of an exec.bucket.
bool mayRunTogether(dist::CollectiveKind kind);

} // namespace zcc

#endif
