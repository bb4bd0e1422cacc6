// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/StagesClock.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Exec/Steps.h"
#include <limits>

using namespace mlir;

namespace zcc {

StagesClock::StagesClock(ModuleOp module, StepTimer &timer) : timer(timer) {
  module.walk([&](exec::BufferOp buffer) {
    if (buffer.getSpace() != exec::BufferSpace::Value)
      return;
    double &bytes = valueBytes[buffer.getName()];
    bytes = std::max(bytes, static_cast<double>(buffer.getEndByte()));
  });
  for (auto table : module.getOps<dist::ScheduleOp>()) {
    Block &block = table.getBody().front();
    auto number = static_cast<int64_t>(table.getStage());
    stages.push_back({table, number, timer.accounts().rankOfStage(number),
                      block.empty() ? nullptr : &block.front(),
                      planning::StreamClock(timer.model().dispatchSeconds())});
  }
}

void StagesClock::playTables() {
  for (bool moved = true; moved;) {
    moved = false;
    for (Stage &stage : stages)
      while (stage.next && advance(stage))
        moved = true;
  }
}

bool StagesClock::advance(Stage &stage) {
  if (auto event = exec::getEvent(stage.next))
    stage.clock.record(*event);
  if (auto run = dyn_cast<dist::RunOp>(stage.next))
    playTask(stage, run);
  else
    stage.clock.waitFor(exec::getWaits(stage.next).vec());
  if (auto op = dyn_cast<dist::SendOp>(stage.next))
    send(stage, op);
  else if (auto op = dyn_cast<dist::ReceiveOp>(stage.next);
           op && !receive(stage, op))
    return false;
  stage.next = stage.next->getNextNode();
  return true;
}

void StagesClock::send(Stage &stage, dist::SendOp send) {
  auto peer = static_cast<int64_t>(send.getPeer());
  double bytes = bytesOf(send.getValue());
  double seconds = timer.model().sendSeconds(
      stage.rank, timer.accounts().rankOfStage(peer), bytes);
  double begin = std::max(stage.clock.now(), stage.linkFree);
  stage.linkFree = begin + seconds;
  stage.clock.addTransfer(seconds, bytes);
  arrivals[{peer, send.getValue().str(), send.getMicrobatch()}] =
      stage.linkFree;
  noteSend(stage, send, begin, seconds);
}

bool StagesClock::receive(Stage &stage, dist::ReceiveOp receive) {
  auto at = arrivals.find(
      {stage.number, receive.getValue().str(), receive.getMicrobatch()});
  if (at == arrivals.end())
    return false;
  noteReceive(stage, receive, at->second);
  stage.clock.waitUntil(at->second);
  stage.clock.holdHost();
  return true;
}

namespace {

/// Adds up the times of stages and of the runs of tasks.
class TimedStages : public StagesClock {
public:
  TimedStages(ModuleOp module, StepTimer &timer) : StagesClock(module, timer) {
    for (auto task : module.getOps<exec::TaskOp>())
      tasks[task.getSymName()].steps = timer.ofTask(task.getBody().front());
  }

  StagesTimes run() {
    playTables();
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

  void playTask(Stage &stage, dist::RunOp run) override {
    Task &task = tasks[run.getTask()];
    double begin = stage.clock.now();
    for (const planning::TimedStep &step : task.steps)
      stage.clock.play(step);
    task.seconds += stage.clock.now() - begin;
    ++task.runs;
  }

  llvm::StringMap<Task> tasks;
};

} // namespace

StagesTimes playStages(ModuleOp module, StepTimer &timer) {
  return TimedStages(module, timer).run();
}

} // namespace zcc
