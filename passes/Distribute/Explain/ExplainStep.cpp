// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Explain/ExplainStep.h"
#include "passes/Distribute/Place/StepParameters.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

StepExplainer::StepExplainer(ModuleOp module, const DistributeOptions &options)
    : trials(module, options), mixed(module->hasAttr(consideredAttrName)) {}

LogicalResult StepExplainer::prepare() {
  FailureOr<DecidedSharding> result = trials.decide(origins);
  if (failed(result))
    return failure();
  decided = std::move(*result);
  figures = trials.measure(decided);
  // Each trial walks the whole step: fewer for large ones.
  size_t numOps = std::max<size_t>(decided.step.ops.size(), 1);
  trialsLeft =
      static_cast<unsigned>(std::clamp<size_t>(400000 / numOps, 12, 64));
  return success();
}

// ---------------------------------------------------------------- subjects

StepExplainer::Subject
StepExplainer::explainArguments(StringRef name,
                                ArrayRef<BlockArgument> arguments) {
  const MeshAxes &mesh = trials.mesh();
  func::FuncOp func = trials.func();
  const StepSharding &step = decided.step;
  BlockArgument first = arguments.front();
  auto kindOf = [&](BlockArgument argument) {
    auto kind = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  kindAttrName);
    return kind ? kind.getValue() : StringRef();
  };
  bool isParameter = kindOf(first) == "parameter";
  auto file = func.getArgAttrOfType<DenseI64ArrayAttr>(first.getArgNumber(),
                                                       fileShapeAttrName);
  unsigned lead = file ? file.size() - rankOf(first) : 0;

  std::string text;
  llvm::raw_string_ostream os(text);
  os << name << ": " << (isParameter ? "parameter " : "input ")
     << train::tensorType(first);
  if (arguments.size() > 1)
    os << ", one of " << arguments.size() << " parts of a stack";
  os << "\n";
  const Placement &own = step.seeds.find(first)->second;
  bool pinned = trials.pins().arguments.contains(first);
  os << "  sharding: " << words(own);
  if (!own.dims.empty() && (mixed || !pinned))
    os << "; as an option: --shard '" << name << "=" << shardText(own, lead)
       << "'";
  os << "\n";
  for (auto [d, extent] : llvm::enumerate(own.extents))
    if (extent != train::shapeOf(first)[d])
      os << "  dim " << d << " of " << train::shapeOf(first)[d]
         << " does not divide: padded to " << extent << "\n";
  bool any = false;
  for (const AxisList &list : own.dims)
    for (unsigned axis : list) {
      os << "  over " << mesh.nameOf(axis) << ": " << originOf(first, axis)
         << "\n";
      any = true;
    }
  if (!any && rankOf(first) > 0)
    os << "  whole: "
       << (pinned ? tellPin()
                  : "no role and no annotation splits it, and no neighbor "
                    "would gain")
       << "\n";
  const Placement &stored = step.arguments.find(first)->second;
  if (stored != own)
    os << "  stored: " << words(stored) << " (ZeRO "
       << step.stateOf(first)->stage << "), gathered where it is read\n";
  if (isParameter)
    tellGathers(first, os);
  StepParameters parameters(func);
  llvm::MapVector<StringRef, Placement> states; // by role, slots by name
  for (BlockArgument argument : func.getArguments())
    if (isParameter && kindOf(argument) != "parameter" &&
        parameters.of(func.getArgAttrDict(argument.getArgNumber())) == first) {
      auto slot = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    slotAttrName);
      states.insert({slot ? slot.getValue() : kindOf(argument),
                     step.arguments.find(argument)->second});
    }
  for (auto &[name, placement] : states)
    os << "  " << name << ": " << words(placement)
       << (placement == own || placement.isWhole()
               ? std::string()
               : " (ZeRO " + std::to_string(step.stateOf(first)->stage) + ")")
       << "\n";

  SmallVector<Value> values(arguments.begin(), arguments.end());
  if (rankOf(first) > 0)
    listAlternatives(values, lead, os);
  if (isParameter && !step.stateAxes.empty()) {
    os << "  other stages of ZeRO, for all parameters:\n";
    for (int stage = 0; stage <= 3; ++stage)
      if (stage != decided.zero && trialsLeft) {
        --trialsLeft;
        StepSetup tried = trials.base();
        tried.options.zero = stage;
        if (auto measured = trials.measure(tried))
          os << "    " << llvm::formatv("--zero {0,-17}", stage)
             << changes(*measured) << "\n";
      }
  }
  listMoves(first, isParameter ? "parameter" : "input", os);
  for (Operation &op : *first.getOwner()) {
    for (Value result : op.getResults())
      if (auto it = step.parameterOf.find(result);
          it != step.parameterOf.end() && it->second == first)
        listMoves(result, "gradient", os);
    if (StepParameters::isUpdate(&op) && parameters.ofUpdate(&op) == first)
      for (Value result : op.getResults())
        listMoves(result, "updated state", os);
  }
  return {name.str(), text};
}

