// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which op of the step belongs to which task, and what goes from task to task.
#ifndef ZCC_PASSES_PIPELINE_STEPTASKS_H
#define ZCC_PASSES_PIPELINE_STEPTASKS_H

#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pipeline/CompressResiduals.h"
#include "passes/Pipeline/Declarations.h"
#include "passes/Pipeline/Residuals.h"
#include <tuple>
#include <vector>

namespace zcc {

enum class Part : unsigned {
  Survey,
  Before,
  Forward,
  Backward,
  Weights, // gradients of weights, where they are tasks of their own
  After
};

struct PartInfo {
  llvm::StringLiteral region, kind, name, tag;
};
const PartInfo &getInfo(Part part);

struct StepTask {
  Part part = Part::Forward;
  int64_t stage = 0;
  // Of what runs once the level: it reads what other stages make on earlier
  // ones.
  int64_t chunk = 0;

  llvm::DenseSet<mlir::Operation *> own;
  llvm::SmallVector<mlir::Operation *> again; // computed again, in the order of
                                              // the step
  llvm::SmallVector<mlir::Value> read;        // values of earlier tasks
  llvm::SmallVector<mlir::Value> yields;      // what later tasks read, or its
                                              // accumulator
  // What stands in the task for values that are read in another form, made by
  // ops of `again`.
  llvm::DenseMap<mlir::Value, mlir::Value> expanded;
  llvm::SmallVector<unsigned> results; // of the step
  // Of what a task of weights' gradients reads, or a backward task yields:
  // values of the forward pass that the latter made again.
  llvm::DenseSet<mlir::Value> handed;

  bool runsOnce() const { return part == Part::Before || part == Part::After; }
  bool isBackward() const {
    return part == Part::Backward || part == Part::Weights;
  }
};

class StepTasks {
public:
  // `splitWeights`: what is computed for the gradient of a weight alone is a
  // task of its own.
  explicit StepTasks(mlir::func::FuncOp step, bool splitWeights = false);

  // By region, tag, stage and chunk of the ops. Errors are at ops that read
  // what is not there for them.
  mlir::LogicalResult assign(const Declarations &names);
  // What each task reads of earlier ones and computes again. `wish`: what of
  // the forward pass is kept for the backward pass. `handOver`: of what a task
  // of weights' gradients would compute again (the second) what the backward
  // task (the first) did, too, and hands over; null: nothing.
  using HandOver = llvm::function_ref<llvm::DenseSet<mlir::Operation *>(
      const StepTask &backward, const StepTask &weights)>;
  void findReads(llvm::function_ref<Keep(mlir::Operation *)> wish,
                 HandOver handOver = nullptr);
  // Last task first, what nobody reads is dropped.
  void dropUnread();
  // Then: what backward tasks read of the forward pass is stored in these forms
  // by a task of their stage, where one has it, and expanded before it is read.
  // The ops stand in the step then.
  struct StoredResidual {
    mlir::Value whole;
    StoredForm form;
    llvm::SmallVector<mlir::Value> parts;
  };
  llvm::SmallVector<StoredResidual> compress(const ResidualForms &forms);

  // A task reads only of tasks before it.
  llvm::ArrayRef<StepTask> getTasks() const { return tasks; }
  // All ops of the step but the terminator.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }
  // Those of the forward pass, the sums of its values too.
  llvm::SmallVector<mlir::Operation *> getForward() const;
  // It follows from arguments and constants with a few operations an element.
  bool isFree(mlir::Value v) const { return residuals.isFree(v); }
  // The ops of a task, what it computes again too, in the order of the step.
  llvm::SmallVector<mlir::Operation *> inOrder(const StepTask &task) const;
  bool isBefore(mlir::Operation *a, mlir::Operation *b) const {
    return position.lookup(a) < position.lookup(b);
  }
  // Whether the op expands what was stored in another form.
  bool isExpansion(mlir::Operation *op) const {
    return expansions.contains(op);
  }
  mlir::Value getResult(unsigned i) const;
  // What a task returns for a value that it yields.
  static mlir::Value addend(mlir::Value v);

private:
  // By what is known to be kept so far.
  void findReadsOnce(llvm::function_ref<Keep(mlir::Operation *)> wish,
                     HandOver handOver);
  using Key = std::tuple<Part, int64_t, int64_t>; // part, stage, chunk or level
  mlir::FailureOr<Part> findPart(mlir::Operation *op);
  mlir::FailureOr<Key> findKey(mlir::Operation *op);
  StepTask &storingTask(mlir::Value v, const StepTask &reader);
  // That of the same stage and chunk; null of other tasks than those of
  // weights' gradients.
  StepTask *backwardOf(const StepTask &weights);
  void number();
  bool isTemporal(mlir::Attribute axis);
  bool differs(mlir::Operation *op);
  bool isRemade(mlir::Value v, const StepTask &reader) const;
  void splitWeights();
  void findLevels();
  mlir::LogicalResult orderTasks(llvm::ArrayRef<Key> keys);
  mlir::LogicalResult checkRead(mlir::Operation *reader, const StepTask &task,
                                mlir::Value v);
  const StepTask &taskOf(mlir::Operation *op) const {
    return tasks[taskAt.lookup(op)];
  }

  mlir::func::FuncOp step;
  mlir::Block &block;
  dist::MeshOp mesh;
  const bool weightsApart;
  int64_t microbatches = 1;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> position;
  Residuals residuals;
  std::vector<StepTask> tasks;
  // The task that computes an op; of a dist.accumulate the one that adds.
  llvm::DenseMap<mlir::Operation *, unsigned> taskAt;
  llvm::DenseMap<mlir::Operation *, Key> keyOf;
  llvm::DenseSet<mlir::Operation *> ofMicrobatch; // results differ between them
  llvm::DenseSet<mlir::Operation *> expansions;
};

} // namespace zcc

#endif
