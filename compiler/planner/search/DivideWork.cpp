// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/search/DivideWork.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Sharding/OpWork.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include <array>
#include <map>
#include <set>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;
using planning::PlanAnnotation;

// The share of the model's operations that a division must save to be worth an
// annotation.
static constexpr double worthwhile = 0.02;

WorkSum planner::sumWork(func::FuncOp step, const MeshAxes &mesh,
                         const StepSharding &decided) {
  WorkSum sum;
  for (Operation &op : step.getBody().front()) {
    OpWork own = workOf(&op, mesh, decided);
    sum.model += own.model;
    sum.padding += own.padding;
    sum.repeated += own.repeated;
  }
  return sum;
}

WorkDivider::WorkDivider(func::FuncOp step, const StepRules &rules)
    : step(step), classes(step.getBody().front(), rules.step) {}

std::optional<WorkDivider::Target>
WorkDivider::findAxis(const MeshAxes &mesh, const StepSharding &decided) {
  std::vector<Target> targets;
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    if (!mesh.mayDivide(axis))
      continue;
    std::string name = mesh.wholeNameOf(axis).str();
    auto at = llvm::find_if(
        targets, [&](const Target &own) { return own.name == name; });
    if (at == targets.end())
      at = targets.insert(at, Target{name, {}});
    at->axes.push_back(axis);
  }
  // Operations that a division along each target would save.
  std::vector<double> saved(targets.size());
  double model = 0;
  for (Operation &op : step.getBody().front()) {
    OpWork own = workOf(&op, mesh, decided);
    model += own.model;
    for (auto [sum, target] : llvm::zip_equal(saved, targets))
      if (llvm::all_of(target.axes, [&](unsigned axis) {
            return llvm::is_contained(own.over, axis);
          }))
        sum += own.executed() *
               (1 - 1 / static_cast<double>(mesh.shards(target.axes)));
  }
  auto most = llvm::max_element(saved);
  if (most == saved.end() || *most < worthwhile * model)
    return std::nullopt;
  return targets[most - saved.begin()];
}

// Layers are numbered: the glob of "blocks.0.wi" is "blocks.*.wi", if all other
// arguments that it matches are alike.
std::string WorkDivider::globOf(BlockArgument argument,
                                function_ref<bool(BlockArgument)> isAlike) {
  std::string name = argumentName(argument).str(), glob;
  auto isEnd = [&](size_t i) {
    return i >= name.size() || StringRef("._/").contains(name[i]);
  };
  for (size_t i = 0; i < name.size();) {
    size_t end = i;
    while (end < name.size() && llvm::isDigit(name[end]))
      ++end;
    if (end > i && (i == 0 || isEnd(i - 1)) && isEnd(end)) {
      glob += '*';
      i = end;
    } else {
      glob += name[i++];
    }
  }
  auto pattern = llvm::GlobPattern::create(glob);
  if (!pattern) {
    llvm::consumeError(pattern.takeError());
    return name;
  }
  for (BlockArgument other : step.getArguments())
    if (StringRef own = argumentName(other);
        !own.empty() && own != name && pattern->match(own) && !isAlike(other))
      return name;
  return glob;
}

// Returns where an argument lives, without the axes of a dim of one row: they
// divide nothing.
static Placement dividedBy(const StepSharding &decided,
                           BlockArgument argument) {
  auto seed = decided.seeds.find(argument);
  if (seed == decided.seeds.end())
    return Placement(train::shapeOf(argument));
  Placement own = seed->second;
  for (auto [d, extent] : llvm::enumerate(train::shapeOf(argument)))
    if (extent == 1)
      own.dims[d].clear();
  return own;
}

