// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What steps of tasks take, as the clock of a device plays them
// (planning/StreamClock.h).
#ifndef ZCC_PASSES_SCHEDULE_STEPTIMER_H
#define ZCC_PASSES_SCHEDULE_STEPTIMER_H

#include "planning/StreamClock.h"
#include "passes/Distribute/Account.h"
#include "passes/Schedule/Schedule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <mutex>

namespace zcc {

/// Copies share what is known of kernels; each is for one thread.
class StepTimer {
public:
  /// `kernelCosts`, if given, says what kernels do.
  StepTimer(mlir::ModuleOp module, dist::MeshOp mesh,
            const planning::Machine &machine, KernelCosts kernelCosts);

  /// Of a step by itself, with its stream and events.
  planning::TimedStep of(mlir::Operation *op);
  /// Of all steps of a task, in this order: what a kernel uses is in caches as
  /// far as the steps since its last use have left it there.
  std::vector<planning::TimedStep> ofTask(mlir::Block &steps);

  const planning::CostModel &model() const { return costs; }
  const dist::Accounts &accounts() const { return collectives; }
  /// The stream of the links that a group crosses.
  int64_t linkStream(const std::vector<planning::AxisGroup> &group) const {
    return 1 + static_cast<int64_t>(costs.linkLevel(group));
  }
  /// Those of copies from the host's memory, and to it.
  int64_t loadStream() const {
    return 1 + static_cast<int64_t>(costs.countLevels());
  }
  int64_t storeStream() const { return loadStream() + 1; }

private:
  /// Bytes that steps of a task have touched, and how many there were when a
  /// buffer last was.
  struct Touched {
    double bytes = 0, farthest = 0;
    llvm::DenseMap<mlir::Value, double> last;
  };

  std::vector<planning::TimedStep> of(mlir::Block &steps);
  double distanceOf(mlir::Operation *launch, double bytes);
  void addCollective(mlir::Operation *op, planning::TimedStep &step);
  planning::KernelTime launchTime(mlir::Operation *op);
  double launchSeconds(mlir::Operation *op);
  /// Of which one is started.
  double batchSeconds(mlir::Operation *batch);

  /// What kernels do, each asked for once.
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
  dist::Accounts collectives;
  planning::CostModel costs;
  std::shared_ptr<Kernels> kernels;
  std::optional<Touched> touched; // within ofTask()
};

/// The collectives of a step, together: a bucket is one message. Nothing if it
/// is none of both.
std::optional<planning::Collective>
accountOfStep(const dist::Accounts &accounts, mlir::Operation *op);

} // namespace zcc

#endif
