// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns each op of the step to a task, and finds the values that go from task
// to task.
#ifndef ZCC_PASSES_PIPELINE_STEPTASKS_H
#define ZCC_PASSES_PIPELINE_STEPTASKS_H

#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pipeline/Declarations.h"
#include "passes/Pipeline/ResidualFormats.h"
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
  dist::StepRegion region;
  dist::TaskKind kind;
  llvm::StringLiteral name;
  train::Tag tag;
};
const PartInfo &getInfo(Part part);

struct StepTask {
  Part part = Part::Forward;
  int64_t stage = 0;
  // Tasks that run once a step have their level here: they read values that
  // other stages make on lower levels.
  int64_t chunk = 0;

  llvm::DenseSet<mlir::Operation *> own;
  // Ops that the task computes again, in the order of the step.
  llvm::SmallVector<mlir::Operation *> again;
  llvm::SmallVector<mlir::Value> read;        // values of earlier tasks
  // The values that later tasks read, or their accumulators.
  llvm::SmallVector<mlir::Value> yields;
  // For a value that is stored in another form: the value that ops of `again`
  // expand from that form.
  llvm::DenseMap<mlir::Value, mlir::Value> expanded;
  // Results of the step that the task returns.
  llvm::SmallVector<unsigned> results;
  // Values of the forward pass that a backward task computed again and yields
  // to the task of weights' gradients, which reads them.
  llvm::DenseSet<mlir::Value> handed;

  bool runsOnce() const { return part == Part::Before || part == Part::After; }
  bool isBackward() const {
    return part == Part::Backward || part == Part::Weights;
  }
};

class StepTasks {
public:
  // `splitWeights`: ops that are computed for the gradient of a weight alone
  // make a task of their own.
  explicit StepTasks(mlir::func::FuncOp step, bool splitWeights = false);

  // Assigns ops to tasks by their region, tag, stage and chunk. It is an error,
  // at the reader, if an op reads a value that is not there for it.
  mlir::LogicalResult assign(const Declarations &names);
  // Finds what each task reads of earlier tasks and what it computes again.
  // `wish` has the fates of values of the forward pass. `handOver` returns
  // the ops whose results the backward task hands over to the task of weights'
  // gradients, of those that both would compute again; null: none.
  using HandOver = llvm::function_ref<llvm::DenseSet<mlir::Operation *>(
      const StepTask &backward, const StepTask &weights)>;
  // A value that one task of the backward pass reads, no task of its stage
  // computes again.
  void findReads(FateWish wish, HandOver handOver = nullptr);
  // Drops values that no task reads, from the last task to the first.
  void dropUnread();
  // To be called after dropUnread(). Stores values that backward tasks read of
  // the forward pass in these formats, in a task of the reader's stage if one
  // has the value. Expands them before they are read. The new ops are added to
  // the step.
  struct StoredResidual {
    mlir::Value whole;
    planning::NumberFormat format;
    llvm::SmallVector<mlir::Value> parts;
  };
  llvm::SmallVector<StoredResidual> compress(const ResidualFormats &formats);

  // Returns the tasks in order: a task reads only of tasks before it.
  llvm::ArrayRef<StepTask> getTasks() const { return tasks; }
  // Returns all ops of the step but the terminator.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }
  // Returns the ops of the forward pass, sums of its values included.
  llvm::SmallVector<mlir::Operation *> getForward() const;
  // Returns true if `v` follows from arguments and constants with a few
  // operations an element.
  bool isFree(mlir::Value v) const { return residuals.isFree(v); }
  // Sets how much tasks compute again; as on CPUs if it is not called.
  void setLimits(const RecomputeLimits &limits) { residuals.setLimits(limits); }
  // Returns true if the kernels that read the op's result may compute it again.
  bool isFused(mlir::Operation *op) const { return residuals.isFused(op); }
  // Returns the ops of a task and those that it computes again, in the order of
  // the step.
  llvm::SmallVector<mlir::Operation *> inOrder(const StepTask &task) const;
  bool isBefore(mlir::Operation *a, mlir::Operation *b) const {
    return position.lookup(a) < position.lookup(b);
  }
  // Returns true if the op expands a value that was stored in another form.
  bool isExpansion(mlir::Operation *op) const {
    return expansions.contains(op);
  }
  mlir::Value getResult(unsigned i) const;
  // Returns the result of a task for a value that it yields: of a sum, the
  // term.
  static mlir::Value addend(mlir::Value v);

private:
  // Runs findReads() once, with the values that are known to be kept so far.
  void findReadsOnce(FateWish wish, HandOver handOver);
  bool hasTwoFates() const;
  using Key = std::tuple<Part, int64_t, int64_t>; // part, stage, chunk or level
  mlir::FailureOr<Part> findPart(mlir::Operation *op);
  mlir::FailureOr<Key> findKey(mlir::Operation *op);
  StepTask &storingTask(mlir::Value v, const StepTask &reader);
  // Returns the backward task of the same stage and chunk; null if `weights` is
  // not a task of weights' gradients.
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
  // The task that computes an op; for a dist.accumulate the task that adds.
  llvm::DenseMap<mlir::Operation *, unsigned> taskAt;
  llvm::DenseMap<mlir::Operation *, Key> keyOf;
  llvm::DenseSet<mlir::Operation *> ofMicrobatch; // results differ between them
  llvm::DenseSet<mlir::Operation *> expansions;
};

} // namespace zcc

#endif
