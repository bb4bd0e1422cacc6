// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/ExplainStep.h"
#include "passes/Distribute/StepParameters.h"
#include "passes/Distribute/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

// ------------------------------------------------------------------- texts

std::string dist::formatAmount(double amount, StringRef unit) {
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  double size = std::abs(amount);
  size_t i = 0;
  for (; size >= 1000 && i + 1 < std::size(prefixes); ++i)
    size /= 1000;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (amount < 0 ? "-" : "")
     << llvm::format(i == 0 ? "%.0f " : "%.2f ", size) << prefixes[i] << unit;
  return text;
}

std::string StepExplainer::formatSeconds(double seconds) {
  double size = std::abs(seconds);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (seconds < 0 ? "-" : "");
  if (size >= 1)
    os << llvm::format("%.2f s", size);
  else if (size >= 1e-3)
    os << llvm::format("%.2f ms", size * 1e3);
  else
    os << llvm::format("%.1f us", size * 1e6);
  return text;
}

std::string dist::listFew(ArrayRef<std::string> names, size_t most) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < most; ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::string StepExplainer::words(const Placement &placement) const {
  const MeshAxes &mesh = trials.mesh();
  std::string text;
  for (auto [d, list] : llvm::enumerate(placement.dims)) {
    AxisList devices, time;
    for (unsigned axis : list)
      (mesh.isTemporal(axis) ? time : devices).push_back(axis);
    std::string dim = " in dim " + std::to_string(d);
    if (!time.empty())
      text += (text.empty() ? "" : ", ") +
              std::string("a microbatch at a time") + dim;
    if (!devices.empty())
      text += (text.empty() ? "" : ", ") + std::string("split over ") +
              mesh.textOf(devices, "+") + dim;
  }
  if (text.empty())
    text = "whole on every device";
  AxisList devices, time;
  for (unsigned axis : placement.partial)
    (mesh.isTemporal(axis) ? time : devices).push_back(axis);
  if (!devices.empty())
    text += ", each device of " + mesh.textOf(devices, "+") +
            " has a part of the sum";
  if (!time.empty())
    text += ", each microbatch has a part of the sum";
  return text;
}

std::string StepExplainer::shardText(const Placement &placement,
                                     unsigned lead) const {
  const MeshAxes &mesh = trials.mesh();
  std::string text;
  for (unsigned d = 0; d < lead; ++d)
    text += "-,";
  for (const AxisList &list : placement.dims) {
    AxisList devices;
    for (unsigned axis : list)
      if (!mesh.isTemporal(axis))
        devices.push_back(axis);
    text += (devices.empty() ? "-" : mesh.textOf(devices, "+")) + ",";
  }
  if (!text.empty())
    text.pop_back();
  return text;
}

std::string StepExplainer::nameOf(Value v) const {
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    StringRef name = argumentName(argument);
    return name.empty() ? "state" : ("'" + name + "'").str();
  }
  return describe(v.getDefiningOp());
}

// "train.dot_general at zoo.py:133 (backward)".
std::string StepExplainer::describe(Operation *op) const {
  std::string text = op->getName().getStringRef().str();
  if (std::string at = locationName(op->getLoc()); !at.empty())
    text += " at " + at;
  auto tag = op->getAttrOfType<StringAttr>(train::tagAttrName);
  if (tag && tag.getValue() != "forward")
    text += (" (" + tag.getValue() + ")").str();
  return text;
}

// --------------------------------------------------------------- decisions

StepExplainer::StepExplainer(ModuleOp module, const DistributeOptions &options)
    : trials(module, options), pinned(false) {
  for (BlockArgument argument : trials.func().getArguments())
    pinned |=
        bool(trials.func().getArgAttr(argument.getArgNumber(), pinAttrName));
}

