// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connects a task with the rest of the step: the memory behind its arguments
// and results, and the tasks that read it.
#ifndef ZCC_PASSES_SCHEDULE_TASKBOUNDARY_H
#define ZCC_PASSES_SCHEDULE_TASKBOUNDARY_H

#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace zcc {

/// A named piece of memory of a stage; see exec.buffer.
struct BufferKey {
  exec::BufferSpace space = exec::BufferSpace::Temporary;
  std::string name;
  dist::MemoryCategory category = dist::MemoryCategory::Temporary;
  MemorySpace memory = MemorySpace::Device;
  bool operator==(const BufferKey &other) const {
    return space == other.space && name == other.name;
  }
};

/// Returns the name in one of the attributes dist.state, dist.value, ... of an
/// argument or result: a symbol, a string, or "" for a unit attribute.
llvm::StringRef boundaryName(mlir::Attribute attribute);

/// Facts of a stage, gathered from all of its tasks.
class StageBoundary {
public:
  explicit StageBoundary(mlir::ModuleOp module, int64_t stage);

  llvm::ArrayRef<mlir::func::FuncOp> tasks() const { return stageTasks; }
  dist::ScheduleOp schedule() const { return table; }
  /// Returns the reduction that adds parts to an accumulator.
  train::ReduceKind reductionOf(llvm::StringRef value) const {
    auto it = reductions.find(value);
    return it == reductions.end() ? train::ReduceKind::add : it->second;
  }
  /// Returns true if no action reads `value` (or a sum of that name) after
  /// `task`, which runs once and reads it.
  bool isLastRead(mlir::func::FuncOp task, llvm::StringRef value) const;
  /// Return the memory behind an argument or a result of a task; nullopt if no
  /// attribute says which.
  std::optional<BufferKey> argumentPlace(mlir::func::FuncOp task,
                                         unsigned index) const;
  std::optional<BufferKey> resultPlace(mlir::func::FuncOp task,
                                       unsigned index) const;
  bool isGradient(llvm::StringRef value) const {
    return gradients.contains(value);
  }

private:
  BufferKey valuePlace(llvm::StringRef name) const;
  BufferKey statePlace(llvm::StringRef name) const;

  mlir::ModuleOp module;
  llvm::SmallVector<mlir::func::FuncOp> stageTasks;
  dist::ScheduleOp table;
  llvm::StringSet<> sent, gradients;
  llvm::StringMap<MemorySpace> stateSpaces, valueSpaces; // where they live
  llvm::StringMap<dist::MemoryCategory> categories;      // of values with one
  llvm::StringMap<std::optional<dist::MovedKind>> accumulators; // the sum's
  llvm::StringMap<train::ReduceKind> reductions; // by accumulator
  llvm::StringMap<llvm::SmallVector<mlir::func::FuncOp, 1>> readers;
  llvm::StringMap<StateKind> stateKinds;
};

/// Returns the values of a task that are reduced or observed gradients.
llvm::DenseSet<mlir::Value> findGradients(mlir::func::FuncOp task);

/// Rewrites a task so that only train ops, collectives and observations are
/// left. dist.coordinate becomes arithmetic on an argument with
/// dist.coordinates. Accumulated values are combined with an argument with
/// dist.accumulate. Concatenations of many values become trees. Fails after
/// reporting an error.
mlir::LogicalResult lowerBoundary(mlir::func::FuncOp task);

} // namespace zcc

#endif
