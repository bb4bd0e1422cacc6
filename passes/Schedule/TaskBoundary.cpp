// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/TaskBoundary.h"

#include "dialects/Dist/Accumulation.h"
#include "passes/Schedule/Accumulators.h"
#include "passes/Schedule/TaskGraph.h"

using namespace mlir;

namespace zcc {

using dist::MemoryCategory;
using dist::MovedKind;
using exec::BufferSpace;

StringRef boundaryName(Attribute attribute) {
  if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(attribute))
    return symbol.getValue();
  if (auto string = dyn_cast_or_null<StringAttr>(attribute))
    return string.getValue();
  return {};
}

// Returns the reduction of a result with dist.accumulate.
static train::ReduceKind readReduction(func::FuncOp task, unsigned index) {
  auto name =
      task.getResultAttrOfType<StringAttr>(index, dist::reductionAttrName);
  return name ? train::symbolizeReduceKind(name.getValue())
                    .value_or(train::ReduceKind::add)
              : train::ReduceKind::add;
}

DenseSet<Value> findGradients(func::FuncOp task) {
  DenseSet<Value> out;
  task.walk([&](Operation *op) {
    if (auto observe = dyn_cast<dist::ObserveOp>(op))
      for (Value value : observe.getValues())
        out.insert(resolveAlias(value));
    else if (auto collective = dyn_cast<dist::CollectiveOpInterface>(op);
             collective && collective.getWhat() == dist::MovedKind::Gradient) {
      out.insert(op->getResult(0));
      if (isa<dist::AllReduceOp>(op)) // it may run in place
        out.insert(resolveAlias(op->getOperand(0)));
    }
  });
  return out;
}

StageBoundary::StageBoundary(ModuleOp module, int64_t stage) : module(module) {
  for (auto state : module.getOps<dist::StateOp>()) {
    stateKinds[state.getSymName()] = state.getKind();
    stateSpaces[state.getSymName()] = state.getMemorySpace();
  }
  for (auto schedule : module.getOps<dist::ScheduleOp>())
    if (schedule.getStage() == static_cast<uint64_t>(stage))
      table = schedule;
  if (table)
    table.walk([&](dist::SendOp send) { sent.insert(send.getValue()); });
  for (auto task : module.getOps<func::FuncOp>()) {
    if (!task->hasAttr(dist::taskAttrName) || dist::getStage(task) != stage)
      continue;
    stageTasks.push_back(task);
    DenseSet<Value> reduced = findGradients(task);
    Operation *end = task.getBody().front().getTerminator();
    for (unsigned i = 0; i < task.getNumArguments(); ++i)
      if (Attribute value = task.getArgAttr(i, dist::valueAttrName)) {
        readers[boundaryName(value)].push_back(task);
        if (reduced.contains(task.getArgument(i)))
          gradients.insert(boundaryName(value));
      }
    for (unsigned i = 0; i < task.getNumResults(); ++i) {
      Attribute value = task.getResultAttr(i, dist::valueAttrName);
      Attribute sum = task.getResultAttr(i, dist::accumulateAttrName);
      if (auto category =
              task.getResultAttrOfType<StringAttr>(i, dist::categoryAttrName))
        if (auto known = dist::symbolizeMemoryCategory(category.getValue()))
          categories[boundaryName(value)] = *known;
      if (auto fate =
              task.getResultAttrOfType<dist::FateAttr>(i, dist::fateAttrName);
          value && fate && fate.getSpace() != MemorySpace::Device)
        valueSpaces[boundaryName(value)] = fate.getSpace();
      if (sum) {
        auto what = task.getResultAttrOfType<StringAttr>(i, dist::whatAttrName);
        accumulators[boundaryName(sum)] =
            what ? dist::symbolizeMovedKind(what.getValue()) : std::nullopt;
        reductions[boundaryName(sum)] = readReduction(task, i);
      }
      if (value && reduced.contains(resolveAlias(end->getOperand(i))))
        gradients.insert(boundaryName(value));
    }
  }
}

bool StageBoundary::isLastRead(func::FuncOp task, StringRef value) const {
  dist::ScheduleOp table = this->table;
  auto at = readers.find(value);
  if (at == readers.end() || at->second.size() != 1 ||
      at->second.front() != task || sent.contains(value) || !table)
    return false;
  auto runs = llvm::make_filter_range(
      table.getBody().front().getOps<dist::RunOp>(),
      [&](dist::RunOp run) { return run.getTask() == task.getSymName(); });
  return llvm::hasSingleElement(runs);
}

