// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/StateChoice.h"
#include "passes/Distribute/Place/StepCost.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"
#include <map>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using Gathered = StateChoice::Gathered;

static SmallVector<BlockArgument> findParameters(func::FuncOp func) {
  SmallVector<BlockArgument> parameters;
  for (BlockArgument argument : func.getArguments()) {
    auto kind = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  kindAttrName);
    if (kind && kind.getValue() == "parameter")
      parameters.push_back(argument);
  }
  return parameters;
}

// `blocks.wq#3` where the parameter is a part of a stack.
static std::string symbolOf(BlockArgument parameter) {
  auto func = cast<func::FuncOp>(parameter.getOwner()->getParentOp());
  return stateSymbolOf(func.getArgAttrDict(parameter.getArgNumber()));
}

static bool matches(const llvm::GlobPattern &glob, BlockArgument parameter) {
  return glob.match(argumentName(parameter)) || glob.match(symbolOf(parameter));
}

LogicalResult dist::chooseStates(func::FuncOp func, int stage,
                                 ArrayRef<std::string> entries,
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
  for (const std::string &entry : entries) {
    auto [text, value] = StringRef(entry).rsplit('=');
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(text);
    if (!glob)
      return func.emitError("--state: expected a glob, found '")
             << text << "': " << llvm::toString(glob.takeError());
    int wanted = -1;
    if (value != "keep" && value != "gather" &&
        (value.getAsInteger(10, wanted) || wanted < 0 || wanted > 3))
      return func.emitError("--state: expected one of 0|1|2|3|keep|gather, "
                            "found '")
             << value << "' for '" << text << "'";
    bool any = false;
    for (BlockArgument parameter : parameters) {
      if (!matches(*glob, parameter))
        continue;
      any = true;
      StateChoice &own = step.states[parameter];
      Said &before = said[parameter];
      if (wanted >= 0 && !before.stage) {
        own.stage = wanted;
        before.stage = true;
      } else if (wanted < 0 && !before.gathered) {
        own.gathered = value == "keep" ? Gathered::Kept : Gathered::Again;
        before.gathered = true;
      }
    }
    if (!any)
      return func.emitError("--state: '")
             << text << "' is the name of no parameter";
  }
  return success();
}

KeptBytes dist::keepGathered(func::FuncOp func, const PlacedStep &placed,
                             const StepCost &cost, double memory,
                             StepSharding &step, double reserve) {
  struct Candidate {
    Value parameter;
    double bytes, seconds;
  };
  SmallVector<Candidate> candidates;
  for (BlockArgument parameter : findParameters(func)) {
    StateChoice &own = step.states[parameter];
    if (own.gathered != Gathered::Open)
      continue;
    StepCost::Gathers gathers = cost.gathersOf(placed, parameter);
    if (gathers.bytes == 0)
      continue;
    own.gathered = Gathered::Again;
    candidates.push_back({parameter, gathers.bytes, gathers.again});
  }
  // Of equals those that are read last: they are held least long.
  std::reverse(candidates.begin(), candidates.end());
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.seconds * b.bytes > b.seconds * a.bytes;
  });
  KeptBytes bytes;
  double most = 0;
  if (memory > 0 && !candidates.empty())
    most = (1 - reserve) * memory - cost.measure(placed).bytes();
  for (const Candidate &candidate : candidates)
    if (bytes.kept + candidate.bytes <= most) {
      bytes.kept += candidate.bytes;
      step.states[candidate.parameter].gathered = Gathered::Kept;
    } else {
      bytes.left += candidate.bytes;
    }
  return bytes;
}

// The name with `*` for each run of digits; what a glob would read otherwise is
// any character.
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

std::vector<std::string> dist::printStates(func::FuncOp func, int stage,
                                           const StepSharding &step) {
  SmallVector<BlockArgument> parameters = findParameters(func);
  // Parameters that a pattern matches, which may be more than it was made of.
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
  std::vector<std::string> entries;
  auto add = [&](const std::string &name, const StateChoice &choice) {
    if (choice.stage != stage)
      entries.push_back(name + "=" + std::to_string(choice.stage));
    if (choice.gathered != Gathered::Open)
      entries.push_back(
          name + (choice.gathered == Gathered::Kept ? "=keep" : "=gather"));
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
