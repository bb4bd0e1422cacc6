// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/search/MicrobatchCheck.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

namespace {
class Loop {
public:
  Loop(func::FuncOp step, const PlacedStep &placed)
      : step(step), block(step.getBody().front()), placed(placed) {
    for (unsigned axis = 0; axis < placed.mesh.size(); ++axis)
      if (placed.mesh.isTemporal(axis) && placed.mesh.sizeOf(axis) > 1)
        time.push_back(axis);
  }

  bool isTrivial() const { return time.empty(); }

  // Returns true if some input has a number of rows that the microbatches do
  // not divide.
  bool isUneven() const {
    return llvm::any_of(block.getArguments(), [&](BlockArgument argument) {
      Placement own = placed.computed(argument);
      return usesTime(own) &&
             ArrayRef<int64_t>(own.extents) != train::shapeOf(argument);
    });
  }

  // Returns true if each microbatch has a part of an array that leaves the
  // step.
  bool splitsArrays() const {
    return llvm::any_of(placed.step.arrays, [&](OpOperand *use) {
      return usesTime(placed.computed(use->get()));
    });
  }

  // Returns the values that the loop reads, and that are known only after all
  // microbatches.
  SmallVector<Value> findNeeded() {
    findVarying();
    DenseSet<Operation *> needed; // by ops that vary
    SmallVector<Value> values;
    for (Operation &op : llvm::reverse(block))
      for (Value v : op.getResults()) {
        if (llvm::none_of(v.getUsers(), [&](Operation *user) {
              return varies.contains(user) || needed.contains(user);
            }))
          continue;
        needed.insert(&op);
        if (isAccumulated(v))
          values.push_back(v);
      }
    return values;
  }

  // Returns true if a loop before the main one can compute the value: it
  // depends on inputs alone.
  bool canSurvey(Value v) const {
    return !dependent.contains(v.getDefiningOp());
  }

  // Accepts the value of one microbatch in place of that of all, if its kind of
  // reduction allows it.
  void accept(Value v) {
    train::ReduceKind kind = placed.partials.values.lookup(v).kind;
    if (kind != train::ReduceKind::multiply &&
        kind != train::ReduceKind::logical_xor)
      accepted.insert(v);
  }

private:
  bool usesTime(const Placement &placement) const {
    return llvm::any_of(time,
                        [&](unsigned axis) { return placement.uses(axis); });
  }

  // Returns true if the value must be combined over the microbatches before
  // anything reads it.
  bool isAccumulated(Value v) const {
    auto it = placed.partials.values.find(v);
    if (it == placed.partials.values.end() || accepted.contains(v))
      return false;
    return llvm::any_of(time, [&](unsigned axis) {
      return llvm::is_contained(it->second.axes, axis) &&
             !llvm::is_contained(it->second.kept, axis);
    });
  }

  void findVarying() {
    varies.clear();
    dependent.clear();
    for (Operation &op : block) {
      auto it = placed.step.ops.find(&op);
      bool differs =
          it != placed.step.ops.end() && llvm::any_of(time, [&](unsigned axis) {
            return it->second.uses(axis);
          });
      bool depends = false;
      for (Value v : op.getOperands()) {
        if (auto argument = dyn_cast<BlockArgument>(v)) {
          differs |= usesTime(placed.computed(argument));
          depends |=
              !step.getArgAttr(argument.getArgNumber(), zcc::inputAttrName);
        } else if (isAccumulated(v)) {
          depends = true;
        } else {
          differs |= varies.contains(v.getDefiningOp());
          depends |= dependent.contains(v.getDefiningOp());
        }
      }
      if (differs)
        varies.insert(&op);
      if (depends)
        dependent.insert(&op);
    }
  }

  func::FuncOp step;
  Block &block;
  const PlacedStep &placed;
  AxisList time;
  DenseSet<Value> accepted;
  DenseSet<Operation *> varies; // with the microbatch
  // Ops that depend on something that is no input, or on a value of all
  // microbatches.
  DenseSet<Operation *> dependent;
};
} // namespace

bool planner::runsInMicrobatches(func::FuncOp step, const PlacedStep &placed,
                                 ArrayRef<std::string> accepted) {
  Loop loop(step, placed);
  if (loop.isTrivial())
    return true;
  if (loop.splitsArrays() || (!accepted.empty() && loop.isUneven()))
    return false;
  auto isAccepted = [&](Value v) {
    std::string name = locationName(v.getLoc());
    return llvm::any_of(accepted, [&](const std::string &text) {
      llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(text);
      if (glob)
        return glob->match(name);
      llvm::consumeError(glob.takeError());
      return false;
    });
  };
  if (!accepted.empty())
    for (Value v : loop.findNeeded())
      if (isAccepted(v))
        loop.accept(v);
  return llvm::all_of(loop.findNeeded(),
                      [&](Value v) { return loop.canSurvey(v); });
}
