// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Roles.h"
#include "passes/Distribute/DimClasses.h"
#include "passes/Distribute/ExplainOrigins.h"
#include "passes/Distribute/ValueNames.h"
#include "passes/Train/Globs.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using train::FactorRule;

namespace {

// One entry of a `--shard` text or of an annotation: the axes of a dim.
struct DimAnnotation {
  SmallVector<std::string> axes;
  bool open = false; // may take further axes
};
using Annotation = SmallVector<DimAnnotation>;

struct Seeder {
  func::FuncOp func;
  const MeshAxes &mesh;
  const Units &units;
  const SeedRequest &request;
  StepSharding &step;
  Block &block;
  SmallVector<BlockArgument> batched; // inputs whose first dim is the batch
  // Arguments that an annotation places: where it stands, and what it is.
  DenseMap<Value, std::pair<Location, std::string>> annotated;
  std::optional<unsigned> micro;

  Seeder(func::FuncOp func, const MeshAxes &mesh, const Units &units,
         const SeedRequest &request, StepSharding &step)
      : func(func), mesh(mesh), units(units), request(request), step(step),
        block(func.getBody().front()), micro(mesh.find("micro")) {
    if (micro && (!mesh.isTemporal(*micro) || mesh.sizeOf(*micro) == 1))
      micro = std::nullopt;
  }

  StringRef kindOf(BlockArgument argument) {
    auto kind = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  kindAttrName);
    return kind ? kind.getValue() : StringRef();
  }
  bool isParameter(BlockArgument argument) {
    return kindOf(argument) == "parameter";
  }
  // Of a parameter, with the part of a stack that it is.
  std::string nameOf(BlockArgument argument) {
    return stateSymbolOf(func.getArgAttrDict(argument.getArgNumber()));
  }
  // The axes of a role: one, or its parts.
  AxisList role(StringRef name) {
    AxisList axes = mesh.findAll(name).value_or(AxisList());
    llvm::erase_if(axes, [&](unsigned axis) { return mesh.sizeOf(axis) == 1; });
    return axes;
  }

  void note(Value v, ArrayRef<unsigned> axes, const Origin &origin) {
    if (step.origins)
      for (unsigned axis : axes)
        step.origins->note(v, axis, origin);
  }
  void noteAnnotation(Operation *op, const OpSharding &sharding, StringRef who,
                      Location at) {
    if (!step.origins)
      return;
    std::string text = who.str(), place = locationName(at);
    if (!place.empty() && !who.starts_with("--"))
      text += " at " + place;
    for (unsigned axis = 0; axis < mesh.size(); ++axis)
      if (sharding.uses(axis))
        step.origins->note(op, axis, {Origin::Annotated, text});
  }

  // Shards dim `d` of `v` over more axes.
  void give(Value v, unsigned d, ArrayRef<unsigned> axes, Origin::Kind why) {
    note(v, axes, {why});
    Placement &placement = step.seeds.find(v)->second;
    placement.dims[d].append(axes.begin(), axes.end());
    placement.extents[d] =
        mesh.pad(train::shapeOf(v)[d], units.of(v, d), placement.dims[d]);
  }

  // ------------------------------------------------------------ the batch