LogicalResult StepExplainer::prepare() {
  FailureOr<DecidedSharding> result = trials.decide(origins);
  if (failed(result))
    return failure();
  decided = std::move(*result);
  figures = plain = trials.measure(decided);
  if (pinned)
    if (auto anew = trials.measure(trials.base()))
      plain = *anew;
  // Each trial walks the whole step: fewer for large ones.
  size_t numOps = std::max<size_t>(decided.step.ops.size(), 1);
  trialsLeft =
      static_cast<unsigned>(std::clamp<size_t>(400000 / numOps, 12, 64));
  return success();
}

std::string StepExplainer::tellOrigin(const Origin *origin,
                                      unsigned axis) const {
  const MeshAxes &mesh = trials.mesh();
  if (!origin)
    return pinned ? "chosen op by op among the plans of this mesh (mixed)"
                  : "follows from its neighbors";
  switch (origin->kind) {
  case Origin::Annotated:
    return origin->text;
  case Origin::Batch:
    return ("role '" + mesh.wholeNameOf(axis) +
            "': the first dim of inputs is the batch")
        .str();
  case Origin::Context:
    return "role 'context': the second dim of inputs is the sequence";
  case Origin::Expert:
    return "role 'expert': products read it expert by expert";
  case Origin::Tensor:
    return "role 'tensor': " + origin->text;
  case Origin::Sequence:
    return "sequence sharding: each device needs only its part of the sum "
           "over " +
           mesh.nameOf(axis).str();
  case Origin::Moved:
    return "moved by the local search, which saves " +
           formatAmount(origin->bytes, "B") + " of transfers";
  case Origin::Carried:
    break;
  }
  // Back to where it began.
  SmallVector<std::string> path;
  constexpr int mostHops = 1000; // no chain is that long
  for (int hop = 0; origin && origin->kind == Origin::Carried && hop < mostHops;
       ++hop) {
    if (origin->op) {
      path.push_back(describe(origin->op));
      origin = origins->find(origin->op, axis);
    } else {
      Value v = origin->value;
      origin = origins->find(v, axis);
      if (isa<BlockArgument>(v) ||
          (origin && origin->kind != Origin::Carried) || !origin)
        path.push_back(nameOf(v));
    }
  }
  path.erase(llvm::unique(path), path.end());
  std::string text = "carried from " + path.front();
  if (path.size() > 2)
    text += ", which has it through " + std::to_string(path.size() - 2) +
            " other " + (path.size() == 3 ? "op" : "ops");
  if (path.size() > 1)
    text += (path.size() > 2 ? " from " : ", which has it from ") + path.back();
  if (origin)
    text += " (" + tellOrigin(origin, axis) + ")";
  return text;
}

