// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/WriteShardings.h"
#include "passes/Distribute/Place/Propagation.h"
#include "passes/Distribute/Sharding/PlacedStep.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

namespace {
using train::Tag;

// Returns the part of the step that an op is in. Ops without a tag are at its
// end.
Tag partOf(Operation *op) { return train::tagOf(op).value_or(Tag::Update); }

struct Writer {
  const MeshAxes &mesh;
  const StepSharding &step;
  PlacedStep placed;
  Tag last; // the part that ops without a tag belong to

  ShardingAttr attr(Value v, const Placement &placement) const {
    return mesh.toAttr(placement, train::shapeOf(v));
  }

  // Returns true for sums over microbatches and devices of which each device
  // needs a shard.
  bool isScattered(const Placement &from, const Placement &to) const {
    auto isReduced = [&](bool temporal) {
      return llvm::any_of(from.partial, [&](unsigned axis) {
        return mesh.isTemporal(axis) == temporal && (temporal || to.uses(axis));
      });
    };
    return isReduced(true) && isReduced(false);
  }

  std::string reason(Operation *user, const Placement &from,
                     const Placement &to) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    auto axes = [&](ArrayRef<unsigned> list) { os << mesh.textOf(list, ", "); };
    if (from.partial.size() > to.partial.size()) {
      AxisList reduced;
      llvm::copy_if(
          from.partial, std::back_inserter(reduced),
          [&](unsigned axis) { return !llvm::is_contained(to.partial, axis); });
      bool overTime = llvm::all_of(
          reduced, [&](unsigned axis) { return mesh.isTemporal(axis); });
      llvm::erase_if(reduced,
                     [&](unsigned axis) { return mesh.isTemporal(axis); });
      os << (overTime ? "each microbatch" : "each device of ");
      axes(reduced);
      os << " has a part of the "
         << (from.reduction == train::ReduceKind::add ? "sum" : "reduction")
         << "; ";
    }
    os << user->getName() << " needs it ";
    bool any = false;
    for (auto [d, list] : llvm::enumerate(to.dims))
      if (!list.empty()) {
        os << (any ? ", " : "") << "split over ";
        axes(list);
        os << " in dim " << d;
        any = true;
      }
    if (!any)
      os << "whole";
    return text;
  }

  // Reshards so that sums are added in the same order whether state is split or
  // not, and so the stages of ZeRO give the same bits: over the axes that shard
  // the parameter itself, then over those of state, then over others.
  Value reshard(Value v, const Placement &from, const Placement &to,
                ArrayRef<Operation *> users, bool reduceFirst) const {
    Placement own = inParameter(v, from, to, reduceFirst);
    if (own != from)
      return reshardRest(reshardOnce(v, from, own, users, reduceFirst), own, to,
                         users, reduceFirst);
    return reshardRest(v, from, to, users, reduceFirst);
  }

  // Returns the placement of the parameter that `v` is the gradient of, if that
  // is sharded over an axis over which `from` is partial, and over all axes of
  // `from`.
  std::optional<Placement> parameterOf(Value v, const Placement &from) const {
    auto parameter = step.parameterOf.find(v);
    if (parameter == step.parameterOf.end())
      return std::nullopt;
    Placement own = step.seeds.find(parameter->second)->second;
    for (auto [before, after] : llvm::zip_equal(from.dims, own.dims))
      for (unsigned axis : before)
        if (!llvm::is_contained(after, axis))
          return std::nullopt;
    own.reduction = from.reduction;
    if (llvm::none_of(from.partial, [&](unsigned axis) {
          return !mesh.isTemporal(axis) && own.uses(axis);
        }))
      return std::nullopt;
    return own;
  }

  // Returns `from` once it is summed over the axes that shard its parameter;
  // `from` itself if it is not partial over them.
  Placement inParameter(Value v, const Placement &from, const Placement &to,
                        bool reduceFirst) const {
    std::optional<Placement> own = parameterOf(v, from);
    if (!own || (reduceFirst && isScattered(from, to)))
      return from;
    for (unsigned axis : from.partial)
      if (!mesh.isTemporal(axis) && !own->uses(axis))
        own->partial.push_back(axis);
    return own->partial != to.partial ? *own : from;
  }

  Value reshardRest(Value v, const Placement &from, const Placement &to,
                    ArrayRef<Operation *> users, bool reduceFirst) const {
    Placement between = to;
    between.reduction = from.reduction;
    bool first = false;
    for (unsigned axis : from.partial) {
      if (llvm::is_contained(to.partial, axis) || mesh.isTemporal(axis))
        continue;
      if (llvm::is_contained(step.stateAxes, axis))
        first = true;
      else if (!to.uses(axis))
        between.partial.push_back(axis);
    }
    llvm::sort(between.partial);
    if (first && between.partial != to.partial)
      return reshardOnce(reshardOnce(v, from, between, users, reduceFirst),
                         between, to, users, reduceFirst);
    return reshardOnce(v, from, to, users, reduceFirst);
  }

