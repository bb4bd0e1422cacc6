// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets the stages advance in turn, each as far as it can, until all are done or
// none can. The time is linear in the actions: a receive is looked at again
// only when the stage's turn comes, and a turn in which no stage advances is
// the last.
#include "passes/Pipeline/ScheduleRun.h"
#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>
#include <set>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

namespace {
struct Stage {
  ScheduleOp schedule;
  Block::iterator next, end;
  // Names are those of attributes.
  DenseMap<std::pair<StringRef, int64_t>, Type> values; // by name, microbatch
  DenseMap<StringRef, Type> shared; // made by tasks that run once
  struct Sum {
    Type type;
    int64_t toCome = 0;                // parts that are missing
    DenseMap<StringRef, int64_t> last; // by task: its last microbatch
  };
  DenseMap<StringRef, Sum> sums;
  DenseSet<std::pair<StringRef, int64_t>> ran; // task, microbatch
  DenseMap<StringRef, int64_t> runs;           // by task
  std::set<StringRef> tasks;
};

// Returns true if the task runs once a step rather than for each microbatch.
bool runsOnce(func::FuncOp func) {
  std::optional<TaskKind> kind = taskKindOf(func);
  return (kind == TaskKind::Prologue || kind == TaskKind::Epilogue) &&
         regionOf(func) != StepRegion::Survey;
}

struct Runner {
  ModuleOp module;
  SymbolTable symbols;
  std::map<int64_t, Stage> stages;
  // Values that were sent and not received yet, by source, target, name and
  // microbatch.
  struct Flying {
    Type type;
    bool isShared; // there for all microbatches
  };
  std::map<std::tuple<int64_t, int64_t, StringRef, int64_t>, Flying> flying;

  LogicalResult collect() {
    for (ScheduleOp schedule : module.getOps<ScheduleOp>()) {
      Stage &stage = stages[schedule.getStage()];
      if (stage.schedule)
        return schedule.emitOpError("is the second of stage ")
               << schedule.getStage();
      stage.schedule = schedule;
      Block &block = schedule.getBody().front();
      stage.next = block.begin();
      stage.end = block.end();
    }
    for (func::FuncOp func : module.getOps<func::FuncOp>()) {
      std::optional<TaskKind> kind = taskKindOf(func);
      if (!kind || *kind == TaskKind::Init)
        continue;
      int64_t stage = func->getAttrOfType<IntegerAttr>(stageAttrName).getInt();
      auto it = stages.find(stage);
      if (it == stages.end())
        return func.emitError("is a task of stage ")
               << stage << ", which has no dist.schedule";
      it->second.tasks.insert(func.getSymName());
    }
    for (auto &[number, stage] : stages)
      for (RunOp run : stage.schedule.getOps<RunOp>())
        if (auto func = symbols.lookup<func::FuncOp>(run.getTask()))
          for (unsigned i = 0; i < func.getNumResults(); ++i)
            if (auto name =
                    func.getResultAttrOfType<StringAttr>(i, accumulateAttrName))
              ++stage.sums[name.getValue()].toCome;
    return success();
  }

  LogicalResult checkMicrobatch(Operation *op, int64_t microbatch,
                                Stage &stage) {
    int64_t count = stage.schedule.getMicrobatches();
    if (microbatch < 0 || microbatch >= count)
      return op->emitOpError("expected a microbatch below ")
             << count << ", found " << microbatch;
    return success();
  }

  LogicalResult checkReads(RunOp op, func::FuncOp func, int64_t microbatch,
                           Stage &stage) {
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      auto name = func.getArgAttrOfType<StringAttr>(i, valueAttrName);
      if (!name)
        continue;
      StringRef text = name.getValue();
      auto value = stage.values.find({text, microbatch});
      auto shared = stage.shared.find(text);
      auto sum = stage.sums.find(text);
      Type found = value != stage.values.end()    ? value->second
                   : shared != stage.shared.end() ? shared->second
                   : sum != stage.sums.end()      ? sum->second.type
                                                  : Type();
      if (!found)
        return op.emitOpError("'")
               << op.getTask() << "' reads '" << text << "' for microbatch "
               << microbatch << ", which is not there yet";
      if (value == stage.values.end() && shared == stage.shared.end() &&
          sum->second.toCome != 0)
        return op.emitOpError("'")
               << op.getTask() << "' reads the sum '" << text << "', of which "
               << sum->second.toCome << " parts are missing";
      if (found != func.getArgumentTypes()[i])
        return op.emitOpError("'")
               << op.getTask() << "' reads '" << text << "' as "
               << func.getArgumentTypes()[i] << ", but it is " << found;
    }
    return success();
  }