  LogicalResult findBatch() {
    llvm::StringSet<> names;
    for (BlockArgument argument : func.getArguments())
      if (auto name = func.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), zcc::inputAttrName))
        names.insert(name.getValue());
    for (const std::string &name : request.notBatched)
      if (!names.contains(name))
        return func.emitError("no input is named '")
               << name << "', which is said not to be batched";
    batched = findBatched(func, request.notBatched);
    return success();
  }

  void seedBatch() {
    AxisList axes; // in the order of the mesh
    for (unsigned axis = 0; axis < mesh.size(); ++axis) {
      StringRef name = mesh.wholeNameOf(axis);
      bool shards = axis == micro || name == "data" || name == "expert";
      if (!shards || mesh.sizeOf(axis) == 1)
        continue;
      if (batched.empty()) {
        func.emitWarning("no input has a batch: every device of axis '")
            << name << "' does the same work";
        continue;
      }
      axes.push_back(axis);
    }
    for (BlockArgument input : batched) {
      if (!annotated.contains(input))
        give(input, 0, axes, Origin::Batch);
      else if (micro && !step.seeds.find(input)->second.uses(*micro))
        prepend(input, *micro);
    }
    // What annotations split the batch by counts too.
    for (BlockArgument input : batched)
      for (unsigned axis : step.seeds.find(input)->second.dims[0])
        if (!llvm::is_contained(step.batchAxes, axis))
          step.batchAxes.push_back(axis);
    llvm::sort(step.batchAxes);
  }

  void prepend(Value v, unsigned axis) {
    Placement &placement = step.seeds.find(v)->second;
    AxisList &axes = placement.dims[0];
    axes.insert(axes.begin(), axis);
    placement.extents[0] = mesh.pad(train::shapeOf(v)[0], units.of(v, 0), axes);
  }

  // ------------------------------------------------------------ annotations

  // Where the annotation places a value; failure after `emit` has reported.
  template <typename Emit>
  FailureOr<Placement> place(Value v, const Annotation &annotation, Emit emit) {
    Placement placement(train::shapeOf(v));
    // The first dims of a stack are not those of its parts.
    size_t lead = annotation.size() - placement.dims.size();
    SmallVector<int> used(mesh.size(), -1);
    for (auto [d, entry] : llvm::enumerate(annotation)) {
      for (const std::string &name : entry.axes) {
        std::optional<AxisList> axes = mesh.findAll(name);
        if (!axes) {
          emit() << "the mesh has no axis '" << name << "'";
          return failure();
        }
        for (unsigned axis : *axes) {
          if (mesh.isTemporal(axis)) {
            emit() << "axis '" << name << "' divides time, not a value";
            return failure();
          }
          if (used[axis] >= 0) {
            emit() << "axis '" << name << "' shards dims " << used[axis]
                   << " and " << d;
            return failure();
          }
          used[axis] = d;
        }
        if (d < lead) {
          emit() << "not yet: dim " << d
                 << " of a stack that is split into its layers is sharded "
                    "over '"
                 << name << "'";
          return failure();
        }
        for (unsigned axis : *axes)
          if (mesh.sizeOf(axis) > 1)
            placement.dims[d - lead].push_back(axis);
      }
      if (d >= lead)
        placement.extents[d - lead] =
            mesh.pad(train::shapeOf(v)[d - lead], units.of(v, d - lead),
                     placement.dims[d - lead]);
    }
    return placement;
  }

  static std::optional<Annotation> parse(ArrayAttr attr) {
    Annotation annotation;
    for (Attribute dim : attr) {
      auto list = dyn_cast<ArrayAttr>(dim);
      if (!list)
        return std::nullopt;
      DimAnnotation &entry = annotation.emplace_back();
      for (Attribute a : list) {
        auto name = dyn_cast<StringAttr>(a);
        if (!name)
          return std::nullopt;
        if (name.getValue() == "?")
          entry.open = true;
        else
          entry.axes.push_back(name.str());
      }
    }
    return annotation;
  }

  LogicalResult annotate(BlockArgument argument, const Annotation &annotation,
                         Location at, StringRef who) {
    auto emit = [&]() {
      return emitError(at, "")
             << who << " of '" << argumentName(argument) << "': ";
    };
    auto file = func.getArgAttrOfType<DenseI64ArrayAttr>(
        argument.getArgNumber(), fileShapeAttrName);
    size_t rank = file ? file.size() : rankOf(argument);
    if (annotation.size() != rank) {
      emit() << "expected " << rank << " entries, one a dim, found "
             << annotation.size();
      return failure();
    }
    FailureOr<Placement> placement = place(argument, annotation, emit);
    if (failed(placement))
      return failure();
    if (request.instead && request.instead->arguments.contains(argument))
      return success();
    auto known = annotated.find(argument);
    Placement &own = step.seeds.find(argument)->second;
    if (known != annotated.end() && own != *placement) {
      InFlightDiagnostic diagnostic = emit();
      diagnostic << "contradicts another annotation";
      diagnostic.attachNote(known->second.first)
          << "which is " << known->second.second;
      return failure();
    }
    own = *placement;
    annotated.try_emplace(argument, std::make_pair(at, who.str()));
    for (const AxisList &axes : own.dims)
      note(argument, axes,
           {Origin::Annotated, who.starts_with("--")
                                   ? who.str()
                                   : (who + " in the text").str()});
    bool open = llvm::any_of(
        annotation, [](const DimAnnotation &entry) { return entry.open; });
    if (!open)
      step.open.erase(argument);
    return success();
  }

  void takeOverrides() {
    if (!request.instead)
      return;
    for (auto &[argument, placement] : request.instead->arguments) {
      step.seeds[argument] = placement;
      step.open.erase(argument);
      annotated.try_emplace(argument, argument.getLoc(), "");
    }
    for (auto &[op, factors] : request.instead->ops) {
      OpSharding &sharding = step.ops.find(op)->second;
      sharding.factors = factors;
      sharding.fixed = true;
    }
  }
  bool isOverridden(Operation *op) const {
    return request.instead && request.instead->ops.contains(op);
  }

  LogicalResult readAnnotations() {
    takeOverrides();
    // Of the text.
    for (BlockArgument argument : func.getArguments()) {
      auto attr = func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                   "zcc.sharding");
      if (!attr)
        continue;
      std::optional<Annotation> annotation = parse(attr);
      if (!annotation)
        return emitError(argument.getLoc(),
                         "expected lists of axes in 'zcc.sharding', found ")
               << attr;
      if (failed(annotate(argument, *annotation, argument.getLoc(),
                          "the sharding")))
        return failure();
    }
    for (const std::string &text : request.shard)
      if (failed(readOption(text)))
        return failure();
    for (Operation &op : block)
      if (auto constraint = dyn_cast<train::ShardingConstraintOp>(&op))
        if (failed(constrain(constraint)))
          return failure();
    return success();
  }

  LogicalResult readOption(StringRef text) {
    auto [glob, dims] = text.rsplit('=');
    std::string who = ("--shard=" + text).str();
    Globs globs;
    if (!globs.parse({glob.str()},
                     [&]() { return func.emitError("--shard: "); }))
      return failure();
    Annotation annotation;
    SmallVector<StringRef> entries, axes;
    dims.split(entries, ',');
    for (StringRef entry : entries) {
      DimAnnotation &dim = annotation.emplace_back();
      axes.clear();
      if (entry != "-" && entry != "?" && !entry.empty())
        entry.split(axes, '+');
      dim.open = entry == "?";
      for (StringRef axis : axes)
        dim.axes.push_back(axis.str());
    }
    for (BlockArgument argument : func.getArguments()) {
      bool state = !kindOf(argument).empty() && !isParameter(argument) &&
                   kindOf(argument) != "input";
      StringRef name = argumentName(argument);
      if (state || name.empty() || !globs.match(name))
        continue;
      if (failed(annotate(argument, annotation, argument.getLoc(), who)))
        return failure();
    }
    // Any other value goes by its location.
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto it = step.ops.find(&op);
      if (it == step.ops.end() || it->second.update ||
          op.getNumResults() != 1 || !globs.match(locationName(op.getLoc())))
        continue;
      auto emit = [&]() { return op.emitError(who) << ": "; };
      if (annotation.size() != rankOf(op.getResult(0)))
        continue; // a part of the computation at that line
      FailureOr<Placement> placement = place(op.getResult(0), annotation, emit);
      if (failed(placement))
        return failure();
      if (isOverridden(&op))
        continue;
      fix(&op, it->second, it->second.rule.results[0], *placement);
      noteAnnotation(&op, it->second, who, op.getLoc());
    }
    if (globs.getUnmatched())
      return func.emitError(who) << ": no parameter, input or location "
                                    "matches '"
                                 << glob << "'";
    return success();
  }

  // Fixes how `op` is sharded; false if its rule cannot say it.
  bool fix(Operation *op, OpSharding &sharding,
           const FactorRule::Tensor &tensor, const Placement &placement) {
    FactorPlacement factors = wholeFactors(sharding.rule);
    Placement own = placement;
    for (auto [d, dim] : llvm::enumerate(tensor))
      if (dim.empty()) { // an extent of 1: nothing to shard
        own.dims[d].clear();
        own.extents[d] = 1;
      }
    if (!mesh.toFactors(sharding.rule, tensor, own, factors))
      return false;
    sharding.factors = std::move(factors);
    sharding.fixed = true;
    return true;
  }

  LogicalResult constrain(train::ShardingConstraintOp op) {
    std::optional<Annotation> annotation = parse(op.getSharding());
    if (!annotation)
      return op.emitOpError("expected lists of axes in 'sharding'");
    auto emit = [&]() { return op.emitError("the sharding constraint: "); };
    FailureOr<Placement> placement = place(op.getResult(), *annotation, emit);
    if (failed(placement))
      return failure();
    if (isOverridden(op))
      return success();
    OpSharding &sharding = step.ops.find(op)->second;
    if (!fix(op, sharding, sharding.rule.results[0], *placement))
      return emit() << "cannot be written down";
    noteAnnotation(op, sharding, "the sharding constraint", op.getLoc());
    bool open = llvm::any_of(
        *annotation, [](const DimAnnotation &entry) { return entry.open; });
    sharding.fixed = !open;
    return success();
  }

  // ------------------------------------------------------------ other roles

  // The length of the sequence: the second dim of batched inputs of integers,
  // or of any; 0 if there is none.
  int64_t sequenceLength() {
    for (bool integers : {true, false})
      for (BlockArgument input : batched)
        if (rankOf(input) > 1 && (!integers || !train::isFloat(input)))
          return train::shapeOf(input)[1];
    return 0;
  }

  void findSequence(ArrayRef<unsigned> axes, DimClasses &classes) {
    int64_t length = sequenceLength();
    DenseSet<unsigned> sequence;
    for (BlockArgument input : batched)
      if (rankOf(input) > 1 && train::shapeOf(input)[1] == length)
        sequence.insert(classes.of(input, 1));
    if (sequence.empty())
      return;
    step.sequenceAxes.assign(axes.begin(), axes.end());
    for (Operation &op : block)
      for (Value v : op.getResults())
        for (unsigned d = 0; d < rankOf(v); ++d)
          if (sequence.contains(classes.of(v, d))) {
            step.sequenceDims.try_emplace(v, d);
            break;
          }
  }

  LogicalResult seedContext(ArrayRef<unsigned> axes) {
    int64_t length = sequenceLength();
    if (!length) {
      func.emitWarning("no input has a sequence: every device of axis 'context'"
                       " does the same work");
      return success();
    }
    for (BlockArgument input : batched)
      if (rankOf(input) > 1 && train::shapeOf(input)[1] == length &&
          !annotated.contains(input))
        give(input, 1, axes, Origin::Context);
    return success();
  }

  // Experts: what is a batching dim both of a product and of the parameter that
  // it reads.
  void seedExperts(ArrayRef<unsigned> axes, DimClasses &classes) {
    DenseSet<unsigned> experts;
    DenseSet<Value> owners; // what only stands beside them is left whole
    for (auto dot : block.getOps<train::DotGeneralOp>())
      for (bool left : {true, false}) {
        Value operand = left ? dot.getLhs() : dot.getRhs();
        BlockArgument argument = underlyingArgument(operand);
        if (!argument || !isParameter(argument))
          continue;
        for (int64_t d : left ? dot.getLhsBatching() : dot.getRhsBatching())
          experts.insert(classes.of(operand, d));
        if (!(left ? dot.getLhsBatching() : dot.getRhsBatching()).empty())
          owners.insert(argument);
      }
    for (BlockArgument argument : func.getArguments())
      if (owners.contains(argument) && !annotated.contains(argument))
        for (unsigned d = 0; d < rankOf(argument); ++d)
          if (experts.contains(classes.of(argument, d)) &&
              train::shapeOf(argument)[d] > 1) {
            give(argument, d, axes, Origin::Expert);
            step.open.erase(argument);
            break;
          }
  }

  // What seedTensor looked at, for people.
  void noteClasses(ArrayRef<unsigned> candidates,
                   const DenseSet<unsigned> &chosen,
                   const std::vector<double> &saved,
                   const std::vector<DimClasses::Facts> &facts,
                   const DimClasses &classes) {
    if (!step.origins)
      return;
    for (unsigned c : candidates) {
      ShardingOrigins::Class &own = step.origins->classes.emplace_back();
      own.moved = facts[c].moved;
      own.flops = facts[c].flops * saved[c];
      own.verdict = chosen.contains(c) ? "sharded"
                    : saved[c] <= 0    ? "divides nothing"
                                       : "stands beside one that is";
      unsigned more = 0;
      for (BlockArgument argument : func.getArguments())
        for (unsigned d = 0; isParameter(argument) && d < rankOf(argument); ++d)
          if (classes.of(argument, d) == c) {
            if (own.dims.empty())
              own.dims = nameOf(argument) + " dim " + std::to_string(d);
            else
              ++more;
          }
      if (more)
        own.dims += " and " + std::to_string(more) + " more";
    }
  }

  // Dims of the model, least bytes moved for the work divided first.
  void seedTensor(ArrayRef<unsigned> axes, DimClasses &classes) {
    DenseSet<unsigned> batch, ofInputs;
    for (BlockArgument argument : func.getArguments()) {
      if (!func.getArgAttr(argument.getArgNumber(), zcc::inputAttrName))
        continue;
      for (unsigned d = 0; d < rankOf(argument); ++d)
        ofInputs.insert(classes.of(argument, d));
    }
    for (BlockArgument input : batched)
      batch.insert(classes.of(input, 0));
    std::vector<DimClasses::Facts> facts = classes.measure(
        batch, static_cast<double>(mesh.shards(step.batchAxes)));

    // Classes that dims of parameters have. The first by name decides between
    // equals, so that the order of arguments does not matter.
    std::map<unsigned, std::string> firstName;
    SmallVector<unsigned> candidates;
    std::vector<double> saved(classes.size(), 0);
    for (BlockArgument argument : func.getArguments()) {
      if (!isParameter(argument) || annotated.contains(argument))
        continue;
      for (unsigned d = 0; d < rankOf(argument); ++d) {
        unsigned c = classes.of(argument, d);
        int64_t extent = train::shapeOf(argument)[d];
        if (extent < 2 || ofInputs.contains(c) ||
            !step.seeds.find(argument)->second.dims[d].empty())
          continue;
        std::string name =
            argumentName(argument).str() + ":" + std::to_string(d);
        std::string &least = firstName[c];
        if (least.empty() || name < least)
          least = name;
        double used =
            static_cast<double>(extent) /
            static_cast<double>(mesh.pad(extent, units.of(argument, d), axes));
        double share = 1 - 1 / (used * static_cast<double>(mesh.shards(axes)));
        if (!llvm::is_contained(candidates, c)) {
          candidates.push_back(c);
          saved[c] = share;
        } else {
          saved[c] = std::min(saved[c], share);
        }
      }
    }
    auto ratio = [&](unsigned c) {
      return facts[c].moved / std::max(facts[c].flops * saved[c], 1.0);
    };
    llvm::stable_sort(candidates, [&](unsigned a, unsigned b) {
      return std::make_pair(ratio(a), firstName[a]) <
             std::make_pair(ratio(b), firstName[b]);
    });
    DenseSet<unsigned> chosen;
    for (unsigned c : candidates) {
      if (saved[c] <= 0 || llvm::any_of(chosen, [&](unsigned other) {
            return facts[c].beside.contains(other);
          }))
        continue;
      chosen.insert(c);
    }
    noteClasses(candidates, chosen, saved, facts, classes);
    for (BlockArgument argument : func.getArguments()) {
      if (!isParameter(argument) || annotated.contains(argument))
        continue;
      for (unsigned d = 0; d < rankOf(argument); ++d)
        if (chosen.contains(classes.of(argument, d)) &&
            train::shapeOf(argument)[d] > 1 &&
            step.seeds.find(argument)->second.dims[d].empty()) {
          give(argument, d, axes, Origin::Tensor);
          if (step.origins) {
            unsigned c = classes.of(argument, d);
            note(argument, axes,
                 {Origin::Tensor,
                  "of the dims beside it this one moves least for the work "
                  "that it divides, " +
                      formatAmount(facts[c].moved, "B") + " for " +
                      formatAmount(facts[c].flops * saved[c], "flop")});
          }
          step.open.erase(argument);
          break;
        }
    }
  }

  LogicalResult run() {
    for (BlockArgument argument : func.getArguments()) {
      step.seeds.try_emplace(argument, Placement(train::shapeOf(argument)));
      if (isParameter(argument))
        step.open.insert(argument);
    }
    if (failed(findBatch()) || failed(readAnnotations()))
      return failure();
    seedBatch();
    AxisList context = role("context"), expert = role("expert"),
             tensor = role("tensor");
    if (!context.empty() && failed(seedContext(context)))
      return failure();
    if (!expert.empty() || !tensor.empty()) {
      DimClasses classes(block, step);
      if (!expert.empty())
        seedExperts(expert, classes);
      if (!tensor.empty()) {
        seedTensor(tensor, classes);
        if (request.shardSequence)
          findSequence(tensor, classes);
      }
    }
    for (unsigned axis = 0; axis < mesh.size(); ++axis) {
      if (mesh.sizeOf(axis) == 1 || mesh.isTemporal(axis))
        continue;
      bool used = llvm::any_of(step.seeds, [&](const auto &entry) {
        return entry.second.uses(axis);
      });
      used |= llvm::any_of(step.ops, [&](const auto &entry) {
        return entry.second.uses(axis); // annotated
      });
      if (!used && !request.pinned && !batched.empty())
        func.emitWarning("nothing is sharded over axis '")
            << mesh.nameOf(axis) << "': its " << mesh.sizeOf(axis)
            << " devices do the same work";
    }
    return success();
  }
};
} // namespace

SmallVector<BlockArgument>
dist::findBatched(func::FuncOp func, ArrayRef<std::string> notBatched) {
  SmallVector<BlockArgument> batched;
  std::map<int64_t, int> count; // by extent
  for (BlockArgument argument : func.getArguments()) {
    auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  zcc::inputAttrName);
    if (!name || rankOf(argument) == 0 ||
        llvm::is_contained(notBatched, name.getValue()))
      continue;
    batched.push_back(argument);
    ++count[train::shapeOf(argument)[0]];
  }
  int64_t batch = 0;
  for (auto [extent, times] : count) // ascending
    if (batch == 0 || times >= count[batch])
      batch = extent;
  llvm::erase_if(batched, [&](BlockArgument input) {
    return train::shapeOf(input)[0] != batch;
  });
  return batched;
}

LogicalResult dist::placeSeeds(func::FuncOp func, const MeshAxes &mesh,
                               const Units &units, const SeedRequest &request,
                               StepSharding &step) {
  return Seeder(func, mesh, units, request, step).run();
}