std::vector<SmallVector<WorkDivider::Dim>>
WorkDivider::findDims(const MeshAxes &mesh, const StepSharding &decided,
                      const Target &target) {
  auto isRepeated = [&](const OpWork &own) {
    return llvm::all_of(target.axes, [&](unsigned axis) {
      return llvm::is_contained(own.over, axis);
    });
  };
  std::vector<double> work = classes.sumWork([&](Operation *op) {
    auto it = decided.ops.find(op);
    if (it == decided.ops.end() || it->second.update)
      return 0.0;
    OpWork own = workOf(op, mesh, decided);
    return isRepeated(own) ? own.model : 0.0;
  });
  auto isFree = [&](BlockArgument argument) {
    Placement own = dividedBy(decided, argument);
    return llvm::none_of(target.axes,
                         [&](unsigned axis) { return own.uses(axis); });
  };
  // The dims by class: first those of inputs, then those of parameters.
  std::map<unsigned, std::array<SmallVector<Dim>, 2>> dims;
  for (BlockArgument argument : step.getArguments()) {
    bool input = step.getArgAttr(argument.getArgNumber(), zcc::inputAttrName) !=
                 nullptr,
         parameter = isParameter(argument);
    if ((!input && !parameter) || argumentName(argument).empty() ||
        step.getArgAttr(argument.getArgNumber(), zcc::randomKeyAttrName) ||
        !isFree(argument))
      continue;
    SmallVector<unsigned> seen; // a class can stand in an argument twice
    for (unsigned d = 0; d < rankOf(argument); ++d) {
      unsigned c = classes.of(argument, d);
      if (work[c] == 0 || train::shapeOf(argument)[d] == 1 ||
          llvm::is_contained(seen, c))
        continue;
      seen.push_back(c);
      auto isAlike = [&, d = d](BlockArgument other) {
        return other.getType() == argument.getType() && isFree(other) &&
               dividedBy(decided, other) == dividedBy(decided, argument) &&
               work[classes.of(other, d)] > 0;
      };
      dims[c][parameter].push_back({globOf(argument, isAlike), argument, d});
    }
  }
  // Classes of inputs come first, because splitting inputs leaves the
  // parameters as they are, unless a class of parameters divides clearly more
  // work.
  constexpr double clearly = 0.8;
  std::vector<std::pair<double, SmallVector<Dim>>> found;
  for (auto &[c, lists] : dims) {
    bool ofParameters = lists[0].empty();
    found.emplace_back(work[c] * (ofParameters ? clearly : 1),
                       std::move(lists[ofParameters]));
  }
  // Classes are numbered in the order of arguments; names are not.
  llvm::sort(found, [](const auto &a, const auto &b) {
    auto name = [](const auto &own) {
      return argumentName(own.second.front().argument);
    };
    return a.first != b.first ? a.first > b.first : name(a) < name(b);
  });
  std::vector<SmallVector<Dim>> out;
  for (auto &[work, own] : found)
    out.push_back(std::move(own));
  return out;
}

// Returns the annotation, as --shard takes it, that keeps the argument where it
// lives and adds `target` to dim `d`.
static PlanAnnotation annotate(func::FuncOp step, const std::string &glob,
                               BlockArgument argument, unsigned d,
                               const std::string &target, const MeshAxes &mesh,
                               const Placement &has) {
  PlanAnnotation annotation{glob, {}};
  // The argument may be a part of a stack: its annotation begins with the
  // stack's dims.
  auto file = step.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(),
                                                       fileShapeAttrName);
  size_t lead = file ? file.size() - rankOf(argument) : 0;
  annotation.dims.resize(lead + rankOf(argument));
  for (auto [i, axes] : llvm::enumerate(has.dims)) {
    auto &names = annotation.dims[lead + i].axes;
    for (unsigned axis : axes)
      if (std::string name = mesh.wholeNameOf(axis).str();
          !mesh.isTemporal(axis) && !llvm::is_contained(names, name))
        names.push_back(std::move(name));
    if (i == d)
      names.push_back(target);
  }
  return annotation;
}

std::vector<PlanAnnotation> WorkDivider::find(const planning::Plan &plan,
                                              const MeshAxes &mesh,
                                              const DecidedSharding &before,
                                              Decide decide) {
  constexpr int mostTrials = 12;
  std::vector<PlanAnnotation> added;
  std::set<std::string> failed; // by the first argument and its axis
  DecidedSharding decided = before;
  WorkSum now = sumWork(step, mesh, decided.step);
  int trials = 0;
  for (bool any = true; any;) {
    any = false;
    std::optional<Target> target = findAxis(mesh, decided.step);
    if (!target)
      break;
    for (const SmallVector<Dim> &dims : findDims(mesh, decided.step, *target)) {
      std::string name = argumentName(dims.front().argument).str() + ":" +
                         std::to_string(dims.front().dim) + target->name;
      if (failed.count(name))
        continue;
      if (trials++ == mostTrials)
        return added;
      std::vector<PlanAnnotation> own = added;
      std::set<std::string> globs;
      for (const Dim &dim : dims) {
        if (!globs.insert(dim.glob).second)
          continue;
        PlanAnnotation one =
            annotate(step, dim.glob, dim.argument, dim.dim, target->name, mesh,
                     dividedBy(decided.step, dim.argument));
        llvm::erase_if(own, [&](const PlanAnnotation &other) {
          return other.glob == one.glob;
        });
        own.push_back(std::move(one));
      }
      planning::Plan tried = plan;
      llvm::append_range(tried.shard, own);
      FailureOr<DecidedSharding> result = decide(tried);
      WorkSum then = now;
      if (succeeded(result))
        then = sumWork(step, mesh, result->step);
      if (then.extra() > now.extra() - worthwhile * now.model) {
        failed.insert(name);
        continue;
      }
      added = std::move(own);
      decided = std::move(*result);
      now = then;
      any = true;
      break;
    }
  }
  return added;
}
