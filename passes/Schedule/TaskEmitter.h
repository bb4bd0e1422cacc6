// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns one task from a function of tensors into an exec.task: it groups ops
// into kernels, assigns memory to every stored value, and emits the launches in
// order.
#ifndef ZCC_PASSES_SCHEDULE_TASKEMITTER_H
#define ZCC_PASSES_SCHEDULE_TASKEMITTER_H

#include "dialects/Exec/Exec.h"
#include "passes/Schedule/Grouping.h"
#include "passes/Schedule/KernelTable.h"
#include "passes/Schedule/TaskBoundary.h"

namespace zcc {

class TaskEmitter {
public:
  TaskEmitter(mlir::func::FuncOp task, const StageBoundary &facts,
              const exec::Backend &backend, KernelTable &kernels, bool fuse)
      : task(task), facts(facts), backend(backend), kernels(kernels),
        fuse(fuse) {}

  /// Inserts the exec.task before the function and returns it. Only
  /// lowerBoundary() changes the function. Returns null after an error.
  exec::TaskOp run();

private:
  struct Copy {
    mlir::Value source;
    BufferKey target;
  };
  mlir::LogicalResult placeArguments();
  mlir::LogicalResult placeResults(Grouping &groups, TaskGraph &graph);
  void reuseReduced(Grouping &groups, TaskGraph &graph);
  bool mayOverwrite(Grouping &groups, TaskGraph &graph, mlir::Value value,
                    const BufferKey &place);
  const BufferKey &placeOf(mlir::Value base);
  mlir::Value buffer(const BufferKey &place, mlir::Type type);
  mlir::Value buffer(mlir::Value value) {
    return buffer(placeOf(resolveAlias(value)), value.getType());
  }
  void emitKernel(mlir::OpBuilder &builder, const KernelBody &body,
                  const exec::KernelForm &form);
  mlir::LogicalResult emitBarrier(mlir::OpBuilder &builder,
                                  mlir::Operation *op);
  mlir::LogicalResult emitRing(mlir::OpBuilder &builder, dist::RingOp ring);
  /// Creates a new buffer of the task's own.
  mlir::Value temporary(mlir::Type type);
  /// Returns a new name for memory of the task's own.
  BufferKey newTemporary() {
    return {exec::BufferSpace::Temporary, "t" + std::to_string(temporaries++)};
  }

  mlir::func::FuncOp task;
  const StageBoundary &facts;
  const exec::Backend &backend;
  KernelTable &kernels;
  bool fuse;

  exec::TaskOp out;
  llvm::DenseMap<mlir::Value, BufferKey> places; // by value before all aliases
  llvm::StringMap<llvm::SmallVector<mlir::BlockArgument, 1>>
      argumentsOf; // by the name of their memory
  llvm::DenseSet<mlir::Value> gradients;
  llvm::SmallVector<Copy> copiesBefore, copiesAfter;
  std::map<std::tuple<exec::BufferSpace, std::string, const void *>,
           mlir::Value>
      buffers;
  mlir::Operation *lastBuffer = nullptr;
  unsigned temporaries = 0;
};

/// Returns true if a launch of the kernel may write `output` where it reads
/// `input`: each element is read only for the element that takes its place.
bool canUpdateInPlace(const KernelBody &body, const exec::KernelForm &form,
                      mlir::Value input, mlir::Value output);

} // namespace zcc

#endif