BufferKey StageBoundary::statePlace(StringRef name) const {
  return {BufferSpace::State, name.str(),
          dist::memoryCategoryOf(stateKinds.lookup(name)),
          stateSpaces.lookup(name)};
}

BufferKey StageBoundary::valuePlace(StringRef name) const {
  if (auto sum = accumulators.find(name); sum != accumulators.end()) {
    bool isGradient = !sum->second || *sum->second == MovedKind::Gradient ||
                      gradients.contains(name);
    return {BufferSpace::Accumulator, name.str(),
            isGradient ? MemoryCategory::Gradients : MemoryCategory::Temporary};
  }
  if (gradients.contains(name))
    return {BufferSpace::Value, name.str(), MemoryCategory::Gradients};
  if (auto own = categories.find(name); own != categories.end())
    return {BufferSpace::Value, name.str(), own->second};
  bool kept = sent.contains(name);
  auto at = readers.find(name);
  if (at != readers.end())
    for (func::FuncOp task : at->second)
      kept |= dist::taskKindOf(task) != dist::TaskKind::Epilogue;
  return {BufferSpace::Value, name.str(),
          kept ? MemoryCategory::Residuals : MemoryCategory::Temporary,
          valueSpaces.lookup(name)};
}

std::optional<BufferKey> StageBoundary::argumentPlace(func::FuncOp task,
                                                      unsigned index) const {
  if (Attribute name = task.getArgAttr(index, dist::stateAttrName))
    return statePlace(boundaryName(name));
  if (Attribute name = task.getArgAttr(index, dist::inputAttrName))
    return BufferKey{BufferSpace::Input, boundaryName(name).str()};
  if (Attribute name = task.getArgAttr(index, dist::valueAttrName))
    return valuePlace(boundaryName(name));
  if (Attribute name = task.getArgAttr(index, dist::accumulateAttrName))
    return valuePlace(boundaryName(name));
  for (auto [unit, space] :
       {std::pair(dist::hyperAttrName, BufferSpace::Hyper),
        std::pair(dist::coordinatesAttrName, BufferSpace::Coordinates),
        std::pair(dist::keyAttrName, BufferSpace::Key)})
    if (task.getArgAttr(index, unit))
      return BufferKey{space, exec::stringifyBufferSpace(space).str()};
  return std::nullopt;
}

std::optional<BufferKey> StageBoundary::resultPlace(func::FuncOp task,
                                                    unsigned index) const {
  if (Attribute name = task.getResultAttr(index, dist::stateAttrName))
    return statePlace(boundaryName(name));
  if (Attribute name = task.getResultAttr(index, dist::valueAttrName))
    return valuePlace(boundaryName(name));
  if (Attribute name = task.getResultAttr(index, dist::accumulateAttrName))
    return valuePlace(boundaryName(name));
  if (Attribute name = task.getResultAttr(index, dist::outputAttrName))
    return BufferKey{BufferSpace::Output, boundaryName(name).str()};
  return std::nullopt;
}

// ------------------------------------------------------------ lowerBoundary

/// Returns the argument with the attribute `name`; adds it if there is none.
static Value getArgument(func::FuncOp task, StringRef name, Attribute value,
                         Type type) {
  for (unsigned i = 0; i < task.getNumArguments(); ++i)
    if (Attribute own = task.getArgAttr(i, name))
      if (own == value || isa<UnitAttr>(value))
        return task.getArgument(i);
  unsigned index = task.getNumArguments();
  auto attributes = DictionaryAttr::get(
      task.getContext(),
      NamedAttribute(StringAttr::get(task.getContext(), name), value));
  if (failed(task.insertArgument(index, type, attributes, task.getLoc())))
    return {};
  return task.getArgument(index);
}

