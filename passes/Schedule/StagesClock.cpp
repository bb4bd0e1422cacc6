// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/StagesClock.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Exec/Steps.h"
#include <limits>
#include <map>

using namespace mlir;

namespace zcc {

namespace {

class StagesClock {
public:
  StagesClock(ModuleOp module, StepTimer &timer) : timer(timer) {
    module.walk([&](exec::BufferOp buffer) {
      if (buffer.getSpace() != exec::BufferSpace::Value)
        return;
      double &bytes = valueBytes[buffer.getName()];
      bytes = std::max(bytes, static_cast<double>(buffer.getEndByte()));
    });
    for (auto task : module.getOps<exec::TaskOp>())
      tasks[task.getSymName()].steps = timer.ofTask(task.getBody().front());
    for (auto table : module.getOps<dist::ScheduleOp>()) {
      Block &block = table.getBody().front();
      stages.push_back(
          {static_cast<int64_t>(table.getStage()),
           block.empty() ? nullptr : &block.front(),
           planning::StreamClock(timer.model().dispatchSeconds())});
    }
  }

  StagesTimes run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Stage &stage : stages)
        while (stage.next && advance(stage))
          moved = true;
    }
    StagesTimes out;
    for (Stage &stage : stages) {
      stage.clock.join();
      out.end =
          std::max(out.end, stage.next ? std::numeric_limits<double>::infinity()
                                       : stage.clock.now());
      out.busy += stage.clock.now() - stage.clock.sums().idle;
    }
    for (const auto &entry : tasks)
      if (entry.second.runs > 0)
        out.ofRun[entry.getKey()] = entry.second.seconds / entry.second.runs;
    return out;
  }

private:
  struct Task {
    std::vector<planning::TimedStep> steps;
    double seconds = 0, runs = 0; // of all runs, and their number
  };
  struct Stage {
    int64_t number;
    Operation *next;
    planning::StreamClock clock;
    double linkFree = 0; // its transfers cross it one by one
  };

  /// Returns false if a value that the next action receives was not sent.
  bool advance(Stage &stage) {
    if (auto event = exec::getEvent(stage.next))
      stage.clock.record(*event);
    if (auto run = dyn_cast<dist::RunOp>(stage.next)) {
      Task &task = tasks[run.getTask()];
      double begin = stage.clock.now();
      for (const planning::TimedStep &step : task.steps)
        stage.clock.play(step);
      task.seconds += stage.clock.now() - begin;
      ++task.runs;
    } else {
      stage.clock.waitFor(exec::getWaits(stage.next).vec());
    }
    if (auto send = dyn_cast<dist::SendOp>(stage.next)) {
      const distribute::CollectiveAccounts &accounts = timer.accounts();
      auto peer = static_cast<int64_t>(send.getPeer());
      stage.linkFree =
          std::max(stage.clock.now(), stage.linkFree) +
          timer.model().sendSeconds(accounts.rankOfStage(stage.number),
                                    accounts.rankOfStage(peer),
                                    valueBytes.lookup(send.getValue()));
      arrivals[{peer, send.getValue(), send.getMicrobatch()}] = stage.linkFree;
    } else if (auto receive = dyn_cast<dist::ReceiveOp>(stage.next)) {
      auto at = arrivals.find(
          {stage.number, receive.getValue(), receive.getMicrobatch()});
      if (at == arrivals.end())
        return false;
      stage.clock.waitUntil(at->second);
      stage.clock.holdHost();
    }
    stage.next = stage.next->getNextNode();
    return true;
  }

  StepTimer &timer;
  llvm::StringMap<Task> tasks;
  llvm::StringMap<double> valueBytes;
  std::vector<Stage> stages;
  // When values arrive, by receiving stage, value and microbatch.
  std::map<std::tuple<int64_t, StringRef, int64_t>, double> arrivals;
};

} // namespace

StagesTimes playStages(ModuleOp module, StepTimer &timer) {
  return StagesClock(module, timer).run();
}

} // namespace zcc
