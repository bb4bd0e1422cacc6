// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays all tables at once, each task for as many ticks as it has steps, which
// gives all actions one order. A sent value must live until the receive in that
// order. A step that overwrites it comes later in that order than the receive
// that it waits for. So stages never wait for each other in a circle, wherever
// values lie in memory.
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/Exec.h"
#include "mlir/Pass/Pass.h"
#include "passes/Schedule/Schedule.h"
#include <map>
#include <queue>

namespace zcc {
using namespace mlir;
#define GEN_PASS_DEF_HOLDSENDS
#include "passes/Schedule/Passes.h.inc"

namespace {

class Player {
public:
  explicit Player(ModuleOp module) {
    for (auto table : module.getOps<dist::ScheduleOp>()) {
      Stage &stage = stages.emplace_back();
      stage.number = static_cast<int64_t>(table.getStage());
      for (Operation &op : table.getBody().front())
        stage.actions.push_back(&op);
      stage.places.assign(stage.actions.size(), 0);
    }
    for (auto task : module.getOps<exec::TaskOp>())
      steps[task.getSymName()] =
          llvm::count_if(task.getBody().front(), [](Operation &op) {
            return !isa<exec::BufferOp>(op);
          });
  }

  void run() {
    for (size_t i = 0; i < stages.size(); ++i)
      wait(i);
    while (!ready.empty()) {
      auto [time, runs, i] = ready.top();
      ready.pop();
      play(i);
    }
    for (Stage &stage : stages)
      if (stage.next == stage.actions.size())
        for (auto [i, op] : llvm::enumerate(stage.actions))
          if (auto send = dyn_cast<dist::SendOp>(op))
            note(stage, i, send);
  }

private:
  struct Stage {
    int64_t number = 0;
    std::vector<Operation *> actions;
    std::vector<int64_t> places; // in the order of all actions
    size_t next = 0;
    int64_t time = 0;
  };
  // The receiving stage, the sending stage, the value and the microbatch.
  using Key = std::tuple<int64_t, int64_t, StringRef, int64_t>;
  template <typename Op> static Key keyOf(int64_t to, int64_t from, Op op) {
    return {to, from, op.getValue(), static_cast<int64_t>(op.getMicrobatch())};
  }

  /// Queues the stage's next action. At equal times receives come before tasks.
  void wait(size_t i) {
    Stage &stage = stages[i];
    if (stage.next < stage.actions.size())
      ready.push({stage.time, isa<dist::RunOp>(stage.actions[stage.next]), i});
  }

  void play(size_t i) {
    Stage &stage = stages[i];
    Operation *op = stage.actions[stage.next];
    if (auto receive = dyn_cast<dist::ReceiveOp>(op)) {
      Key key = keyOf(stage.number, receive.getPeer(), receive);
      auto at = sent.find(key);
      if (at == sent.end()) {
        waiting[key] = i;
        return;
      }
      if (at->second > stage.time) {
        stage.time = at->second;
        return wait(i);
      }
      received[key] = count;
    }
    stage.places[stage.next++] = count++;
    if (auto run = dyn_cast<dist::RunOp>(op)) {
      stage.time += steps.lookup(run.getTask());
    } else if (auto send = dyn_cast<dist::SendOp>(op)) {
      Key key = keyOf(send.getPeer(), stage.number, send);
      sent[key] = stage.time;
      if (auto at = waiting.find(key); at != waiting.end()) {
        Stage &other = stages[at->second];
        other.time = std::max(other.time, stage.time);
        wait(at->second);
        waiting.erase(at);
      }
    }
    wait(i);
  }

  void note(Stage &stage, size_t i, dist::SendOp send) {
    auto at = received.find(keyOf(send.getPeer(), stage.number, send));
    if (at == received.end())
      return;
    auto after = llvm::upper_bound(stage.places, at->second);
    send->setAttr(exec::receivedAttrName,
                  Builder(send.getContext())
                      .getI64IntegerAttr(after - stage.places.begin()));
  }

  std::vector<Stage> stages;
  llvm::StringMap<int64_t> steps;                  // by task
  using Ready = std::tuple<int64_t, bool, size_t>; // time, a task, stage
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  std::map<Key, int64_t> sent;     // time of the send
  std::map<Key, size_t> waiting;   // stages that wait
  std::map<Key, int64_t> received; // in the order of all actions
  int64_t count = 0;
};

struct HoldSends : impl::HoldSendsBase<HoldSends> {
  void runOnOperation() override { holdSends(getOperation()); }
};

} // namespace

void holdSends(ModuleOp module) { Player(module).run(); }

} // namespace zcc
