// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/DecidedResiduals.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "planning/PlanValues.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace zcc;
using planning::Fate;
using planning::PlanDecision;

namespace {
using NamedOps = llvm::MapVector<StringRef, SmallVector<Operation *>>;

// Returns the ops of the forward pass that can be decided on, in order, by
// name. `names` holds the texts.
NamedOps nameOps(const StepTasks &tasks, llvm::StringSet<> &names) {
  NamedOps ops;
  for (Operation *op : tasks.getForward())
    if (op->getNumResults() != 0 && !isa<dist::AccumulateOp>(op) &&
        !op->hasAttr(dist::categoryAttrName) && !dist::isGatheredAgain(op))
      ops[names.insert(distribute::pinName(op)).first->first()].push_back(op);
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

std::vector<PlanDecision> zcc::tellDecisions(const Fates &fates) {
  const StepTasks &tasks = fates.getTasks();
  llvm::StringSet<> names;
  std::vector<PlanDecision> out;
  for (auto &[name, ops] : nameOps(tasks, names)) {
    std::map<Fate, PlanDecision> own;
    size_t decided = 0;
    for (auto [number, op] : llvm::enumerate(ops)) {
      std::optional<Fate> fate = fates.get(op);
      if (!fate || llvm::all_of(op->getResults(),
                                [&](Value v) { return tasks.isFree(v); }))
        continue;
      ++decided;
      own[*fate].numbers.push_back(static_cast<int64_t>(number));
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

namespace {
// Follows the decisions of a plan on ops of the step. Values that no decision
// names stay open. It is an error, at the decision's place, if the forward pass
// has no such op, or fewer of them, or if the op may not run again. Ops that
// change types or move data may be missing, because other programs of the model
// (of another precision, say) lack them. Without a backward pass nothing is
// decided.
class FollowPlan : public FateDecider {
public:
  explicit FollowPlan(const FateRequest &request) : pins(request.pins) {}

  StringRef getName() const override { return "decisions"; }

  LogicalResult decide(Fates &fates) override {
    const StepTasks &tasks = fates.getTasks();
    if (llvm::none_of(tasks.getTasks(),
                      [](const StepTask &task) { return task.isBackward(); }))
      return success();
    step = tasks.getOps().front()->getParentOp();
    llvm::StringSet<> names;
    NamedOps named = nameOps(tasks, names);
    for (const PlanDecision &pin : pins.decisions) {
      auto found = named.find(pin.name);
      ArrayRef<Operation *> ops;
      if (found != named.end())
        ops = found->second;
      if (failed(decide(pin, ops, fates)))
        return failure();
    }
    return success();
  }

private:
  InFlightDiagnostic refuse(const PlanDecision &pin) const {
    Location place = step->getLoc();
    if (pin.line != 0)
      place = FileLineColLoc::get(step->getContext(), pins.file, pin.line,
                                  pin.column);
    InFlightDiagnostic error = emitError(place) << getName() << ": ";
    error.attachNote() << "a plan without 'decisions' has them found anew: "
                          "those of another plan speak of its own ops";
    return error;
  }

  // Sets the fates of those of `ops` that the decision means.
  LogicalResult decide(const PlanDecision &pin, ArrayRef<Operation *> ops,
                       Fates &fates) const {
    auto count = static_cast<int64_t>(ops.size());
    bool optional = isOptional(pin.name, step->getContext());
    if (ops.empty() && !optional)
      return refuse(pin) << "expected an op of the forward pass, found '"
                         << pin.name << "', of which it has none";
    if (!pin.numbers.empty() && pin.numbers.back() >= count && !optional)
      return refuse(pin) << "expected numbers below " << count << " of '"
                         << pin.name << "', found " << pin.numbers.back();
    auto set = [&](int64_t number) -> LogicalResult {
      if (pin.fate != Fate::Kept && !isMemoryEffectFree(ops[number]))
        return refuse(pin) << "expected to keep '" << pin.name << "' number "
                           << number << ", which may not run again, found "
                           << StringRef(planning::getName(pin.fate));
      fates.set(ops[number], pin.fate);
      return success();
    };
    if (pin.numbers.empty()) {
      for (int64_t number = 0; number < count; ++number)
        if (failed(set(number)))
          return failure();
    } else {
      for (int64_t number : pin.numbers)
        if (number < count && failed(set(number)))
          return failure();
    }
    return success();
  }

  const ResidualPins &pins;
  Operation *step = nullptr;
};
} // namespace

std::unique_ptr<FateDecider> zcc::createFollowPlan(const FateRequest &request) {
  return std::make_unique<FollowPlan>(request);
}
