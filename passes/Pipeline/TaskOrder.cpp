// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/TaskOrder.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/ValueNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

// Returns true if the op only brings a parameter to this device: then it waits
// for its first reader. `others`: ops that are known to do so.
static bool bringsParameter(Operation *op,
                            const DenseSet<Operation *> &others) {
  if (isa<AllGatherOp, ExchangeBoxesOp>(op)) {
    if (cast<CollectiveOpInterface>(op).getWhat() != MovedKind::Parameter)
      return false;
  } else if (!isa<train::ConvertOp>(op) &&
             !op->hasTrait<train::DataMovementOp>()) {
    return false;
  }
  return llvm::all_of(op->getOperands(), [&](Value v) {
    auto argument = dyn_cast<BlockArgument>(v);
    if (!argument)
      return others.contains(v.getDefiningOp());
    auto step = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return !stateSymbolOf(step.getArgAttrDict(argument.getArgNumber())).empty();
  });
}

static DenseSet<Operation *> findBringing(ArrayRef<Operation *> sorted) {
  DenseSet<Operation *> brings;
  if (llvm::none_of(sorted, [](Operation *op) {
        return isa<AllGatherOp, ExchangeBoxesOp>(op);
      }))
    return brings;
  for (Operation *op : sorted)
    if (bringsParameter(op, brings))
      brings.insert(op);
  return brings;
}

// Returns the collectives of gradients and the ops that lead from a gradient to
// one. They run at once, so that unreduced gradients live briefly.
static DenseSet<Operation *> findReductions(const StepTask &task) {
  DenseSet<Operation *> out;
  for (Operation *op : task.own) {
    if (!isa<ReduceScatterOp, AllReduceOp>(op) ||
        cast<CollectiveOpInterface>(op).getWhat() != MovedKind::Gradient)
      continue;
    while (op && task.own.contains(op) && out.insert(op).second) {
      Operation *source = op->getOperand(0).getDefiningOp();
      if (!source || !source->hasOneUse() ||
          !(isa<train::ConvertOp, train::PadOp>(source) ||
            source->hasTrait<train::DataMovementOp>()))
        break;
      op = source;
    }
  }
  return out;
}

SmallVector<Operation *> zcc::orderOps(const StepTasks &tasks,
                                       const StepTask &task) {
  SmallVector<Operation *> sorted = tasks.inOrder(task);
  DenseSet<Operation *> brings = findBringing(sorted);
  DenseSet<Operation *> lazy(task.again.begin(), task.again.end());
  lazy.insert(brings.begin(), brings.end());
  SmallVector<Operation *> out;
  auto require = [&](ValueRange values) {
    SmallVector<Operation *> found;
    auto visit = [&](ValueRange operands) {
      for (Value own : operands) {
        Value v = task.expanded.lookup(own);
        if (!v)
          v = own;
        if (Operation *op = v.getDefiningOp(); op && lazy.erase(op))
          found.push_back(op);
      }
    };
    visit(values);
    for (size_t i = 0; i < found.size(); ++i)
      visit(found[i]->getOperands());
    llvm::sort(found, [&](Operation *a, Operation *b) {
      return tasks.isBefore(a, b);
    });
    out.append(found);
  };
  DenseSet<Operation *> reductions = findReductions(task), done;
  for (Operation *next : sorted) {
    if (brings.contains(next) || !task.own.contains(next))
      continue;
    SmallVector<Operation *> ready{next};
    while (!ready.empty()) {
      Operation *op = ready.pop_back_val();
      if (!done.insert(op).second)
        continue;
      require(op->getOperands());
      out.push_back(op);
      for (Operation *user : op->getUsers())
        if (reductions.contains(user) &&
            llvm::all_of(user->getOperands(), [&](Value v) {
              Operation *source = v.getDefiningOp();
              return !task.own.contains(source) || done.contains(source);
            }))
          ready.push_back(user);
    }
  }
  SmallVector<Value> end;
  for (Value v : task.yields)
    end.push_back(StepTasks::addend(v));
  for (unsigned i : task.results)
    end.push_back(tasks.getResult(i));
  require(end);
  return out;
}
