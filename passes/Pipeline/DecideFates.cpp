// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The deciders on the fates of values, in their order. VerifyFates checks
// afterwards that each fate was carried out.
//
// Before these deciders, others settle which values there are:
// - ReduceResiduals and NarrowResiduals (passes/Train) rewrite the program:
//   after them the backward pass reads other values, smaller ones. They leave
//   no fate to be carried out.
// - Distribute decides which gathered parameters are kept (StateChoice), and
//   Partition writes `gather-again` on the gathers of all others. The cut
//   (CutTasks) repeats these in each task.
//
// After these deciders, OffloadValues moves values to another memory. It is a
// pass of its own behind PlaceSchedule, since only the action tables say which
// values are sent to other devices, and those cannot move.
//
// The fit of the plan to the memory (compiler/planner/fit) decides on no single
// value. It limits bytes (MemoryLimits) and runs these deciders again.
#include "passes/Pipeline/DecidedResiduals.h"
#include "passes/Pipeline/Fates.h"

using namespace mlir;
using namespace zcc;

static std::vector<std::unique_ptr<FateDecider>>
listDeciders(const FateRequest &request) {
  std::vector<std::unique_ptr<FateDecider>> deciders;
  // One of these decides on values whatever they cost: the plan if it has
  // decisions, since a plan is followed to the letter; else the limit of bytes
  // if there is one; else the user's policy.
  if (!request.pins.decisions.empty())
    deciders.push_back(createFollowPlan(request)); // DecidedResiduals.cpp
  else if (request.limits.bytes >= 0)
    deciders.push_back(createKeepWithin(request)); // ChooseResiduals.cpp
  else
    deciders.push_back(createFollowPolicy(request)); // RematWishes.cpp
  // The cut decides on what is open then, and keeps a value unless it is next
  // to free to compute again. It also hands values over, since that changes the
  // values that the next task reads. All later deciders refine the fates of
  // values that the cut keeps.
  deciders.push_back(createCutTasks(request)); // CutTasks.cpp
  // The formats come last: they are of values that are kept.
  if (request.narrows)
    deciders.push_back(createNarrow(request)); // StoreResiduals.cpp
  return deciders;
}

LogicalResult zcc::decideFates(const FateRequest &request, Fates &fates) {
  MemoryDecisions &decided = fates.getDecided();
  dist::MeshOp mesh = request.mesh;
  decided.stages.resize(mesh.getStages());
  for (auto [i, stage] : llvm::enumerate(decided.stages)) {
    stage.kept = 0;
    stage.limit = request.limits.limitOf(i);
    stage.frontier.clear();
  }
  for (std::unique_ptr<FateDecider> &decider : listDeciders(request))
    if (failed(decider->decide(fates)))
      return failure();
  return success();
}

std::optional<planning::Fate> Fates::get(Operation *op) const {
  auto own = fates.find(op);
  return own == fates.end() ? std::nullopt : std::optional(own->second);
}

// A task of the op's own stage decides its fate. Other stages have copies of it
// if they are sent the value, and these are kept.
void Fates::takeFromTasks() {
  using planning::Fate;
  fates.clear();
  llvm::DenseMap<Operation *, Fate> elsewhere;
  for (const StepTask &task : tasks.getTasks()) {
    if (!task.isBackward())
      continue;
    auto note = [&](Operation *op, Fate fate) {
      bool isOwn = dist::getStage(op) == task.stage;
      Fate &known =
          (isOwn ? fates : elsewhere).insert({op, fate}).first->second;
      // A value that is handed over was computed again before.
      if (fate == Fate::HandedOver)
        known = fate;
    };
    for (Value v : task.read)
      note(v.getDefiningOp(),
           task.handed.contains(v) ? Fate::HandedOver : Fate::Kept);
    for (Operation *op : task.again)
      note(op,
           dist::isGatheredAgain(op) ? Fate::GatheredAgain : Fate::Recomputed);
  }
  for (auto [op, fate] : elsewhere)
    fates.insert({op, fate});
}
