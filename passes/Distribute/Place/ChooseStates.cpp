// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/ChooseStates.h"
#include "dialects/Train/Place.h"
#include "passes/Distribute/Estimate/PipelineEstimate.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/Globs.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"
#include <map>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using Gathered = StateChoice::Gathered;
using planning::PlanState;

static SmallVector<BlockArgument> findParameters(func::FuncOp func) {
  SmallVector<BlockArgument> parameters;
  for (BlockArgument argument : func.getArguments())
    if (isParameter(argument))
      parameters.push_back(argument);
  return parameters;
}

// Returns the parameter's symbol: `blocks.wq#3` if it is a part of a stack.
static std::string symbolOf(BlockArgument parameter) {
  auto func = cast<func::FuncOp>(parameter.getOwner()->getParentOp());
  return stateSymbolOf(func.getArgAttrDict(parameter.getArgNumber()));
}

static bool matches(const llvm::GlobPattern &glob, BlockArgument parameter) {
  return glob.match(argumentName(parameter)) || glob.match(symbolOf(parameter));
}

LogicalResult distribute::chooseStates(func::FuncOp func, int stage,
                                       ArrayRef<PlanState> entries,
                                       StepSharding &step) {
  step.states.clear();
  step.stage = stage;
  struct Said {
    bool stage = false, gathered = false;
  };
  DenseMap<Value, Said> said;
  SmallVector<BlockArgument> parameters = findParameters(func);
  for (BlockArgument parameter : parameters)
    step.states[parameter].stage = stage;
  for (const PlanState &entry : entries) {
    llvm::Expected<llvm::GlobPattern> glob =
        llvm::GlobPattern::create(entry.glob);
    if (!glob)
      return func.emitError("--state: expected a glob, found '")
             << entry.glob << "': " << llvm::toString(glob.takeError());
    bool any = false;
    for (BlockArgument parameter : parameters) {
      if (!matches(*glob, parameter))
        continue;
      any = true;
      StateChoice &own = step.states[parameter];
      Said &before = said[parameter];
      if (entry.fact == PlanState::Fact::Stage) {
        if (!std::exchange(before.stage, true))
          own.stage = entry.stage;
      } else if (!std::exchange(before.gathered, true)) {
        own.gathered = entry.fact == PlanState::Fact::Kept ? Gathered::Kept
                                                           : Gathered::Again;
      }
    }
    if (!any) {
      SmallVector<StringRef> names;
      for (BlockArgument parameter : parameters)
        names.push_back(argumentName(parameter));
      return withHelp(func.emitError("--state: '")
                          << entry.glob << "' is the name of no parameter",
                      listNames(names));
    }
  }
  return success();
}

KeptBytes distribute::keepGathered(func::FuncOp func, const PlacedStep &placed,
                                   const StepCost &cost,
                                   const planning::Plan &plan,
                                   const planning::CostModel &model,
                                   double memory, StepSharding &step,
                                   double reserve) {
  struct Candidate {
    Value parameter;
    double bytes, seconds;
  };
  SmallVector<Candidate> candidates;
  for (BlockArgument parameter : findParameters(func)) {
    StateChoice &own = step.states[parameter];
    if (own.gathered != Gathered::Open || own.hasCopy())
      continue;
    StepCost::Gathers gathers = cost.gathersOf(placed, parameter);
    if (gathers.bytes == 0)
      continue;
    own.gathered = Gathered::Again;
    candidates.push_back({parameter, gathers.bytes, gathers.again});
  }
  // Among equals, prefer parameters that are read last: they are held for the
  // shortest time.
  std::reverse(candidates.begin(), candidates.end());
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.seconds * b.bytes > b.seconds * a.bytes;
  });
  KeptBytes bytes;
  double most = 0;
  DeviceShare held;
  if (memory > 0 && !candidates.empty()) {
    held = shareOfDevice(func.getBody().front(), placed, cost, plan, model);
    most = (1 - reserve) * memory - held.bytes;
  }
  for (const Candidate &candidate : candidates) {
    double own = held.parameters * candidate.bytes;
    if (bytes.kept + own <= most) {
      bytes.kept += own;
      step.states[candidate.parameter].gathered = Gathered::Kept;
    } else {
      bytes.left += own;
    }
  }
  return bytes;
}

// Returns the name with `*` for each run of digits. Characters that are special
// in a glob become `?`.
static std::string patternOf(StringRef name, bool digits) {
  std::string pattern;
  for (char c : name)
    if (digits && llvm::isDigit(c)) {
      if (pattern.empty() || pattern.back() != '*')
        pattern += '*';
    } else {
      pattern += StringRef("*?[]{}\\!^").contains(c) ? '?' : c;
    }
  return pattern;
}

std::vector<PlanState> distribute::collectStates(func::FuncOp func, int stage,
                                                 const StepSharding &step) {
  SmallVector<BlockArgument> parameters = findParameters(func);
  // The parameters that each pattern matches. These may be more than those that
  // it was made of.
  llvm::MapVector<std::string, SmallVector<StateChoice>,
                  std::map<std::string, unsigned>>
      patterns;
  for (BlockArgument parameter : parameters)
    patterns[patternOf(symbolOf(parameter), /*digits=*/true)];
  for (auto &[pattern, choices] : patterns) {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
    if (!glob) {
      llvm::consumeError(glob.takeError());
      continue;
    }
    for (BlockArgument parameter : parameters)
      if (matches(*glob, parameter))
        choices.push_back(step.states.lookup(parameter));
  }
  std::vector<PlanState> entries;
  using Fact = PlanState::Fact;
  auto add = [&](const std::string &glob, const StateChoice &choice) {
    if (choice.stage != stage)
      entries.push_back({glob, Fact::Stage, choice.stage});
    if (choice.gathered != Gathered::Open)
      entries.push_back({glob, choice.gathered == Gathered::Kept
                                   ? Fact::Kept
                                   : Fact::Gathered});
  };
  StringSet<> done;
  for (BlockArgument parameter : parameters) {
    std::string name = symbolOf(parameter),
                pattern = patternOf(name, /*digits=*/true);
    const SmallVector<StateChoice> &choices = patterns.find(pattern)->second;
    if (choices.size() < 2 || !llvm::all_equal(choices))
      add(patternOf(name, /*digits=*/false),
          choices.empty() ? StateChoice{stage} : step.states.lookup(parameter));
    else if (done.insert(pattern).second)
      add(pattern, choices.front());
  }
  return entries;
}
