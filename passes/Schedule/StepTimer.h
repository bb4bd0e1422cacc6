// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of steps, in the form that the clock of a device plays
// (planning/StreamClock.h).
#ifndef ZCC_PASSES_SCHEDULE_STEPTIMER_H
#define ZCC_PASSES_SCHEDULE_STEPTIMER_H

#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include "passes/Schedule/Schedule.h"
#include "planning/StreamClock.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <mutex>

namespace zcc {

/// Copies share the known costs of kernels; each copy is for one thread.
class StepTimer {
public:
  /// `kernelCosts` returns the cost of a kernel; it may be null.
  StepTimer(mlir::ModuleOp module, dist::MeshOp mesh,
            const planning::Machine &machine, KernelCosts kernelCosts);

  /// Returns the times of one step by itself, with its stream and events.
  planning::TimedStep of(mlir::Operation *op);
  /// Returns the times of all steps of a task in this order. A buffer is in a
  /// cache if the steps since its last use have left it there.
  std::vector<planning::TimedStep> ofTask(mlir::Block &steps);

  /// Returns the cost of one run of a kernel, as kernelCosts returned it.
  planning::KernelCost costOf(llvm::StringRef kernel) {
    return kernels->known() ? kernels->of(kernel) : planning::KernelCost();
  }

  const planning::CostModel &model() const { return costs; }
  const distribute::CollectiveAccounts &accounts() const { return collectives; }
  /// Returns the stream of the links that a group crosses.
  int64_t linkStream(const std::vector<planning::AxisGroup> &group) const {
    return 1 + static_cast<int64_t>(costs.linkLevel(group));
  }
  /// Return the streams of copies from the host's memory, and to it.
  int64_t loadStream() const {
    return 1 + static_cast<int64_t>(costs.countLevels());
  }
  int64_t storeStream() const { return loadStream() + 1; }

private:
  /// The bytes that steps of a task have used so far, and that number at the
  /// last use of each buffer.
  struct Touched {
    double bytes = 0, farthest = 0;
    llvm::DenseMap<mlir::Value, double> last;
  };

  std::vector<planning::TimedStep> of(mlir::Block &steps);
  double distanceOf(mlir::Operation *launch, double bytes);
  void addCollective(mlir::Operation *op, planning::TimedStep &step);
  planning::KernelTime launchTime(mlir::Operation *op);
  double launchSeconds(mlir::Operation *op);
  /// Returns the seconds of an exec.batch, which starts only one kernel.
  double batchSeconds(mlir::Operation *batch);

  /// The costs of kernels; the function is called once for each kernel.
  class Kernels {
  public:
    Kernels(mlir::ModuleOp module, KernelCosts costs)
        : symbols(module), costs(std::move(costs)) {}
    bool known() const { return costs != nullptr; }
    planning::KernelCost of(llvm::StringRef kernel);

  private:
    mlir::SymbolTable symbols;
    KernelCosts costs;
    std::mutex mutex;
    llvm::StringMap<planning::KernelCost> found;
  };

  dist::MeshOp mesh;
  distribute::CollectiveAccounts collectives;
  planning::CostModel costs;
  std::shared_ptr<Kernels> kernels;
  std::optional<Touched> touched; // set within ofTask()
};

/// Returns the collectives of a step as one: a bucket is one message. Returns
/// nullopt if the step is neither a collective nor a bucket.
std::optional<planning::Collective>
accountOfStep(const distribute::CollectiveAccounts &accounts,
              mlir::Operation *op);

} // namespace zcc

#endif
