// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/TaskEmitter.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Train/Train.h"

using namespace mlir;

namespace zcc {

using dist::MemoryCategory;
using exec::BufferSpace;

/// Returns true for memory whose contents are of other runs of tasks, too.
static bool livesOn(const BufferKey &place) {
  return place.space == BufferSpace::State ||
         place.space == BufferSpace::Accumulator;
}

bool canUpdateInPlace(const KernelBody &body, const exec::KernelForm &form,
                      Value input, Value output) {
  auto count = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  // The values whose element i depends on the input only through its element i.
  DenseSet<Value> derived{input};
  auto isDerived = [&](Value value) {
    while (!derived.contains(value) && value.getDefiningOp() &&
           isAlias(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    return derived.contains(value);
  };
  for (Operation *op : body.ops) {
    if (llvm::none_of(op->getOperands(), isDerived))
      continue;
    // The operand that it puts into the whole must not be derived.
    bool isPut = isa<train::DynamicUpdateSliceOp>(op) &&
                 llvm::none_of(op->getOperands().drop_front(), isDerived);
    if (!op->hasTrait<train::ElementwiseOp>() && !isAlias(op) && !isPut &&
        !isa<train::UpdateOp>(op))
      return false;
    for (Value result : op->getResults()) {
      if (count(result) != count(input))
        return false;
      derived.insert(result);
    }
  }
  if (!derived.contains(output))
    return !llvm::any_of(body.outputs,
                         [&](Value other) { return derived.contains(other); });
  // The kernel may write outputs one after the other.
  if (!form.pointwise)
    for (Value other : body.outputs)
      if (other != output && derived.contains(other))
        return false;
  return true;
}

LogicalResult TaskEmitter::placeArguments() {
  for (BlockArgument argument : task.getArguments()) {
    std::optional<BufferKey> place =
        facts.argumentPlace(task, argument.getArgNumber());
    if (!place)
      return task.emitError()
             << "argument " << argument.getArgNumber()
             << " of the task names no state, input, value or other source";
    if (place->space == BufferSpace::Value && gradients.contains(argument))
      place->category = MemoryCategory::Gradients;
    argumentsOf[place->name].push_back(argument);
    places[argument] = std::move(*place);
  }
  return success();
}

/// Returns true if `value`, made in this task, can be written directly to
/// `place`: reads of the old contents come before, or are in the launch that
/// overwrites them element by element.
bool TaskEmitter::mayOverwrite(Grouping &groups, TaskGraph &graph, Value value,
                               const BufferKey &place) {
  unsigned writer = groups.groupOf(value.getDefiningOp());
  for (BlockArgument argument : argumentsOf.lookup(place.name)) {
    if (!(places[argument] == place))
      continue;
    for (Operation *user : graph.users(argument)) {
      unsigned reader = groups.groupOf(user);
      if (reader == writer) {
        const Group &group = groups.group(writer);
        if (group.barrier) {
          auto reduce = dyn_cast<dist::AllReduceOp>(user);
          if (!reduce)
            return false;
          continue;
        }
        KernelBody body = groups.body(writer);
        for (Operation *op : body.ops)
          for (Value operand : op->getOperands())
            if (resolveAlias(operand) == argument &&
                !canUpdateInPlace(body, group.form, operand, value))
              return false;
      } else if (!groups.addOrder(reader, writer)) {
        return false;
      }
    }
  }
  return true;
}

LogicalResult TaskEmitter::placeResults(Grouping &groups, TaskGraph &graph) {
  Operation *end = task.getBody().front().getTerminator();
  SmallVector<BufferKey> targets;
  for (unsigned i = 0; i < task.getNumResults(); ++i) {
    std::optional<BufferKey> place = facts.resultPlace(task, i);
    if (!place)
      return task.emitError() << "result " << i
                              << " of the task names no state, value or output";
    BufferKey target = std::move(*place);
    targets.push_back(target);
    Value base = resolveAlias(end->getOperand(i));
    if (auto at = places.find(base); at != places.end()) {
      if (at->second == target)
        continue; // the same sum again, or an unchanged state
      copiesAfter.push_back({base, target});
      continue;
    }
    if (gradients.contains(base) &&
        target.category != MemoryCategory::Optimizer &&
        target.category != MemoryCategory::Parameters)
      target.category = MemoryCategory::Gradients;
    if (livesOn(target) && !mayOverwrite(groups, graph, base, target)) {
      copiesAfter.push_back({base, target});
      continue;
    }
    places[base] = target;
  }
  // A state that moves to another place is copied before it is overwritten.
  for (Copy &copy : copiesAfter) {
    auto at = places.find(copy.source);
    if (at == places.end() || !llvm::is_contained(targets, at->second) ||
        !isa<BlockArgument>(copy.source))
      continue;
    copiesBefore.push_back({copy.source, newTemporary()});
  }
  return success();
}

/// Runs all-reduces in place if nobody else reads the operand.
void TaskEmitter::reuseReduced(Grouping &groups, TaskGraph &graph) {
  for (Operation *op : graph.nodes()) {
    auto reduce = dyn_cast<dist::AllReduceOp>(op);
    if (!reduce)
      continue;
    Value source = resolveAlias(reduce.getOperand());
    Value result = reduce.getResult();
    if (graph.users(source).size() != 1)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(source)) {
      BufferKey place = places[argument]; // a copy, because the map grows below
      if (!places.count(result) && facts.isLastRead(task, place.name))
        places[result] = place;
      continue;
    }
    if (places.count(source))
      continue;
    BufferKey place = placeOf(result);
    if (livesOn(place) && !mayOverwrite(groups, graph, source, place))
      continue;
    places[source] = place;
  }
}

const BufferKey &TaskEmitter::placeOf(Value base) {
  auto [at, isNew] = places.insert({base, BufferKey()});
  if (!isNew)
    return at->second;
  at->second = newTemporary();
  if (gradients.contains(base))
    at->second.category = MemoryCategory::Gradients;
  return at->second;
}

Value TaskEmitter::buffer(const BufferKey &place, Type type) {
  Value &value = buffers[{place.space, place.name, type.getAsOpaquePointer()}];
  if (value)
    return value;
  OpBuilder builder(task.getContext());
  if (lastBuffer)
    builder.setInsertionPointAfter(lastBuffer);
  else
    builder.setInsertionPointToStart(&out.getBody().front());
  auto op = exec::BufferOp::create(
      builder, task.getLoc(),
      exec::BufferType::get(task.getContext(), cast<RankedTensorType>(type)),
      place.space, place.name, place.category,
      dist::makeSpace(task.getContext(), place.memory),
      /*offset=*/IntegerAttr(), /*slot=*/IntegerAttr(),
      /*begin=*/IntegerAttr());
  lastBuffer = op;
  return value = op.getResult();
}

void TaskEmitter::emitKernel(OpBuilder &builder, const KernelBody &body,
                             const exec::KernelForm &form) {
  KernelTable::Entry entry = kernels.get(body, form);
  SmallVector<Value> sources, targets;
  for (Value input : entry.inputs)
    sources.push_back(buffer(input));
  for (Value output : body.outputs)
    targets.push_back(buffer(output));
  exec::LaunchOp::create(builder, mainOp(body)->getLoc(),
                         entry.kernel.getSymName(), sources, targets,
                         /*stream=*/0);
}

LogicalResult TaskEmitter::emitBarrier(OpBuilder &builder, Operation *op) {
  if (auto observe = dyn_cast<dist::ObserveOp>(op)) {
    SmallVector<Value> values;
    for (Value value : observe.getValues())
      values.push_back(buffer(value));
    auto out =
        exec::ObserveOp::create(builder, op->getLoc(), values,
                                observe.getStates(), observe.getScaled());
    if (Attribute shardings =
            op->getDiscardableAttr(dist::operandShardingsAttrName))
      out->setDiscardableAttr(dist::operandShardingsAttrName, shardings);
    return success();
  }
  if (auto ring = dyn_cast<dist::RingOp>(op))
    return emitRing(builder, ring);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  auto collective = cast<dist::CollectiveOpInterface>(op);
  uint64_t split = 0, concat = 0;
  if (auto gather = dyn_cast<dist::AllGatherOp>(op)) {
    concat = gather.getDim();
  } else if (auto scatter = dyn_cast<dist::ReduceScatterOp>(op)) {
    split = scatter.getDim();
  } else if (auto exchange = dyn_cast<dist::AllToAllOp>(op)) {
    split = exchange.getSplitDim();
    concat = exchange.getConcatDim();
  }
  auto reduction = op->getAttrOfType<StringAttr>("reduction");
  DenseI64ArrayAttr shape, windows;
  dist::ShardingAttr from, to;
  if (auto boxes = dyn_cast<dist::ExchangeBoxesOp>(op)) {
    shape = boxes.getShapeAttr();
    from = boxes.getFrom();
    to = boxes.getTo();
    windows = boxes.getWindowsAttr();
  }
  auto emitted = exec::CollectiveOp::create(
      builder, op->getLoc(), buffer(op->getOperand(0)),
      buffer(op->getResult(0)), collective.getCollectiveKind(),
      collective.getAxes(), reduction ? reduction.getValue() : StringRef(),
      split, concat, /*shift=*/IntegerAttr(), shape, from, to, windows,
      /*source_part=*/DenseI64ArrayAttr(), /*target_part=*/DenseI64ArrayAttr(),
      collective.getWhat(), collective.getValue(), collective.getWhy(),
      /*stream=*/0);
  if (Attribute tag = op->getDiscardableAttr(train::tagAttrName))
    emitted->setDiscardableAttr(train::tagAttrName, tag);
  return success();
}

/// Returns the arithmetic of one run, before fusion computes anything twice.
/// Without `repeated` it leaves out ops that repeat the work of another task.
static double countFlops(func::FuncOp task, bool repeated) {
  double flops = 0;
  task.walk([&](train::CostedOpInterface op) {
    auto ring = dyn_cast<dist::RingOp>(op->getParentOp());
    Operation *own = ring ? ring : op.getOperation();
    if (repeated || !own->hasAttr(dist::againAttrName))
      flops += op.getFlops() * static_cast<double>(ring ? ring.getTurns() : 1);
  });
  return flops;
}

exec::TaskOp TaskEmitter::run() {
  std::optional<dist::TaskKind> kind = dist::taskKindOf(task);
  if (!kind) {
    task.emitError("expected '")
        << dist::taskAttrName << "' to be a kind of task, found "
        << task->getAttr(dist::taskAttrName);
    return {};
  }
  backend.prepare(task);
  if (failed(lowerBoundary(task)))
    return {};
  gradients = findGradients(task);
  TaskGraph graph(task, backend, fuse);
  Grouping groups(graph, backend, fuse);
  if (failed(placeArguments()) || failed(groups.run()) ||
      failed(placeResults(groups, graph)))
    return {};
  reuseReduced(groups, graph);

  OpBuilder builder(task);
  out = exec::TaskOp::create(builder, task.getLoc(), task.getSymName(), *kind,
                             dist::getStage(task), dist::getChunk(task));
  double flops = countFlops(task, true), model = countFlops(task, false);
  out->setAttr(exec::flopsAttrName, builder.getF64FloatAttr(flops));
  if (model != flops)
    out->setAttr(exec::modelFlopsAttrName, builder.getF64FloatAttr(model));
  if (out.getRegion().empty())
    out.getRegion().emplaceBlock();
  builder.setInsertionPointToEnd(&out.getBody().front());
  auto copy = [&](const Copy &copy, Value source) {
    exec::CopyOp::create(builder, task.getLoc(), source,
                         buffer(copy.target, copy.source.getType()),
                         /*stream=*/0);
  };
  DenseMap<Value, Value> saved;
  for (const Copy &before : copiesBefore) {
    copy(before, buffer(before.source));
    saved[before.source] = buffer(before.target, before.source.getType());
  }
  for (unsigned index : groups.launchOrder()) {
    builder.setInsertionPointToEnd(&out.getBody().front());
    const Group &group = groups.group(index);
    if (!group.barrier)
      emitKernel(builder, groups.body(index), group.form);
    else if (failed(emitBarrier(builder, group.roots.front())))
      return {};
  }
  builder.setInsertionPointToEnd(&out.getBody().front());
  for (const Copy &after : copiesAfter) {
    Value source = saved.lookup(after.source);
    copy(after, source ? source : buffer(after.source));
  }
  return out;
}

} // namespace zcc