/// Computes index = ((c[a0] * size(a1)) + c[a1]) * size(a2) + ..., major to
/// minor.
static LogicalResult lowerCoordinate(dist::CoordinateOp op, dist::MeshOp mesh,
                                     Value coordinates) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto scalar = cast<RankedTensorType>(op.getResult().getType());
  Value sum;
  for (Attribute attribute : op.getAxes()) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    int64_t at = -1, size = 0;
    for (auto [i, axis] : llvm::enumerate(mesh.getAxes()))
      if (cast<dist::AxisAttr>(axis).getName() == name) {
        at = static_cast<int64_t>(i);
        size = cast<dist::AxisAttr>(axis).getSize();
      }
    if (at < 0)
      return op.emitError() << "the mesh has no axis '" << name << "'";
    Value one = train::slice(builder, loc, coordinates, {at}, {at + 1}, {1});
    Value own = train::reshape(builder, loc, one, {});
    own = train::convert(builder, loc, own, scalar.getElementType());
    if (sum) {
      Value scale = train::splat(builder, loc, scalar, double(size));
      sum = train::MulOp::create(builder, loc, scalar, sum, scale);
      sum = train::AddOp::create(builder, loc, scalar, sum, own);
    } else {
      sum = own;
    }
  }
  if (!sum)
    sum = train::splat(builder, loc, scalar, 0);
  op.getResult().replaceAllUsesWith(sum);
  op.erase();
  return success();
}

// A kernel takes at most so many operands well.
static constexpr size_t concatenateOperands = 16;

/// Turns a concatenation of many values (the parameters' squares) into a tree.
static void splitConcatenate(train::ConcatenateOp op) {
  OpBuilder builder(op);
  SmallVector<Value> parts(op.getInputs());
  while (parts.size() > concatenateOperands) {
    SmallVector<Value> joined;
    for (size_t i = 0; i < parts.size(); i += concatenateOperands) {
      auto some = ArrayRef(parts).slice(
          i, std::min(concatenateOperands, parts.size() - i));
      SmallVector<int64_t> shape(train::shapeOf(some.front()));
      shape[op.getDim()] = 0;
      for (Value part : some)
        shape[op.getDim()] += train::shapeOf(part)[op.getDim()];
      auto type = RankedTensorType::get(
          shape, train::tensorType(some.front()).getElementType());
      joined.push_back(train::ConcatenateOp::create(builder, op.getLoc(), type,
                                                    some, op.getDim()));
    }
    parts = std::move(joined);
  }
  op.getInputsMutable().assign(parts);
}

LogicalResult lowerBoundary(func::FuncOp task) {
  MLIRContext *context = task.getContext();
  SmallVector<train::ConcatenateOp> concatenates(
      task.getBody().front().getOps<train::ConcatenateOp>());
  for (train::ConcatenateOp op : concatenates)
    splitConcatenate(op);
  auto unit = UnitAttr::get(context);
  SmallVector<dist::CoordinateOp> coordinates(
      task.getBody().front().getOps<dist::CoordinateOp>());
  if (!coordinates.empty()) {
    dist::MeshOp mesh = dist::getMesh(task->getParentOfType<ModuleOp>());
    if (!mesh)
      return coordinates.front().emitError() << "the module has no dist.mesh";
    auto type =
        RankedTensorType::get({static_cast<int64_t>(mesh.getAxes().size())},
                              IntegerType::get(context, 32));
    Value argument = getArgument(task, dist::coordinatesAttrName, unit, type);
    for (dist::CoordinateOp op : coordinates)
      if (!argument || failed(lowerCoordinate(op, mesh, argument)))
        return failure();
  }
  Operation *end = task.getBody().front().getTerminator();
  llvm::StringMap<Value> sums;
  for (unsigned i = 0; i < task.getNumResults(); ++i) {
    Attribute name = task.getResultAttr(i, dist::accumulateAttrName);
    if (!name)
      continue;
    Value part = end->getOperand(i);
    Value &sum = sums[boundaryName(name)];
    if (!sum)
      sum = getArgument(task, dist::accumulateAttrName, name, part.getType());
    if (!sum)
      return failure();
    // The op comes right after the part, so that both are one kernel and the
    // part needs no memory of its own.
    OpBuilder builder(end);
    Operation *made = part.getDefiningOp(), *before = sum.getDefiningOp();
    if (before && (!made || made->isBeforeInBlock(before)))
      made = before;
    if (made)
      builder.setInsertionPointAfter(made);
    else
      builder.setInsertionPointToStart(end->getBlock());
    Location loc = part.getDefiningOp() ? part.getLoc() : task.getLoc();
    sum = combine(builder, loc, readReduction(task, i), sum, part);
    end->setOperand(i, sum);
  }
  // If several parts have one name, each of their results stands for the whole
  // sum.
  for (unsigned i = 0; i < task.getNumResults(); ++i)
    if (Attribute name = task.getResultAttr(i, dist::accumulateAttrName))
      end->setOperand(i, sums[boundaryName(name)]);
  return success();
}

} // namespace zcc