// Ops that are sharded alike for the same reasons are told once.
std::string
StepExplainer::explainOps(StringRef name,
                          ArrayRef<std::pair<Operation *, unsigned>> ops) {
  const MeshAxes &mesh = trials.mesh();
  PlacedStep placed{mesh, decided.step, decided.partials};
  struct Group {
    std::string text;
    SmallVector<std::pair<Operation *, unsigned>> members;
  };
  std::vector<Group> groups;
  llvm::StringMap<size_t> numbers; // of groups, by what they do and where
  // Those that only follow their neighbors, by where they live.
  std::vector<std::pair<std::string, SmallVector<std::string>>> others;
  constexpr size_t few = 4; // all of them are worth a look
  for (auto [op, k] : ops) {
    auto it = decided.step.ops.find(op);
    if (it == decided.step.ops.end() || op->getNumResults() == 0)
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    auto tag = op->getAttrOfType<StringAttr>(train::tagAttrName);
    os << op->getName() << " " << op->getResult(0).getType();
    if (tag)
      os << ", " << tag.getValue();
    Placement own = placed.computed(op->getResult(0));
    bool moves = llvm::any_of(
        op->getResults(), [&](Value v) { return !placed.demands(v).empty(); });
    if (ops.size() > few && !moves && !isa<train::DotGeneralOp>(op) &&
        (op->hasTrait<train::ElementwiseOp>() ||
         op->hasTrait<train::DataMovementOp>() ||
         isa<train::ConstantOp, train::BroadcastOp>(op))) {
      std::string where = words(own);
      auto at = llvm::find_if(
          others, [&](const auto &entry) { return entry.first == where; });
      if (at == others.end()) {
        others.push_back({where, {}});
        at = std::prev(others.end());
      }
      at->second.push_back("#" + std::to_string(k));
      continue;
    }
    std::string key = text + words(own);
    for (auto [i, v] : llvm::enumerate(op->getOperands()))
      key += words(it->second.operand(mesh, i));
    os << "\n  sharding: " << words(own);
    if (own.partial.empty() && rankOf(op->getResult(0)) > 0 &&
        (mixed || !trials.pins().ops.contains(op)))
      os << "; as an option: --shard '" << name << "=" << shardText(own, 0)
         << "'";
    os << "\n";
    for (unsigned axis = 0; axis < mesh.size(); ++axis)
      if (it->second.uses(axis))
        os << "  over " << mesh.nameOf(axis) << ": " << originOf(op, axis)
           << "\n";
    for (auto [i, v] : llvm::enumerate(op->getOperands()))
      os << "  reads " << nameOf(v) << " " << words(it->second.operand(mesh, i))
         << "\n";
    auto [at, isNew] = numbers.try_emplace(key, groups.size());
    if (isNew)
      groups.push_back({text, {}});
    groups[at->second].members.push_back({op, k});
  }
  std::string all;
  llvm::raw_string_ostream os(all);
  for (auto &[text, members] : groups) {
    SmallVector<std::string> names;
    for (auto &[op, k] : members)
      names.push_back("#" + std::to_string(k));
    os << name << listFew(names, 8) << ": " << text;
    Operation *op = members.front().first;
    Value v = op->getResult(0);
    if (rankOf(v) > 0 && !isa<train::ConstantOp>(op) &&
        !decided.step.ops.find(op)->second.update)
      listAlternatives(v, 0, os);
    for (Value result : op->getResults())
      listMoves(result, "value", os);
  }
  for (auto &[where, members] : others)
    os << name << listFew(members, 8)
       << ": elementwise and the like, sharded as their neighbors: " << where
       << "\n";
  return all;
}

SmallVector<StepExplainer::Line> StepExplainer::getLines() const {
  func::FuncOp func = trials.func();
  SmallVector<Line> list;
  llvm::StringMap<size_t> numbers;
  for (Operation &op : func.getBody().front()) {
    if (!decided.step.ops.contains(&op) || op.getNumResults() == 0)
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
  for (BlockArgument argument : trials.func().getArguments())
    if (StringRef name = argumentName(argument);
        !name.empty() && seen.insert(name).second)
      names.push_back(name.str());
  for (Line &line : getLines())
    if (seen.insert(line.name).second)
      names.push_back(line.name);
  return names;
}

std::vector<StepExplainer::Subject> StepExplainer::explain(StringRef text) {
  std::vector<Subject> subjects;
  auto parsed = llvm::GlobPattern::create(text);
  std::optional<llvm::GlobPattern> glob;
  if (parsed)
    glob = std::move(*parsed);
  else
    llvm::consumeError(parsed.takeError());
  auto matches = [&](StringRef name) {
    return name == text || (glob && glob->match(name));
  };
  func::FuncOp func = trials.func();
  llvm::MapVector<StringRef, SmallVector<BlockArgument>> arguments;
  for (BlockArgument argument : func.getArguments()) {
    auto kind = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  kindAttrName);
    bool isState =
        kind && kind.getValue() != "parameter" && kind.getValue() != "input";
    StringRef name = argumentName(argument);
    if (!isState && !name.empty() && matches(name))
      arguments[name].push_back(argument);
  }
  for (auto &[name, list] : arguments)
    subjects.push_back(explainArguments(name, list));
  if (!subjects.empty())
    return subjects;
  SmallVector<Line> lines = getLines();
  // In later phases there are others at a line, with other numbers.
  std::string whole = text.split('#').first.str();
  bool numbered = llvm::any_of(lines, [&](const Line &line) {
    for (size_t k = 0; k < line.ops.size(); ++k)
      if (matches(line.name + "#" + std::to_string(k)))
        return true;
    return false;
  });
  for (const Line &line : lines) {
    SmallVector<std::pair<Operation *, unsigned>> ops;
    bool all = matches(line.name) || (!numbered && line.name == whole);
    for (auto [k, op] : llvm::enumerate(line.ops))
      if (all || matches(line.name + "#" + std::to_string(k)))
        ops.push_back({op, static_cast<unsigned>(k)});
    if (!ops.empty())
      subjects.push_back({line.name, explainOps(line.name, ops)});
  }
  return subjects;
}
