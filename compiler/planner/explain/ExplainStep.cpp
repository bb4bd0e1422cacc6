// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/ExplainStep.h"
#include "compiler/planner/explain/ExplainRoles.h"
#include "compiler/planner/explain/ExplainSubjects.h"
#include "dialects/Train/Place.h"
#include "passes/Distribute/Place/ChooseStates.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

ExplainedStep::ExplainedStep(ModuleOp module, const DistributeOptions &options)
    : trials(module, options), mixed(options.plan.file.empty()) {}

LogicalResult ExplainedStep::decide(double peak) {
  FailureOr<DecidedSharding> result = trials.decide(origins);
  if (failed(result))
    return failure();
  decided = std::move(*result);
  if (peak > 0)
    trials.correctMemory(peak, decided);
  plain = trials.measure(trials.base()).value_or(trials.measure(decided));
  figures = trials.measureFitted(trials.base(), &decided).value_or(plain);
  return success();
}

LogicalResult StepExplainer::prepare(double peak) {
  if (failed(step.decide(peak)))
    return failure();
  alternatives.emplace(step);
  return success();
}

std::string StepExplainer::explainRoles() const {
  return planner::explainRoles(step);
}

// Follows keepGathered(): parameters that save the most time a byte are kept
// first.
StepExplainer::GatherPrice StepExplainer::priceGathers(double change) const {
  PlacedStep placed = step.placed();
  StepCost cost = step.trials.cost();
  double share = step.trials.shareOfDevice(placed).parameters;
  std::vector<StepCost::Gathers> found;
  for (BlockArgument argument : step.trials.func().getArguments()) {
    const StateChoice *state = placed.step.stateOf(argument);
    using Gathered = StateChoice::Gathered;
    if (!state ||
        state->gathered != (change > 0 ? Gathered::Again : Gathered::Kept))
      continue;
    if (StepCost::Gathers own = cost.gathersOf(placed, argument);
        own.bytes > 0) {
      own.bytes *= share;
      own.again *= share;
      found.push_back(own);
    }
  }
  llvm::sort(found, [&](const auto &a, const auto &b) {
    double first = a.again * b.bytes, second = b.again * a.bytes;
    return change > 0 ? first > second : first < second;
  });
  GatherPrice price;
  for (const StepCost::Gathers &own : found) {
    if (change > 0 && price.bytes + own.bytes <= change) {
      price.bytes += own.bytes;
      price.seconds -= own.again;
    } else if (price.bytes > change && change < 0) {
      price.bytes -= own.bytes;
      price.seconds += own.again;
    }
  }
  return price;
}

std::string
StepExplainer::explainOptions(function_ref<TellSimulated> simulated) {
  return planner::explainOptions(step, simulated);
}

SmallVector<StepExplainer::Line> StepExplainer::getLines() const {
  func::FuncOp func = step.trials.func();
  SmallVector<Line> list;
  llvm::StringMap<size_t> numbers;
  for (Operation &op : func.getBody().front()) {
    if (!step.decided.step.ops.contains(&op) || op.getNumResults() == 0)
      continue;
    std::string name = locationName(op.getLoc());
    if (name.empty())
      continue;
    auto [it, isNew] = numbers.try_emplace(name, list.size());
    if (isNew)
      list.push_back({name, {}});
    list[it->second].ops.push_back(&op);
  }
  return list;
}

std::vector<std::string> StepExplainer::getNames() const {
  std::vector<std::string> names;
  llvm::StringSet<> seen;
  for (BlockArgument argument : step.trials.func().getArguments())
    if (StringRef name = argumentName(argument);
        !name.empty() && isPlacedByPlans(argument) && seen.insert(name).second)
      names.push_back(name.str());
  for (Line &line : getLines())
    if (seen.insert(line.name).second)
      names.push_back(line.name);
  return names;
}

std::vector<StepExplainer::Subject>
StepExplainer::explainArguments(function_ref<bool(StringRef)> matches) {
  std::vector<Subject> subjects;
  llvm::MapVector<StringRef, SmallVector<BlockArgument>> arguments;
  for (BlockArgument argument : step.trials.func().getArguments()) {
    StringRef name = argumentName(argument);
    if (isPlacedByPlans(argument) && !name.empty() && matches(name))
      arguments[name].push_back(argument);
  }
  for (auto &[name, list] : arguments)
    subjects.push_back(
        {name.str(),
         planner::explainArguments(step, *alternatives, name, list),
         {},
         {}});
  return subjects;
}

StepExplainer::Subject
StepExplainer::explainLine(const Line &line,
                           ArrayRef<std::pair<Operation *, unsigned>> ops) {
  Subject subject;
  subject.name = line.name;
  subject.text = explainOps(step, *alternatives, line.name, ops);
  for (Operation *op : line.ops)
    subject.ops.push_back(op->getName().getStringRef().str());
  for (auto [op, number] : ops)
    subject.numbers.push_back(number);
  return subject;
}

std::vector<StepExplainer::Subject> StepExplainer::explainAll() {
  std::vector<Subject> subjects =
      explainArguments([](StringRef) { return true; });
  for (const Line &line : getLines()) {
    SmallVector<std::pair<Operation *, unsigned>> ops;
    for (auto [k, op] : llvm::enumerate(line.ops))
      ops.push_back({op, static_cast<unsigned>(k)});
    subjects.push_back(explainLine(line, ops));
  }
  return subjects;
}

std::vector<StepExplainer::Subject> StepExplainer::explain(StringRef text) {
  auto parsed = llvm::GlobPattern::create(text);
  std::optional<llvm::GlobPattern> glob;
  if (parsed)
    glob = std::move(*parsed);
  else
    llvm::consumeError(parsed.takeError());
  auto matches = [&](StringRef name) {
    return name == text || (glob && glob->match(name));
  };
  std::vector<Subject> subjects = explainArguments(matches);
  if (!subjects.empty())
    return subjects;
  SmallVector<Line> lines = getLines();
  // The text may name an op of a later phase, where a line has other ops with
  // other numbers: then the whole line is meant.
  std::string whole = text.split('#').first.str();
  bool numbered = llvm::any_of(lines, [&](const Line &line) {
    for (size_t k = 0; k < line.ops.size(); ++k)
      if (matches(line.name + "#" + std::to_string(k)))
        return true;
    return false;
  });
  auto explainOpsThat = [&](function_ref<bool(const Line &, size_t)> isMeant) {
    for (const Line &line : lines) {
      SmallVector<std::pair<Operation *, unsigned>> ops;
      for (auto [k, op] : llvm::enumerate(line.ops))
        if (isMeant(line, k))
          ops.push_back({op, static_cast<unsigned>(k)});
      if (!ops.empty())
        subjects.push_back(explainLine(line, ops));
    }
  };
  explainOpsThat([&](const Line &line, size_t k) {
    return matches(line.name) || (!numbered && line.name == whole) ||
           matches(line.name + "#" + std::to_string(k));
  });
  if (!subjects.empty())
    return subjects;
  // A path of a module stands for all that is in it. A line of a model whose
  // ops are named by their modules still is a place.
  std::string inside = (text + ".").str();
  subjects = explainArguments(
      [&](StringRef name) { return name.starts_with(inside); });
  explainOpsThat([&](const Line &line, size_t k) {
    return StringRef(line.name).starts_with(inside) ||
           printPlace(line.ops[k]->getLoc()) == text;
  });
  return subjects;
}
