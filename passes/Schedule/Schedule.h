// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From `tasks` to `scheduled`: kernels, launches and their order.
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

/// Of a run of a kernel; where there is none, its bytes alone count.
using KernelCosts =
    std::function<planning::KernelCost(mlir::func::FuncOp kernel)>;

struct ScheduleOptions {
  bool fuse = true;
  bool bucket = true;
  bool overlap = true;
  bool splitSteps = true;
  bool shareBuffers = true;
  bool batch = true;
  planning::Machine machine;
  /// Bytes of a device that overlap may use; 0: no more than without it.
  int64_t memory = 0;
  /// Overlap may use an eighth of it in any case: then less is kept for the
  /// backward pass.
  bool mayGrow = false;
  // No order may take more memory than the steps as they come.
  bool leastMemory = false;
  KernelCosts kernelCosts;
};

#define GEN_PASS_DECL
#include "passes/Schedule/Passes.h.inc"

/// The passes of the phase, its verifier last, for a backend that lives as long
/// as they do.
void buildSchedulePipeline(mlir::OpPassManager &pm,
                           const exec::Backend &backend,
                           const ScheduleOptions &options = {});

/// The passes that know the backend.
std::unique_ptr<mlir::Pass> createCheckTarget(const exec::Backend &backend);
std::unique_ptr<mlir::Pass>
createScheduleTasks(const exec::Backend &backend,
                    const ScheduleTasksOptions &options);
std::unique_ptr<mlir::Pass> createShareBuffers(const exec::Backend &backend);
std::unique_ptr<mlir::Pass> createBatchLaunches(const exec::Backend &backend);
std::unique_ptr<mlir::Pass> createVerifySchedule(const exec::Backend &backend);
/// The pass that knows the machine.
std::unique_ptr<mlir::Pass>
createBucketCollectives(const planning::Machine &machine);
/// The passes that know the machine, and what kernels cost on it.
std::unique_ptr<mlir::Pass>
createHoistCollectives(const ScheduleOptions &options);
std::unique_ptr<mlir::Pass>
createOverlapCollectives(const ScheduleOptions &options);
std::unique_ptr<mlir::Pass> createPlaceCopies(const ScheduleOptions &options);
/// The pass that knows the backend, the machine, and what kernels cost.
std::unique_ptr<mlir::Pass> createSplitSteps(const exec::Backend &backend,
                                             const ScheduleOptions &options);

/// Makes the phase's passes known by their names, for that backend, which lives
/// until the end.
void registerSchedulePasses(const exec::Backend &backend);

/// Whether anything can run beside computation there: where ranks share a node
/// that has no links, moving bytes is work of the same cores.
bool knowsLinks(const planning::Machine &machine);

/// Whether what a task leaves running may be waited for in the next one. Not
/// where there are several stages: transfers between them are on the main
/// stream, and a transport takes one thread's calls.
bool mayOverlap(mlir::ModuleOp module);

/// What collectives on streams of their own must save of the step.
inline constexpr double leastOverlapGain = 0.01;

/// Whether collectives of that kind may be members of an exec.bucket.
bool mayRunTogether(dist::CollectiveKind kind);

} // namespace zcc

#endif
