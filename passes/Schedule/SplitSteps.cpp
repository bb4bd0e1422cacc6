// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a product reads the result of a collective, and the next collective reads
// the product's result, nothing is left to run beside the collectives. If the
// steps run on halves of the rows, those of one half run beside those of the
// other. XLA's collective matmul does so with one product (Wang et al., ASPLOS
// 2023). Here all steps between are split, too, so that a part's collectives
// hide behind all that the others compute. Bits stay as they are: rows are
// divided along dims that no sum runs over, and a collective sums element by
// element.
//
// The pass splits a task that waits into two, three and four parts and plays
// each choice. The fastest is kept if it saves enough. Halves read weights
// twice, and products of fewer rows are less efficient; the seconds of their
// kernels include that. A task that waits little stays as it is, such as a
// backward pass in which the gradients of weights fill the time.
#include "dialects/Train/Train.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/Schedule/OverlapCollectives.h"
#include "passes/Schedule/StepParts.h"

namespace zcc {

#define GEN_PASS_DEF_SPLITSTEPS
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

struct SplitSteps : impl::SplitStepsBase<SplitSteps> {
  SplitSteps(const exec::Backend &backend, const ScheduleOptions &options)
      : backend(backend), options(options) {}
  const exec::Backend &backend;
  ScheduleOptions options;

  static constexpr int64_t mostParts = 4;
  // More parts must be better by this share of the step.
  static constexpr double asGood = 0.005;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (parts > 0) {
      for (auto task : module.getOps<exec::TaskOp>())
        split(module, task.getSymName(), parts);
      return;
    }
    if (!dist::getMesh(module) || !mayOverlap(module) ||
        !knowsLinks(options.machine))
      return;
    FailureOr<OverlapOutcome> now = overlapped(module, "", 0);
    if (failed(now))
      return signalPassFailure();
    for (const std::string &task : tasksThatWait(*now))
      if (failed(decide(module, task, *now)))
        return signalPassFailure();
  }

  /// Splits a task if that pays; `now` is the outcome so far.
  LogicalResult decide(ModuleOp module, const std::string &task,
                       OverlapOutcome &now) {
    std::optional<OverlapOutcome> best;
    int64_t bestParts = 0;
    for (int64_t trial = 2; trial <= mostParts; ++trial) {
      FailureOr<OverlapOutcome> own = overlapped(module, task, trial);
      if (failed(own))
        return failure();
      if (own->seconds == 0)
        continue;
      double most = best ? (1 - asGood) * best->seconds
                         : (1 - leastOverlapGain) * now.seconds;
      // If fewer parts gain too little, more parts do not gain either.
      if (own->seconds > most || own->peak > now.mostMemory)
        break;
      best = std::move(*own);
      bestParts = trial;
    }
    if (!best)
      return success();
    split(module, task, bestParts);
    best->mostMemory = now.mostMemory;
    now = std::move(*best);
    return success();
  }

  /// Returns the tasks that wait, the longest wait first.
  static SmallVector<std::string> tasksThatWait(const OverlapOutcome &step) {
    std::vector<std::pair<double, std::string>> all;
    for (auto &entry : step.waits)
      if (entry.second >= leastOverlapGain * step.seconds)
        all.push_back({-entry.second, entry.first().str()});
    llvm::sort(all);
    return llvm::map_to_vector(all, [](const auto &one) { return one.second; });
  }

  /// Returns the outcome with that task split; its seconds are 0 if it cannot
  /// be split.
  FailureOr<OverlapOutcome> overlapped(ModuleOp module, StringRef task,
                                       int64_t trial) {
    OwningOpRef<ModuleOp> copy(module.clone());
    if (trial > 0 && !split(*copy, task, trial))
      return OverlapOutcome();
    return overlapCollectives(*copy, options, OverlapEffort::estimate);
  }

  bool split(ModuleOp module, StringRef name, int64_t count) {
    KernelParts kernels(module, backend, count);
    auto task = module.lookupSymbol<exec::TaskOp>(name);
    // Buffers beyond the device's memory are moved as a whole
    // (zcc-place-copies).
    if (llvm::any_of(task.getOps<exec::BufferOp>(), [](exec::BufferOp buffer) {
          return buffer.getMemorySpace() != MemorySpace::Device;
        }))
      return false;
    if (splitIntoParts(task, kernels, count) == 0)
      return false;
    kernels.eraseUnused();
    return true;
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createSplitSteps(const exec::Backend &backend,
                                             const ScheduleOptions &options) {
  return std::make_unique<SplitSteps>(backend, options);
}

} // namespace zcc
