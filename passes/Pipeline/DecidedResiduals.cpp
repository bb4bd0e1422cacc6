// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/DecidedResiduals.h"
#include "planning/PlanValues.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace zcc;
using planning::PlanDecision;
using Fate = planning::PlanResidual::Fate;

namespace {
using NamedOps = llvm::MapVector<StringRef, SmallVector<Operation *>>;

// Returns the ops of the forward pass that can be decided on, in order, by
// name. `names` holds the texts.
NamedOps nameOps(const StepTasks &tasks, llvm::StringSet<> &names) {
  NamedOps ops;
  for (Operation *op : tasks.getForward())
    if (op->getNumResults() != 0 && !isa<dist::AccumulateOp>(op) &&
        !op->hasAttr(dist::categoryAttrName) &&
        !op->hasAttr(dist::regatherAttrName))
      ops[names.insert(dist::pinName(op)).first->first()].push_back(op);
  return ops;
}

// Returns true if other programs of the model may have fewer or more ops of
// that name.
bool isOptional(StringRef name, MLIRContext *context) {
  OperationName op(name.split(' ').first, context);
  return op.getDialectNamespace() == dist::DistDialect::getDialectNamespace() ||
         op.hasTrait<train::DataMovementOp>() ||
         op.getStringRef() == train::ConvertOp::getOperationName() ||
         op.getStringRef() == train::ConstantOp::getOperationName();
}
} // namespace

std::vector<PlanDecision> zcc::tellDecisions(const StepTasks &tasks) {
  DenseMap<Operation *, Fate> fates;
  for (const StepTask &task : tasks.getTasks()) {
    if (!task.isBackward())
      continue;
    for (Value v : task.read)
      if (task.handed.contains(v))
        fates[v.getDefiningOp()] = planning::PlanResidual::Fate::HandOver;
      else
        fates.insert({v.getDefiningOp(), Fate::Keep});
    for (Operation *op : task.again)
      if (fates.lookup(op) != planning::PlanResidual::Fate::HandOver)
        fates[op] = Fate::Recompute;
  }
  llvm::StringSet<> names;
  std::vector<PlanDecision> out;
  for (auto &[name, ops] : nameOps(tasks, names)) {
    std::map<Fate, PlanDecision> own;
    size_t decided = 0;
    for (auto [number, op] : llvm::enumerate(ops)) {
      auto fate = fates.find(op);
      if (fate == fates.end() || llvm::all_of(op->getResults(), [&](Value v) {
            return tasks.isFree(v);
          }))
        continue;
      ++decided;
      own[fate->second].numbers.push_back(static_cast<int64_t>(number));
    }
    for (auto &[fate, decision] : own) {
      decision.name = name.str();
      decision.fate = fate;
      if (decided == ops.size() && own.size() == 1)
        decision.numbers.clear(); // it holds for all
      out.push_back(std::move(decision));
    }
  }
  return out;
}

FailureOr<FollowedDecisions> zcc::followDecisions(const StepTasks &tasks,
                                                 const ResidualPins &pins) {
  FollowedDecisions out;
  bool hasBackward = llvm::any_of(tasks.getTasks(), [](const StepTask &task) {
    return task.isBackward();
  });
  if (!hasBackward)
    return out;
  Operation *step = tasks.getOps().front()->getParentOp();
  MLIRContext *context = step->getContext();
  llvm::StringSet<> names;
  NamedOps named = nameOps(tasks, names);
  for (const PlanDecision &pin : pins.decisions) {
    Location place = step->getLoc();
    if (pin.line != 0)
      place = FileLineColLoc::get(context, pins.file, pin.line, pin.column);
    auto refuse = [&]() -> InFlightDiagnostic {
      InFlightDiagnostic error = emitError(place, "decisions: ");
      error.attachNote() << "a plan without 'decisions' has them found anew: "
                            "those of another plan speak of its own ops";
      return error;
    };
    auto found = named.find(pin.name);
    ArrayRef<Operation *> ops;
    if (found != named.end())
      ops = found->second;
    auto count = static_cast<int64_t>(ops.size());
    bool optional = isOptional(pin.name, context);
    if (ops.empty() && !optional)
      return refuse() << "expected an op of the forward pass, found '"
                      << pin.name << "', of which it has none";
    if (!pin.numbers.empty() && pin.numbers.back() >= count && !optional)
      return refuse() << "expected numbers below " << count << " of '"
                      << pin.name << "', found " << pin.numbers.back();
    auto decide = [&](int64_t number) -> LogicalResult {
      Operation *op = ops[number];
      if (pin.fate != Fate::Keep && !isMemoryEffectFree(op))
        return refuse() << "expected to keep '" << pin.name << "' number "
                        << number << ", which may not run again, found "
                        << (pin.fate == Fate::Recompute ? "recompute"
                                                        : "hand-over");
      out.wishes[op] = pin.fate == Fate::Keep ? Keep::Always : Keep::Never;
      if (pin.fate == planning::PlanResidual::Fate::HandOver)
        out.handed.insert(op);
      return success();
    };
    if (pin.numbers.empty()) {
      for (int64_t number = 0; number < count; ++number)
        if (failed(decide(number)))
          return failure();
    } else {
      for (int64_t number : pin.numbers)
        if (number < count && failed(decide(number)))
          return failure();
    }
  }
  return out;
}
