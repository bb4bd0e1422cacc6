// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/RematWishes.h"
#include "passes/Distribute/Place/Placement.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Train/RepeatedBlocks.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace zcc;

static std::function<Keep(Operation *)>
keepBetweenBlocks(const StepTasks &tasks) {
  SmallVector<Operation *> forward = tasks.getForward();
  DenseSet<Operation *> known(forward.begin(), forward.end());
  llvm::erase_if(forward,
                 [](Operation *op) { return isa<dist::AccumulateOp>(op); });
  DenseSet<Value> between = valuesBetweenBlocks(
      forward, [&](Value v) { return tasks.isFree(v); }, dist::bytesOf);
  return [known, between](Operation *op) {
    if (!known.contains(op))
      return Keep::IfWorth;
    if (op->hasAttr(dist::categoryAttrName))
      return Keep::Always;
    return llvm::any_of(op->getResults(),
                        [&](Value v) { return between.contains(v); })
               ? Keep::Always
               : Keep::Never;
  };
}

std::function<Keep(Operation *)>
zcc::readWishes(const StepTasks &tasks, StringRef remat, Globs &globs) {
  if (remat == "full")
    return keepBetweenBlocks(tasks);
  if (globs.empty())
    return [](Operation *) { return Keep::IfWorth; };
  DenseSet<Operation *> named;
  llvm::StringMap<unsigned> times;
  for (Operation *op : tasks.getForward()) {
    if (op->getNumResults() == 0)
      continue;
    std::string name = dist::locationName(op->getLoc());
    unsigned k = ++times[name];
    if (globs.match(name) || globs.match(name + "#" + std::to_string(k)))
      named.insert(op);
  }
  return [named](Operation *op) {
    return named.contains(op) && !op->hasAttr(dist::categoryAttrName)
               ? Keep::Never
               : Keep::IfWorth;
  };
}
