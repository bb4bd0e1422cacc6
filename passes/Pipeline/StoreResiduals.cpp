// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decider that narrows values, and StepTasks::compress, which carries it
// out. The ops that store a residual are right after it in the step, so that
// the whole value is freed as early as without them. The ops that expand it are
// right before its first reader in the backward task.
#include "dialects/Train/NumberFormats.h"
#include "dialects/Train/Train.h"
#include "passes/Pipeline/Fates.h"
#include "passes/Pipeline/StepTasks.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

// Returns a forward task of the reader's stage that has the value, first of all
// the one that makes it; else the task that makes it.
StepTask &StepTasks::storingTask(Value v, const StepTask &reader) {
  StepTask &own = tasks[taskAt.lookup(v.getDefiningOp())];
  if (own.stage == reader.stage)
    return own;
  for (StepTask &task : tasks)
    if (task.part == Part::Forward && task.stage == reader.stage &&
        llvm::is_contained(task.read, v))
      return task;
  return own;
}

// Calls `make` and returns the ops that it made at `b`. They belong to the task
// of `like`.
template <typename Make>
static SmallVector<Operation *> makeOps(OpBuilder &b, Operation *like,
                                        train::Tag tag, Make make) {
  Operation *before = b.getInsertionPoint() == b.getBlock()->begin()
                          ? nullptr
                          : &*std::prev(b.getInsertionPoint());
  make();
  SmallVector<Operation *> made;
  auto first =
      before ? std::next(before->getIterator()) : b.getBlock()->begin();
  for (Operation &op : llvm::make_range(first, b.getInsertionPoint())) {
    train::setTag(&op, tag);
    for (StringRef name : {regionAttrName, stageAttrName, chunkAttrName})
      if (Attribute own = like->getAttr(name))
        op.setAttr(name, own);
    made.push_back(&op);
  }
  return made;
}

SmallVector<StepTasks::StoredResidual>
StepTasks::compress(const ResidualFormats &formats) {
  // This walks in the order of the step.
  DenseSet<Value> wanted, compared;
  for (StepTask &task : tasks) {
    if (!task.isBackward())
      continue;
    for (Value v : task.read)
      if (!task.handed.contains(v) &&
          taskOf(v.getDefiningOp()).part == Part::Forward &&
          !isa<AccumulateOp>(v.getDefiningOp()) &&
          !v.getDefiningOp()->hasAttr(categoryAttrName) && formats.of(v))
        wanted.insert(v);
    DenseSet<Operation *> all(task.own);
    all.insert(task.again.begin(), task.again.end());
    DenseSet<Value> own = findCompared(all);
    compared.insert(own.begin(), own.end());
  }
  SmallVector<StoredResidual> stored;
  for (Operation *op : ops)
    for (Value v : op->getResults())
      if (wanted.contains(v) && !compared.contains(v))
        stored.push_back({v, *formats.of(v), {}});

  OpBuilder b(step);
  for (StoredResidual &residual : stored) {
    Value v = residual.whole;
    Operation *op = v.getDefiningOp();
    b.setInsertionPointAfter(op);
    SmallVector<Operation *> narrows =
        makeOps(b, op, getInfo(Part::Forward).tag,
                [&] { residual.parts = train::encode(b, v, residual.format); });
    Value again;
    SmallVector<Operation *> widens =
        makeOps(b, op, getInfo(Part::Backward).tag, [&] {
          again = train::decode(b, v.getLoc(), residual.parts, residual.format,
                                train::tensorType(v));
        });
    expansions.insert(widens.begin(), widens.end());
    for (Operation *made : narrows)
      taskAt[made] = taskAt[op];
    for (StepTask &task : tasks) {
      if (!task.isBackward() || task.handed.contains(v) ||
          !llvm::is_contained(task.read, v))
        continue;
      llvm::erase(task.read, v);
      llvm::append_range(task.read, residual.parts);
      task.again.append(widens.begin(), widens.end());
      task.expanded[v] = again;
      StepTask &from = storingTask(v, task);
      from.own.insert(narrows.begin(), narrows.end());
      for (Value part : residual.parts)
        if (!llvm::is_contained(from.yields, part))
          from.yields.push_back(part);
    }
    if (llvm::none_of(tasks, [&](const StepTask &task) {
          return llvm::is_contained(task.read, v) && !task.handed.contains(v);
        }))
      llvm::erase(tasks[taskAt[op]].yields, v);
  }
  ops.clear();
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  number();
  return stored;
}

namespace {
// Narrows the kept values that have a format.
class Narrow : public FateDecider {
public:
  explicit Narrow(const FateRequest &request) : formats(request.formats) {}

  StringRef getName() const override { return "formats"; }

  LogicalResult decide(Fates &fates) override {
    StepTasks &tasks = fates.getTasks();
    tasks.dropUnread();
    fates.takeFromTasks();
    fates.narrowed = tasks.compress(formats);
    for (const StepTasks::StoredResidual &own : fates.narrowed)
      fates.set(own.whole.getDefiningOp(), planning::Fate::Narrowed);
    return success();
  }

private:
  const ResidualFormats &formats;
};
} // namespace

std::unique_ptr<FateDecider> zcc::createNarrow(const FateRequest &request) {
  return std::make_unique<Narrow>(request);
}
