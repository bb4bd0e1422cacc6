// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decider that cuts the step into tasks: it finds what each task reads of
// earlier ones and what it computes again, by the fates that are set so far.
#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "passes/Pipeline/DecidedResiduals.h"
#include "passes/Pipeline/Fates.h"
#include "planning/MemoryPrice.h"

using namespace mlir;
using namespace zcc;

// Adds up the bytes, in stored formats, that backward tasks read of forward
// tasks of their stage. Parameters and values that are handed over do not
// count.
static void countResiduals(const StepTasks &tasks,
                           const ResidualFormats &formats,
                           MemoryDecisions &decided) {
  DenseSet<Operation *> forward;
  for (Operation *op : tasks.getForward())
    if (!op->hasAttr(dist::categoryAttrName))
      forward.insert(op);
  DenseSet<std::pair<int64_t, Value>> counted; // several tasks may read a value
  for (const StepTask &task : tasks.getTasks())
    if (task.isBackward())
      for (Value v : task.read)
        if (forward.contains(v.getDefiningOp()) && !task.handed.contains(v) &&
            counted.insert({task.stage, v}).second)
          decided.stages[task.stage].kept += formats.bytesOf(v);
}

// Returns the seconds of a stage and microbatch that a byte of memory is worth.
static double findWorth(const StepTasks &tasks, dist::MeshOp mesh,
                        const planning::CostModel &model,
                        const planning::Machine &machine) {
  distribute::CollectiveAccounts accounts(mesh);
  double seconds = 0;
  for (const StepTask &task : tasks.getTasks())
    if (task.part == Part::Forward || task.isBackward())
      for (Operation *op : tasks.inOrder(task))
        seconds += accounts.secondsOf(op, model);
  return planning::worthOfByte(seconds / static_cast<double>(mesh.getStages()),
                               machine.bytesPerDevice(mesh.getDevices()));
}

namespace {
class CutTasks : public FateDecider {
public:
  explicit CutTasks(const FateRequest &request)
      : request(request),
        model(request.machine, dist::MeshOp(request.mesh).getDevices()) {}

  StringRef getName() const override { return "cut"; }

  LogicalResult decide(Fates &fates) override {
    StepTasks &tasks = fates.getTasks();
    auto wish = [&](Operation *op) { return fates.get(op); };
    bool isBounded = request.limits.bytes >= 0;
    if (!request.pins.decisions.empty())
      tasks.findReads(wish, [&](const StepTask &backward, const StepTask &) {
        return takeHanded(fates, backward);
      });
    else if (!request.held || (isBounded && !request.limits.handsOver()))
      tasks.findReads(wish);
    else
      handOver(fates, wish);
    // The limit counted the bytes that it keeps.
    if (!isBounded || !request.pins.decisions.empty())
      countResiduals(tasks, request.formats, fates.getDecided());
    fates.takeFromTasks();
    fates.getDecided().values = tellDecisions(fates);
    if (wrong.empty())
      return success();
    return emitError(request.mesh.getLoc(), "fates: ")
           << getName()
           << ": the choice of what is handed over is wrong: " << wrong;
  }

private:
  // Returns the ops that a plan hands over, of those that are there.
  DenseSet<Operation *> takeHanded(const Fates &fates,
                                   const StepTask &backward) const {
    DenseSet<Operation *> handed;
    for (Operation *op : backward.again)
      if (request.held && fates.get(op) == planning::Fate::HandedOver)
        handed.insert(op);
    return handed;
  }

  // Cuts, and hands over values where that costs less than to compute them once
  // more.
  void handOver(Fates &fates, FateWish wish) {
    StepTasks &tasks = fates.getTasks();
    double worth = findWorth(tasks, request.mesh, model, request.machine);
    tasks.findReads(wish, [&](const StepTask &backward,
                              const StepTask &weights) {
      // The stage holds residuals of `held` microbatches at once.
      const StageResiduals &own = fates.getDecided().stages[weights.stage];
      double price = fates.getPrice(weights.stage) / std::max(own.held, 1.0);
      return chooseHandOver(
          tasks, backward, weights, wish, request.mesh, model,
          std::max(price, worth) * request.held->untilWeights(weights), wrong);
    });
  }

  FateRequest request;
  planning::CostModel model;
  std::string wrong; // the fault that chooseHandOver() found in its answer
};
} // namespace

std::unique_ptr<FateDecider> zcc::createCutTasks(const FateRequest &request) {
  return std::make_unique<CutTasks>(request);
}