std::string StepExplainer::originOf(Value v, unsigned axis) const {
  return tellOrigin(origins->find(v, axis), axis);
}
std::string StepExplainer::originOf(Operation *op, unsigned axis) const {
  return tellOrigin(origins->find(op, axis), axis);
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
  os << "  sharding: " << words(own);
  if (!own.dims.empty())
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
    os << "  whole: no role and no annotation splits it, and no neighbor "
          "would gain\n";
  const Placement &stored = step.arguments.find(first)->second;
  if (stored != own)
    os << "  stored: " << words(stored) << " (ZeRO " << decided.zero
       << "), gathered where it is read\n";
  StepParameters parameters(func);
  llvm::MapVector<StringRef, Placement> states;
  for (BlockArgument argument : func.getArguments())
    if (isParameter && kindOf(argument) != "parameter" &&
        parameters.of(func.getArgAttrDict(argument.getArgNumber())) == first)
      states.insert({kindOf(argument), step.arguments.find(argument)->second});
  for (auto &[kind, placement] : states)
    os << "  " << kind << ": " << words(placement)
       << (placement == own ? std::string()
                            : " (ZeRO " + std::to_string(decided.zero) + ")")
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
    if (isa<train::AdamWOp, train::SgdOp>(op))
      if (auto state = dyn_cast<BlockArgument>(op.getOperand(0));
          state &&
          parameters.of(func.getArgAttrDict(state.getArgNumber())) == first)
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
    if (own.partial.empty() && rankOf(op->getResult(0)) > 0)
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

// -------------------------------------------------------------------- plan

std::string StepExplainer::explainRoles() {
  const MeshAxes &mesh = trials.mesh();
  const StepSharding &step = decided.step;
  std::string text;
  llvm::raw_string_ostream os(text);
  AxisList batch;
  for (unsigned axis : step.batchAxes)
    if (!mesh.isTemporal(axis))
      batch.push_back(axis);
  if (!batch.empty())
    os << "  batch: split over " << mesh.textOf(batch, "+") << "\n";
  if (!step.stateAxes.empty())
    os << "  state: ZeRO " << decided.zero
       << (decided.zero ? ", split over " + mesh.textOf(step.stateAxes, "+")
                        : std::string(", whole on every device"))
       << "\n";
  if (!origins->classes.empty()) {
    os << "  tensor: dims of parameters that products pair, fewest bytes moved "
          "for the work divided first:\n";
    // Those of repeated layers are told once.
    std::vector<std::pair<const ShardingOrigins::Class *, int>> alike;
    for (const ShardingOrigins::Class &own : origins->classes) {
      auto at = llvm::find_if(alike, [&](const auto &entry) {
        return entry.first->moved == own.moved &&
               entry.first->flops == own.flops &&
               entry.first->verdict == own.verdict;
      });
      if (at == alike.end())
        alike.emplace_back(&own, 0);
      else
        ++at->second;
    }
    for (auto &[own, more] : alike)
      os << "    "
         << llvm::formatv("{0,-42} moves {1,-10} divides {2,-13} {3}",
                          own->dims, formatAmount(own->moved, "B"),
                          formatAmount(own->flops, "flop"), own->verdict)
         << (more ? "; " + std::to_string(more) + " more are like it" : "")
         << "\n";
  }
  for (const ShardingOrigins::SequenceTrial &tried : origins->sequence)
    os << "  sequence: between sums over " << mesh.nameOf(tried.axis)
       << (tried.kept ? " split: it moves " : " whole: split it would move ")
       << formatAmount(tried.after, "B") << " instead of "
       << formatAmount(tried.before, "B") << "\n";
  return text;
}

std::string StepExplainer::explainOptions() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "  estimate: " << formatSeconds(figures.seconds())
     << " a step (compute " << formatSeconds(figures.compute)
     << ", communication " << formatSeconds(figures.communication)
     << " if nothing overlaps), " << formatAmount(figures.bytes(), "B")
     << " a device\n";
  os << "  other options would change that by:\n";
  auto tell = [&](const std::string &option, const StepSetup &tried) {
    if (auto measured = trials.measure(tried))
      os << "    " << llvm::formatv("{0,-25}", option) << changes(*measured)
         << "\n";
  };
  if (!decided.step.stateAxes.empty())
    for (int stage = 0; stage <= 3; ++stage) {
      StepSetup tried = trials.base();
      tried.options.zero = stage;
      if (stage != decided.zero)
        tell("--zero " + std::to_string(stage), tried);
    }
  int64_t shards = 1;
  for (unsigned axis : decided.step.batchAxes)
    if (!trials.mesh().isTemporal(axis))
      shards *= trials.mesh().sizeOf(axis);
  for (int64_t count = 1; count * shards <= trials.batch() && count <= 8;
       count *= 2) {
    StepSetup tried = trials.base();
    tried.microbatches = count;
    if (count != trials.base().microbatches)
      tell("--microbatches " + std::to_string(count), tried);
  }
  if (trials.base().options.shardSequence &&
      !decided.step.sequenceAxes.empty()) {
    StepSetup tried = trials.base();
    tried.options.shardSequence = false;
    tell("--disable shard-sequence", tried);
  }
  return text;
}
