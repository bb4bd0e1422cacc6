// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collective that a task begins with may as well end the task before it:
// there it can run beside the computation that makes what it sends. So
// gradients are reduced while the backward pass still runs, though they are of
// the update.
//
// What moves is collectives, and kernels that only lead to them, all of whose
// operands are there when the task before ends. What the rest of the task reads
// of it becomes a value that goes from task to task.
#include "dialects/Exec/Steps.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/Schedule.h"
#include "llvm/ADT/StringSet.h"

namespace zcc {

#define GEN_PASS_DEF_HOISTCOLLECTIVES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

class Hoister {
public:
  /// `values`: names that are taken.
  Hoister(const TaskInfo &from, const TaskInfo &into, llvm::StringSet<> &values)
      : from(from), into(into), values(values), isMoved(from.steps.size()) {}

  bool run() {
    findMovable();
    keepWhatLeads();
    if (llvm::none_of(isMoved, [](bool moved) { return moved; }))
      return false;
    move();
    return true;
  }

private:
  static bool mayMove(Operation *step) {
    return isa<exec::CollectiveOp, exec::BucketOp, exec::LaunchOp,
               exec::CopyOp>(step);
  }

  template <typename Visit> void forEachAccess(unsigned step, Visit visit) {
    exec::forEachAccess(from.steps[step], [&](Value value, bool writes) {
      visit(from.byValue.lookup(value), writes);
    });
  }

  // In order: nothing that stays, and comes before, may touch what a moved step
  // writes, or write what it touches. What has a place for the whole step of
  // training is there at all times.
  void findMovable() {
    std::vector<bool> read(from.buffers.size()), written(from.buffers.size()),
        made(from.buffers.size());
    for (unsigned i = 0; i < from.steps.size(); ++i) {
      bool moves = mayMove(from.steps[i]);
      forEachAccess(i, [&](unsigned buffer, bool writes) {
        StringRef space = spaceOf(buffer);
        moves &= !written[buffer] && !(writes && read[buffer]);
        if (!writes)
          moves &= made[buffer] || space != "temporary";
        // State, outputs and accumulators stay as they are until the task runs.
        else
          moves &= space == "temporary";
      });
      isMoved[i] = moves;
      forEachAccess(i, [&](unsigned buffer, bool writes) {
        if (moves)
          made[buffer] = made[buffer] || writes;
        else
          (writes ? written : read)[buffer] = true;
      });
    }
  }

  /// It makes no more than it takes: what a gather needs is needed later.
  static bool frees(Operation *step) {
    int64_t freed = 0;
    exec::forEachAccess(step, [&](Value value, bool writes) {
      int64_t bytes = cast<exec::BufferType>(value.getType()).getBytes();
      freed += writes ? -bytes : bytes;
    });
    return freed >= 0;
  }

  // Kernels that no moved collective needs stay.
  void keepWhatLeads() {
    std::vector<bool> wanted(from.buffers.size());
    for (unsigned i = from.steps.size(); i-- > 0;) {
      if (!isMoved[i])
        continue;
      bool leads = exec::communicates(from.steps[i]) && frees(from.steps[i]);
      forEachAccess(i, [&](unsigned buffer, bool writes) {
        leads |= writes && wanted[buffer];
      });
      isMoved[i] = leads;
      if (leads)
        forEachAccess(i, [&](unsigned buffer, bool writes) {
          if (!writes)
            wanted[buffer] = true;
        });
    }
  }

  void move() {
    std::vector<bool> moved(from.buffers.size()), stays(from.buffers.size());
    for (unsigned i = 0; i < from.steps.size(); ++i)
      forEachAccess(i, [&](unsigned buffer, bool) {
        (isMoved[i] ? moved : stays)[buffer] = true;
      });
    exec::TaskOp task = into.op;
    Block &body = task.getBody().front();
    OpBuilder b = OpBuilder::atBlockEnd(&body);
    DenseMap<Value, Value> map;
    llvm::StringSet<> names;
    for (const TaskBuffer &buffer : into.buffers) {
      exec::BufferOp first = buffer.ops.front();
      names.insert(first.getName());
    }
    for (unsigned i = 0; i < from.buffers.size(); ++i) {
      if (!moved[i])
        continue;
      exec::BufferOp first = from.buffers[i].ops.front();
      bool isTemporary = first.getSpace() == "temporary";
      std::string name = first.getName().str();
      if (isTemporary)
        name = unique(stays[i] ? values : names, name);
      for (exec::BufferOp op : from.buffers[i].ops) {
        if (isTemporary)
          op.setName(name);
        if (isTemporary && stays[i])
          op.setSpace("value");
        map[op] = b.clone(*op)->getResult(0);
      }
    }
    for (unsigned i = 0; i < from.steps.size(); ++i) {
      if (!isMoved[i])
        continue;
      Operation *step = from.steps[i];
      step->moveBefore(&body, body.end());
      step->walk([&](Operation *op) {
        for (OpOperand &operand : op->getOpOperands())
          operand.set(map.lookup(operand.get()));
      });
    }
    for (const TaskBuffer &buffer : from.buffers)
      for (exec::BufferOp op : buffer.ops)
        if (op.getResult().use_empty())
          op.erase();
  }

  static std::string unique(llvm::StringSet<> &taken, const std::string &name) {
    std::string own = name;
    for (unsigned i = 2; !taken.insert(own).second; ++i)
      own = name + "#" + std::to_string(i);
    return own;
  }

  StringRef spaceOf(unsigned buffer) {
    exec::BufferOp first = from.buffers[buffer].ops.front();
    return first.getSpace();
  }

  const TaskInfo &from, &into;
  llvm::StringSet<> &values;
  std::vector<bool> isMoved; // by step
};

struct HoistCollectives : impl::HoistCollectivesBase<HoistCollectives> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringSet<> values;
    module.walk([&](exec::BufferOp buffer) {
      if (buffer.getSpace() == "value")
        values.insert(buffer.getName());
    });
    for (auto table : module.getOps<dist::ScheduleOp>())
      if (failed(runOnTable(module, table, values)))
        return signalPassFailure();
  }

  /// Last tasks first, so that what moves twice does.
  LogicalResult runOnTable(ModuleOp module, dist::ScheduleOp table,
                           llvm::StringSet<> &values) {
    FailureOr<StageTimeline> timeline = failure();
    std::map<int, unsigned> runs;
    for (unsigned last = 0;; ++last) {
      if (failed(timeline)) { // or steps have moved
        timeline = StageTimeline::build(module, table);
        if (failed(timeline))
          return failure();
        runs.clear();
        for (const TimelineAction &action : timeline->actions)
          ++runs[action.task];
      }
      ArrayRef<TimelineAction> actions = timeline->actions;
      if (last + 1 >= actions.size())
        return success();
      const TimelineAction &from = actions[actions.size() - 1 - last],
                           &into = actions[actions.size() - 2 - last];
      if (from.task < 0 || into.task < 0 || runs[from.task] != 1 ||
          runs[into.task] != 1)
        continue;
      if (Hoister(timeline->tasks[from.task], timeline->tasks[into.task],
                  values)
              .run())
        timeline = failure();
    }
  }
};

} // namespace
} // namespace zcc
