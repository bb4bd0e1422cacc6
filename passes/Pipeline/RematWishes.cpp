// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decider that follows the user's policy (--remat).
#include "passes/Distribute/Sharding/Placement.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Pipeline/Fates.h"
#include "passes/Train/RepeatedBlocks.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace zcc;

namespace {
// Under RecomputeBlocks all values are computed again but those between
// repeated blocks; else only values that the globs name.
class FollowPolicy : public FateDecider {
public:
  explicit FollowPolicy(const FateRequest &request) : request(request) {}

  StringRef getName() const override { return "policy"; }

  LogicalResult decide(Fates &fates) override {
    if (request.policy == planning::RematPolicy::RecomputeBlocks)
      keepBetweenBlocks(fates);
    else if (!request.globs.empty())
      recomputeNamed(fates);
    return success();
  }

private:
  static void keepBetweenBlocks(Fates &fates) {
    using planning::Fate;
    const StepTasks &tasks = fates.getTasks();
    SmallVector<Operation *> forward = tasks.getForward();
    llvm::erase_if(forward,
                   [](Operation *op) { return isa<dist::AccumulateOp>(op); });
    DenseSet<Value> between = valuesBetweenBlocks(
        forward, [&](Value v) { return tasks.isFree(v); }, distribute::bytesOf);
    for (Operation *op : forward) {
      bool stays = op->hasAttr(dist::categoryAttrName) ||
                   llvm::any_of(op->getResults(),
                                [&](Value v) { return between.contains(v); });
      fates.set(op, stays ? Fate::Kept : Fate::Recomputed);
    }
  }

  void recomputeNamed(Fates &fates) {
    llvm::StringMap<unsigned> times;
    for (Operation *op : fates.getTasks().getForward()) {
      if (op->getNumResults() == 0)
        continue;
      std::string name = distribute::locationName(op->getLoc());
      unsigned k = times[name]++; // as explanations count
      bool isNamed = request.globs.match(name) ||
                     request.globs.match(name + "#" + std::to_string(k));
      if (isNamed && !op->hasAttr(dist::categoryAttrName))
        fates.set(op, planning::Fate::Recomputed);
    }
  }

  FateRequest request;
};
} // namespace

std::unique_ptr<FateDecider>
zcc::createFollowPolicy(const FateRequest &request) {
  return std::make_unique<FollowPolicy>(request);
}