  LogicalResult addResults(RunOp op, func::FuncOp func, int64_t microbatch,
                           Stage &stage) {
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      Type type = func.getResultTypes()[i];
      if (auto name = func.getResultAttrOfType<StringAttr>(i, valueAttrName)) {
        StringRef text = name.getValue();
        bool isNew =
            runsOnce(func)
                ? stage.shared.insert({text, type}).second
                : stage.values.insert({{text, microbatch}, type}).second;
        if (!isNew)
          return op.emitOpError("'")
                 << op.getTask() << "' yields '" << name.getValue()
                 << "', which is there already for microbatch " << microbatch;
      } else if (auto name = func.getResultAttrOfType<StringAttr>(
                     i, accumulateAttrName)) {
        Stage::Sum &sum = stage.sums[name.getValue()];
        if (sum.type && sum.type != type)
          return op.emitOpError("'")
                 << op.getTask() << "' adds " << type << " to '"
                 << name.getValue() << "', which is " << sum.type;
        sum.type = type;
        --sum.toCome;
        auto [last, isFirst] = sum.last.insert({op.getTask(), microbatch});
        if (!isFirst && last->second > microbatch)
          return op.emitOpError("'") << op.getTask() << "' adds microbatch "
                                     << microbatch << " to '" << name.getValue()
                                     << "' after microbatch " << last->second;
        last->second = microbatch;
      }
    }
    return success();
  }

  LogicalResult run(RunOp op, int64_t number, Stage &stage) {
    int64_t microbatch = op.getMicrobatch();
    auto func = symbols.lookup<func::FuncOp>(op.getTask());
    if (!func || !stage.tasks.count(op.getTask()))
      return op.emitOpError("runs '")
             << op.getTask() << "', which is no task of stage " << number;
    if (failed(checkMicrobatch(op, microbatch, stage)))
      return failure();
    if (!stage.ran.insert({op.getTask(), microbatch}).second)
      return op.emitOpError("runs '")
             << op.getTask() << "' a second time for microbatch " << microbatch;
    ++stage.runs[op.getTask()];
    return failure(failed(checkReads(op, func, microbatch, stage)) ||
                   failed(addResults(op, func, microbatch, stage)));
  }

  // Returns true if the stage advanced; failure on an error.
  FailureOr<bool> advance(int64_t number, Stage &stage) {
    bool moved = false;
    for (; stage.next != stage.end; ++stage.next, moved = true) {
      Operation *op = &*stage.next;
      if (auto task = dyn_cast<RunOp>(op)) {
        if (failed(run(task, number, stage)))
          return failure();
      } else if (auto send = dyn_cast<SendOp>(op)) {
        int64_t microbatch = send.getMicrobatch(), peer = send.getPeer();
        if (failed(checkMicrobatch(op, microbatch, stage)))
          return failure();
        StringRef text = send.getValue();
        auto value = stage.values.find({text, microbatch});
        auto shared = stage.shared.find(text);
        auto sum = stage.sums.find(text);
        bool isShared = value == stage.values.end();
        Type type = !isShared                      ? value->second
                    : shared != stage.shared.end() ? shared->second
                    : sum != stage.sums.end()      ? sum->second.type
                                                   : Type();
        if (!type)
          return op->emitOpError("sends '")
                 << text << "' of microbatch " << microbatch
                 << ", which is not there yet";
        if (isShared && shared == stage.shared.end() && sum->second.toCome)
          return op->emitOpError("sends the sum '")
                 << text << "', of which " << sum->second.toCome
                 << " parts are missing";
        if (!stages.count(peer) || peer == number)
          return op->emitOpError("sends to stage ")
                 << peer << ", which is no other stage";
        if (!flying.insert({{number, peer, text, microbatch}, {type, isShared}})
                 .second)
          return op->emitOpError("sends '")
                 << send.getValue() << "' of microbatch " << microbatch
                 << " a second time";
      } else if (auto receive = dyn_cast<ReceiveOp>(op)) {
        int64_t microbatch = receive.getMicrobatch();
        if (failed(checkMicrobatch(op, microbatch, stage)))
          return failure();
        StringRef text = receive.getValue();
        auto it = flying.find({receive.getPeer(), number, text, microbatch});
        if (it == flying.end())
          return moved;
        if (it->second.isShared)
          stage.shared[text] = it->second.type;
        else
          stage.values[{text, microbatch}] = it->second.type;
        flying.erase(it);
      } else {
        return op->emitOpError("is no action");
      }
    }
    return moved;
  }

  LogicalResult run() {
    if (failed(collect()))
      return failure();
    for (bool moved = true; moved;) {
      moved = false;
      for (auto &[number, stage] : stages) {
        FailureOr<bool> result = advance(number, stage);
        if (failed(result))
          return failure();
        moved |= *result;
      }
    }
    for (auto &[number, stage] : stages) {
      if (stage.next != stage.end)
        return stage.next->emitOpError("waits forever in stage ")
               << number << ": what it receives is never sent";
      for (StringRef task : stage.tasks) {
        int64_t runs = stage.runs.lookup(task),
                expected = stage.schedule.getMicrobatches();
        if (runs == 0)
          return stage.schedule.emitOpError("never runs '")
                 << task << "', a task of stage " << number;
        if (runsOnce(symbols.lookup<func::FuncOp>(task)))
          expected = 1;
        if (runs != expected)
          return stage.schedule.emitOpError("runs '")
                 << task << "' for " << runs << " microbatches, expected "
                 << expected;
      }
    }
    for (auto &[key, value] : flying)
      return module.emitError("'")
             << std::get<2>(key) << "' of microbatch " << std::get<3>(key)
             << " is sent from stage " << std::get<0>(key) << " to stage "
             << std::get<1>(key) << " and never received";
    return success();
  }
};
} // namespace

LogicalResult zcc::runSchedules(ModuleOp module) {
  return Runner{module, SymbolTable(module), {}, {}}.run();
}