  // Inserts one reshard. `reduceFirst`: devices are summed before microbatches.
  Value reshardOnce(Value v, const Placement &from, const Placement &to,
                    ArrayRef<Operation *> users, bool reduceFirst) const {
    OpBuilder b(v.getContext());
    b.setInsertionPointAfterValue(v);
    // The reshard belongs to the part of its first user, but not to one before
    // the value. A gradient that is reduced belongs to the update, so that it
    // is done once.
    Tag part = last;
    for (Operation *user : users)
      part = std::min(part,
                      user->hasAttr(train::tagAttrName) ? partOf(user) : last);
    if (Operation *op = v.getDefiningOp();
        op && op->hasAttr(train::tagAttrName))
      part = std::max(part, partOf(op));
    auto reshard =
        ReshardOp::create(b, v.getLoc(), v, attr(v, from), attr(v, to),
                          b.getStringAttr(reason(users.front(), from, to)));
    if (reduceFirst && isScattered(from, to))
      reshard->setAttr(reduceFirstAttrName, b.getUnitAttr());
    train::setTag(reshard, part);
    reshard->setAttr(shardingsAttrName, b.getArrayAttr({attr(v, to)}));
    return reshard;
  }

  // Equal elements under another sharding are made as another constant: a rule
  // that expects a constant still finds one.
  Value remade(Value v, const Placement &to) const {
    Operation *op = v.getDefiningOp();
    auto it = op ? step.ops.find(op) : step.ops.end();
    Value source = v;
    while (source.getDefiningOp() &&
           isa<train::BroadcastOp, train::ReshapeOp, train::TransposeOp>(
               source.getDefiningOp()))
      source = source.getDefiningOp()->getOperand(0);
    auto constant = source.getDefiningOp<train::ConstantOp>();
    auto elements =
        constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
    if (!elements || !elements.isSplat() || it == step.ops.end())
      return {};
    // A dim of extent 1 has no factor to be sharded.
    FactorPlacement factors = wholeFactors(it->second.rule);
    if (!mesh.toFactors(it->second.rule, it->second.rule.results[0], to,
                        factors))
      return {};
    OpBuilder b(op);
    auto own =
        train::ConstantOp::create(b, op->getLoc(), v.getType(),
                                  elements.resizeSplat(train::tensorType(v)));
    own->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    own->setAttr(shardingsAttrName, b.getArrayAttr({attr(v, to)}));
    return own.getResult();
  }

