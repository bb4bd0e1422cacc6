// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/StagesClock.h"
#include "dialects/Exec/Exec.h"
#include <map>

using namespace mlir;

namespace zcc {

namespace {

class StagesClock {
public:
  StagesClock(ModuleOp module, const llvm::StringMap<double> &ofRun,
              const StepTimer &timer)
      : ofRun(ofRun), timer(timer) {
    module.walk([&](exec::BufferOp buffer) {
      if (buffer.getSpace() != exec::BufferSpace::Value)
        return;
      double &bytes = valueBytes[buffer.getName()];
      bytes = std::max(bytes, static_cast<double>(buffer.getEndByte()));
    });
    for (auto table : module.getOps<dist::ScheduleOp>()) {
      Block &block = table.getBody().front();
      stages.push_back({static_cast<int64_t>(table.getStage()),
                        block.empty() ? nullptr : &block.front()});
    }
  }

  double run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Stage &stage : stages)
        while (stage.next && advance(stage))
          moved = true;
    }
    double end = 0;
    for (const Stage &stage : stages)
      end = std::max(end, stage.now);
    return end;
  }

private:
  struct Stage {
    int64_t number;
    Operation *next;
    double now = 0, linkFree = 0; // its transfers cross it one by one
  };

  /// Returns false if a value that the next action receives was not sent.
  bool advance(Stage &stage) {
    const distribute::CollectiveAccounts &accounts = timer.accounts();
    if (auto run = dyn_cast<dist::RunOp>(stage.next)) {
      stage.now += ofRun.lookup(run.getTask());
    } else if (auto send = dyn_cast<dist::SendOp>(stage.next)) {
      auto peer = static_cast<int64_t>(send.getPeer());
      stage.linkFree =
          std::max(stage.now, stage.linkFree) +
          timer.model().sendSeconds(accounts.rankOfStage(stage.number),
                                    accounts.rankOfStage(peer),
                                    valueBytes.lookup(send.getValue()));
      arrivals[{peer, send.getValue(), send.getMicrobatch()}] = stage.linkFree;
    } else if (auto receive = dyn_cast<dist::ReceiveOp>(stage.next)) {
      auto at = arrivals.find(
          {stage.number, receive.getValue(), receive.getMicrobatch()});
      if (at == arrivals.end())
        return false;
      stage.now = std::max(stage.now, at->second);
    }
    stage.next = stage.next->getNextNode();
    return true;
  }

  const llvm::StringMap<double> &ofRun;
  const StepTimer &timer;
  llvm::StringMap<double> valueBytes;
  std::vector<Stage> stages;
  // When values arrive, by receiving stage, value and microbatch.
  std::map<std::tuple<int64_t, StringRef, int64_t>, double> arrivals;
};

} // namespace

double playStages(ModuleOp module, const llvm::StringMap<double> &ofRun,
                  const StepTimer &timer) {
  return StagesClock(module, ofRun, timer).run();
}

} // namespace zcc
