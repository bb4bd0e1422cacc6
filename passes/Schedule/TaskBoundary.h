// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands between a task and the rest of the step: the memory behind its
// arguments and results, and who else reads it.
#ifndef ZCC_PASSES_SCHEDULE_TASKBOUNDARY_H
#define ZCC_PASSES_SCHEDULE_TASKBOUNDARY_H

#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace zcc {

/// A named piece of memory of a stage; see exec.buffer.
struct Place {
  std::string space, name, category;
  bool isOnHost = false; // else in the device's memory
  bool operator==(const Place &other) const {
    return space == other.space && name == other.name;
  }
};

/// The name in one of the attributes dist.state, dist.value, ... of an argument
/// or result: a symbol, a string, or empty for a unit attribute.
llvm::StringRef boundaryName(mlir::Attribute attribute);

/// Facts of a stage, gathered from all of its tasks.
class StageFacts {
public:
  explicit StageFacts(mlir::ModuleOp module, int64_t stage);

  llvm::ArrayRef<mlir::func::FuncOp> tasks() const { return stageTasks; }
  dist::ScheduleOp schedule() const { return table; }
  bool isAccumulator(llvm::StringRef value) const {
    return accumulators.contains(value);
  }
  /// How an accumulator takes its parts in.
  train::ReduceKind reductionOf(llvm::StringRef value) const {
    auto it = reductions.find(value);
    return it == reductions.end() ? train::ReduceKind::add : it->second;
  }
  /// True if no action reads `value` (or a sum of that name) after `task`,
  /// which runs once and reads it.
  bool isLastRead(mlir::func::FuncOp task, llvm::StringRef value) const;
  /// The memory behind an argument of a task; no space if it has no attribute
  /// that says so.
  Place argumentPlace(mlir::func::FuncOp task, unsigned index) const;
  Place resultPlace(mlir::func::FuncOp task, unsigned index) const;
  bool isGradient(llvm::StringRef value) const {
    return gradients.contains(value);
  }

private:
  Place valuePlace(llvm::StringRef name) const;
  Place statePlace(llvm::StringRef name) const;

  mlir::ModuleOp module;
  llvm::SmallVector<mlir::func::FuncOp> stageTasks;
  dist::ScheduleOp table;
  llvm::StringSet<> sent, gradients;
  llvm::StringSet<> hostStates, offloaded;   // what lies in the host's memory
  llvm::StringMap<std::string> categories;   // of values that say so
  llvm::StringMap<std::string> accumulators; // what they sum up; "" unknown
  llvm::StringMap<train::ReduceKind> reductions; // of accumulators
  llvm::StringMap<llvm::SmallVector<mlir::func::FuncOp, 1>> readers;
  llvm::StringMap<std::string> stateKinds;
};

/// Values of a task that are reduced or observed gradients.
llvm::DenseSet<mlir::Value> findGradients(mlir::func::FuncOp task);

/// Rewrites a task so that nothing but train ops, collectives and observations
/// are left: dist.coordinate becomes arithmetic on an argument with
/// dist.coordinates; what accumulates is taken into an argument with
/// dist.accumulate; concatenations of many values become trees.
mlir::LogicalResult lowerBoundary(mlir::func::FuncOp task);

} // namespace zcc

#endif