  void handle(Value v) const {
    Placement from = placed.computed(v);
    SmallVector<PlacedStep::Demand> demands = placed.demands(v);
    if (demands.empty())
      return;
    auto usersOf = [](ArrayRef<OpOperand *> uses) {
      SmallVector<Operation *> users;
      for (OpOperand *use : uses)
        users.push_back(use->getOwner());
      llvm::sort(users, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
      return users;
    };
    Value source = v;
    bool reduceFirst = step.sumsFirst(v);
    if (demands.size() > 1 && demands.front().to.partial != from.partial) {
      // Reduce the value once for all its readers.
      Placement reduced = parameterOf(v, from).value_or(from);
      reduced.partial = demands.front().to.partial;
      SmallVector<OpOperand *> all;
      for (auto &[to, uses] : demands)
        all.append(uses);
      source = reshard(v, from, reduced, usersOf(all), reduceFirst);
      from = reduced;
    }
    for (auto &[to, uses] : demands) {
      Value result = to == from ? source : Value();
      if (!result && from.partial.empty() && to.partial.empty())
        result = remade(source, to);
      if (!result)
        result = reshard(source, from, to, usersOf(uses), reduceFirst);
      for (OpOperand *use : uses)
        use->set(result);
    }
  }
};

// Converts a value before it is moved if it is only read in a narrower type.
// For partial values, the conversion must take partial operands: of a sum, a
// maximum or a minimum.
void narrowFirst(Block &block, const MeshAxes &mesh) {
  SmallVector<ReshardOp> reshards(block.getOps<ReshardOp>());
  for (ReshardOp reshard : llvm::reverse(reshards)) {
    Type narrow;
    bool all = !reshard.getResult().use_empty();
    for (Operation *user : reshard->getUsers()) {
      all &= user->hasAttr(narrowPartialAttrName) &&
             (!narrow || user->getResult(0).getType() == narrow);
      if (all)
        narrow = user->getResult(0).getType();
    }
    if (!all)
      continue;
    ArrayRef<int64_t> shape = train::shapeOf(reshard.getOperand());
    Placement from = *mesh.fromAttr(reshard.getFrom(), shape),
              to = *mesh.fromAttr(reshard.getTo(), shape);
    all &= from.partial.empty() ||
           passesPartial(*reshard->user_begin(), from.reduction,
                         [](unsigned) { return true; });
    // Sums over time are accumulated as they are.
    all &= llvm::none_of(from.partial, [&](unsigned axis) {
      return mesh.isTemporal(axis) && !llvm::is_contained(to.partial, axis);
    });
    // A dim of extent 1 may be split in storage, but not by an op.
    for (auto [extent, axes] : llvm::zip_equal(shape, from.dims))
      all &= extent != 1 || axes.empty();
    if (!all)
      continue;
    Operation *first = *reshard->getUsers().begin();
    OpBuilder b(reshard);
    Value converted = train::ConvertOp::create(b, first->getLoc(), narrow,
                                               reshard.getOperand());
    converted.getDefiningOp()->setDiscardableAttrs(
        first->getDiscardableAttrDictionary());
    converted.getDefiningOp()->setAttr(shardingsAttrName,
                                       b.getArrayAttr({reshard.getFrom()}));
    SmallVector<Operation *> users(reshard->getUsers());
    reshard.getOperandMutable().assign(converted);
    reshard.getResult().setType(cast<RankedTensorType>(narrow));
    for (Operation *user : users) {
      user->getResult(0).replaceAllUsesWith(reshard.getResult());
      user->erase();
    }
  }
}
// Moves a value before it is converted to a wider type, if the wide one is only
// moved.
void widenLast(Block &block, const MeshAxes &mesh) {
  SmallVector<ReshardOp> reshards(block.getOps<ReshardOp>());
  for (ReshardOp reshard : reshards) {
    auto convert = reshard.getOperand().getDefiningOp<train::ConvertOp>();
    if (!convert)
      continue;
    Value operand = convert.getOperand();
    auto from =
             dyn_cast<FloatType>(train::tensorType(operand).getElementType()),
         to = dyn_cast<FloatType>(
             train::tensorType(convert.getResult()).getElementType());
    ArrayRef<int64_t> shape = train::shapeOf(operand);
    // Partial sums are added up in the wider type.
    if (!from || !to || from.getWidth() >= to.getWidth() ||
        !reshard.getFrom().getPartial().empty() ||
        !reshard.getTo().getPartial().empty() ||
        mesh.fromAttr(reshard.getFrom(), shape)->isWhole())
      continue;
    OpBuilder b(reshard);
    Value wide = train::ConvertOp::create(b, convert.getLoc(),
                                          convert.getType(), operand);
    wide.getDefiningOp()->setDiscardableAttrs(
        reshard->getDiscardableAttrDictionary());
    reshard.getResult().replaceAllUsesWith(wide);
    reshard.getOperandMutable().assign(operand);
    reshard.getResult().setType(train::tensorType(operand));
    reshard->moveBefore(wide.getDefiningOp());
    wide.getDefiningOp()->setOperand(0, reshard.getResult());
    if (convert->use_empty())
      convert.erase();
  }
}
} // namespace

void distribute::writeShardings(func::FuncOp func, const MeshAxes &mesh,
                                const StepSharding &step,
                                const Partials &partials) {
  MLIRContext *context = func.getContext();
  Block &block = func.getBody().front();
  Tag last = Tag::Forward;
  for (Operation &op : block)
    if (op.hasAttr(train::tagAttrName) || isa<ObserveOp>(op))
      last = std::max(last, partOf(&op));
  Writer writer{mesh, step, {mesh, step, partials}, last};
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  SmallVector<Attribute> argumentShardings;
  for (BlockArgument argument : func.getArguments()) {
    argumentShardings.push_back(
        writer.attr(argument, writer.placed.computed(argument)));
    writer.handle(argument);
  }
  setArgumentAttributes(func, shardingAttrName, argumentShardings);
  SmallVector<Attribute> kept;
  for (BlockArgument argument : func.getArguments()) {
    const StateChoice *state = step.stateOf(argument);
    kept.push_back(
        !state || !state->isKept() ? Attribute()
        : state->hasCopy()
            ? Attribute(StringAttr::get(
                  context, stringifyMemoryCategory(MemoryCategory::Parameters)))
            : Attribute(UnitAttr::get(context)));
  }
  setArgumentAttributes(func, keepAttrName, kept);
  for (Operation *op : ops) {
    SmallVector<Attribute> shardings;
    if (isa<ObserveOp>(op)) {
      for (OpOperand &operand : op->getOpOperands())
        shardings.push_back(
            writer.attr(operand.get(), writer.placed.demanded(operand)));
      op->setAttr(operandShardingsAttrName, ArrayAttr::get(context, shardings));
    }
    if (op->getNumResults() == 0)
      continue;
    for (Value result : op->getResults())
      shardings.push_back(writer.attr(result, writer.placed.computed(result)));
    op->setAttr(shardingsAttrName, ArrayAttr::get(context, shardings));
    for (Value result : op->getResults())
      writer.handle(result);
  }
  narrowFirst(block, mesh);
  widenLast(block, mesh);
}
