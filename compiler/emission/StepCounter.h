// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_COMPILER_EMISSION_STEPCOUNTER_H
#define ZCC_COMPILER_EMISSION_STEPCOUNTER_H

#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

/// Counts how often each task of a stage runs in a step, and the transfers.
class StepCounter {
public:
  StepCounter(mlir::ModuleOp module, dist::ScheduleOp table)
      : module(module), stage(table.getStage()) {
    for (auto run : table.getOps<dist::RunOp>())
      ++runs[run.getTask()];
  }

  int64_t times(llvm::StringRef task) const { return runs.lookup(task); }
  int64_t stageNumber() const { return stage; }

  /// Visits the tasks of the stage in either phase: functions or exec.tasks.
  void
  forEachTask(llvm::function_ref<void(mlir::Operation *, llvm::StringRef name,
                                      dist::TaskKind kind)>
                  visit) {
    for (mlir::Operation &op : module.getBody()->getOperations()) {
      if (auto task = llvm::dyn_cast<exec::TaskOp>(op)) {
        if (static_cast<int64_t>(task.getStage()) == stage)
          visit(task, task.getSymName(), task.getKind());
      } else if (auto task = llvm::dyn_cast<mlir::func::FuncOp>(op)) {
        std::optional<dist::TaskKind> kind = dist::taskKindOf(task);
        if (kind && dist::getStage(task) == stage)
          visit(task, task.getSymName(), *kind);
      }
    }
  }

private:
  mlir::ModuleOp module;
  int64_t stage;
  llvm::StringMap<int64_t> runs;
};

/// Returns the part of the step that an op of a task is reported with.
inline llvm::StringRef reportedTasks(mlir::Operation *op, dist::TaskKind kind) {
  using train::Tag;
  Tag own = dist::isBackward(kind)             ? Tag::Backward
            : kind == dist::TaskKind::Epilogue ? Tag::Update
                                               : Tag::Forward;
  return train::stringifyTag(train::tagOf(op).value_or(own));
}

} // namespace zcc

#endif
