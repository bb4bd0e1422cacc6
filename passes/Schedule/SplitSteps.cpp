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
// each choice. With several stages, tasks of one kind are split alike: they
// have the same layers, and one choice for all of them is played as fast as one
// for a single task. The fastest is kept if it saves enough. Halves read
// weights twice, and products of fewer rows are less efficient; the seconds of
// their kernels include that. A task that waits little stays as it is, such as
// a backward pass in which the gradients of weights fill the time.
#include "dialects/Train/Train.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/Schedule/OverlapCollectives.h"
#include "passes/Schedule/StepParts.h"
#include <map>

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

  /// Names of tasks that are split alike.
  using Tasks = std::vector<std::string>;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (parts > 0) {
      for (auto task : module.getOps<exec::TaskOp>())
        split(module, {task.getSymName().str()}, parts);
      return;
    }
    if (!dist::getMesh(module) || !knowsLinks(options.machine))
      return;
    FailureOr<OverlapOutcome> now = overlapped(module, {}, 0);
    if (failed(now))
      return signalPassFailure();
    bool any = false;
    KnownOverlap &known = getAnalysis<KnownOverlap>();
    OwningOpRef<ModuleOp> unsplit;
    for (const Tasks &tasks : tasksThatWait(module, *now)) {
      if (!unsplit && hasOneStage(module))
        unsplit = module.clone();
      FailureOr<bool> isSplit = decide(module, tasks, *now);
      if (failed(isSplit))
        return signalPassFailure();
      any |= *isSplit;
    }
    if (any) {
      known.unsplit = std::move(unsplit);
      markAnalysesPreserved<KnownOverlap>();
      return;
    }
    known.outcome = std::move(*now);
    markAllAnalysesPreserved();
  }

  /// Splits tasks if that pays; `now` is the outcome so far. Returns whether it
  /// does.
  FailureOr<bool> decide(ModuleOp module, const Tasks &tasks,
                         OverlapOutcome &now) {
    std::optional<OverlapOutcome> best;
    int64_t bestParts = 0;
    for (int64_t trial = 2; trial <= mostParts; ++trial) {
      FailureOr<OverlapOutcome> own = overlapped(module, tasks, trial);
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
      return false;
    split(module, tasks, bestParts);
    best->mostMemory = now.mostMemory;
    now = std::move(*best);
    return true;
  }

  /// Returns the tasks that wait, the longest wait first: each alone if there
  /// is one stage, else those of a kind together.
  static std::vector<Tasks> tasksThatWait(ModuleOp module,
                                          const OverlapOutcome &step) {
    struct Waiting {
      Tasks tasks;
      std::map<int64_t, double> seconds; // by stage
    };
    std::map<std::string, Waiting> groups;
    for (auto task : module.getOps<exec::TaskOp>()) {
      auto found = step.waits.find(task.getSymName());
      if (found == step.waits.end() || found->second <= 0)
        continue;
      std::string key = hasOneStage(module)
                            ? task.getSymName().str()
                            : dist::stringifyTaskKind(task.getKind()).str();
      groups[key].tasks.push_back(task.getSymName().str());
      groups[key].seconds[static_cast<int64_t>(task.getStage())] +=
          found->second;
    }
    std::vector<std::pair<double, Tasks>> all;
    for (auto &[key, own] : groups) {
      double longest = 0;
      for (auto &[stage, seconds] : own.seconds)
        longest = std::max(longest, seconds);
      if (longest >= leastOverlapGain * step.seconds)
        all.push_back({-longest, std::move(own.tasks)});
    }
    llvm::sort(all);
    std::vector<Tasks> out;
    for (auto &[seconds, tasks] : all)
      out.push_back(std::move(tasks));
    return out;
  }

  /// Returns the outcome with those tasks split; its seconds are 0 if none can
  /// be split.
  FailureOr<OverlapOutcome> overlapped(ModuleOp module, const Tasks &tasks,
                                       int64_t trial) {
    OwningOpRef<ModuleOp> copy(module.clone());
    if (trial > 0 && !split(*copy, tasks, trial))
      return OverlapOutcome();
    return overlapCollectives(*copy, options, OverlapEffort::estimate);
  }

  /// Returns false if none of the tasks can be split.
  bool split(ModuleOp module, const Tasks &names, int64_t count) {
    KernelParts kernels(module, backend, count);
    bool any = false;
    for (const std::string &name : names) {
      auto task = module.lookupSymbol<exec::TaskOp>(name);
      // Buffers beyond the device's memory are moved as a whole
      // (zcc-place-copies).
      if (llvm::all_of(task.getOps<exec::BufferOp>(),
                       [](exec::BufferOp buffer) {
                         return buffer.getMemorySpace() == MemorySpace::Device;
                       }))
        any |= splitIntoParts(task, kernels, count) > 0;
    }
    if (any)
      kernels.eraseUnused();
    return any;
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createSplitSteps(const exec::Backend &backend,
                                             const ScheduleOptions &options) {
  return std::make_unique<SplitSteps>(backend, options);
}

} // namespace zcc
