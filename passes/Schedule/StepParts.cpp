// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a step uses the same part of each buffer that the step is split
// along (contiguous bytes), and all of the other buffers. So any set of steps
// may be split: a step that reads a buffer whole comes after all of its parts.
// On one side of an all-to-all a part may have holes: a piece of what goes to
// each member of the group, or comes from it. That buffer counts as whole.
//
// Parts follow one another block by block. A block of steps begins with a
// product after a collective. So while the collectives at the end of a block,
// and the few steps between them, wait for the link, the next part computes its
// products. A temporary that only parts use gets separate memory for each part.
// In other buffers, part i of a step uses part i of the buffer.
#include "passes/Schedule/StepParts.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/Steps.h"
#include "dialects/TensorBytes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;

namespace zcc {

// A part of a buffer has the alignment of the whole.
static constexpr int64_t partAlignment = 64;

static RankedTensorType tensorOf(Value buffer) {
  return cast<exec::BufferType>(buffer.getType()).getTensor();
}

namespace {

/// A memory is named by its space and name.
using Memory = std::pair<Attribute, Attribute>;
Memory memoryOf(Value buffer) {
  auto op = buffer.getDefiningOp<exec::BufferOp>();
  return {op.getSpaceAttr(), op.getNameAttr()};
}

class TaskSplitter {
public:
  TaskSplitter(exec::TaskOp task, KernelParts &kernels, int64_t parts)
      : task(task), kernels(kernels), parts(parts) {}

  unsigned run();

private:
  /// Returns for each operand of the step whether a part of the step has a part
  /// of it; nullopt if the step cannot be split.
  std::optional<SmallVector<bool>> waysToSplit(Operation *op);
  /// Returns the same for the source and the target of a collective; nothing if
  /// it cannot be split.
  SmallVector<bool> waysToSplit(exec::CollectiveOp collective);
  bool isDivisible(Value buffer) const;
  void grow();
  void findOwnMemory();

  /// Returns true if all parts of the waiting steps must come before the step.
  bool conflicts(Operation *op);
  bool beginsBlock(Operation *op);
  void wait(Operation *op);
  void emitWaiting(Operation *before);
  void emitPart(OpBuilder &builder, Operation *op, int64_t part);
  Value partOfBuffer(Value buffer, int64_t part);

  bool isSplit(Operation *op) const { return chosen.contains(op); }
  /// Returns true if parts of a chosen step have parts of that operand.
  bool isSplit(OpOperand &operand) const {
    return ways.find(operand.getOwner())->second[operand.getOperandNumber()];
  }

  exec::TaskOp task;
  KernelParts &kernels;
  const int64_t parts;
  // Steps that can be split.
  llvm::MapVector<Operation *, SmallVector<bool>> ways;
  llvm::SetVector<Operation *> chosen;
  DenseSet<Memory> ownMemory; // memory that no step uses whole
  DenseMap<std::pair<Value, int64_t>, Value> partBuffers;
  // Split steps that are not emitted yet, and the memory that they use.
  SmallVector<Operation *> waiting;
  bool waitingSends = false;
  DenseSet<Memory> written, read, readWhole;
};

bool TaskSplitter::isDivisible(Value buffer) const {
  RankedTensorType part = partOf(tensorOf(buffer), parts);
  return part && part.getNumElements() > 0 &&
         getTensorBytes(part) % partAlignment == 0 &&
         !buffer.getDefiningOp<exec::BufferOp>().getBegin();
}

std::optional<SmallVector<bool>> TaskSplitter::waysToSplit(Operation *op) {
  SmallVector<bool> out;
  if (auto launch = dyn_cast<exec::LaunchOp>(op)) {
    const KernelPart *part = kernels.find(launch.getKernel());
    if (!part)
      return std::nullopt;
    out.assign(part->sources.begin(), part->sources.end());
    out.append(launch.getTargets().size(), true);
  } else if (auto collective = dyn_cast<exec::CollectiveOp>(op)) {
    out = waysToSplit(collective);
    if (out.empty())
      return std::nullopt;
  } else if (isa<exec::CopyOp>(op)) {
    out.assign(2, true);
  } else {
    return std::nullopt;
  }
  for (auto [buffer, divided] : llvm::zip(op->getOperands(), out))
    if (divided && !isDivisible(buffer))
      return std::nullopt;
  return out;
}

SmallVector<bool> TaskSplitter::waysToSplit(exec::CollectiveOp collective) {
  // The dim must be one that it neither joins nor scatters.
  SmallVector<int64_t, 2> along;
  switch (collective.getKind()) {
  case dist::CollectiveKind::all_reduce:
    break;
  case dist::CollectiveKind::all_gather:
    along = {int64_t(collective.getConcatDim())};
    break;
  case dist::CollectiveKind::reduce_scatter:
    along = {int64_t(collective.getSplitDim())};
    break;
  case dist::CollectiveKind::all_to_all:
    along = {int64_t(collective.getSplitDim()),
             int64_t(collective.getConcatDim())};
    break;
  case dist::CollectiveKind::permute:
  case dist::CollectiveKind::exchange_boxes:
    return {};
  }
  std::optional<unsigned> source = outermostDim(collective.getSourceType()),
                          target = outermostDim(collective.getTargetType());
  if (!source || !target)
    return {};
  if (source == target && !llvm::is_contained(along, *source))
    return {true, true};
  // A part of an all-to-all may have holes on one side.
  if (collective.getKind() != dist::CollectiveKind::all_to_all)
    return {};
  ArrayRef<int64_t> from = collective.getSourceType().getShape(),
                    to = collective.getTargetType().getShape();
  SmallVector<int64_t> block(from);
  block[along[0]] = to[along[0]];
  auto mayHaveHoles = [&](Value buffer, int64_t rows, unsigned dim) {
    return !llvm::is_contained(along, dim) && from[dim] % parts == 0 &&
           !buffer.getDefiningOp<exec::BufferOp>().getBegin() &&
           exec::CollectiveOp::isPieceOfRows(block, rows, dim);
  };
  if (mayHaveHoles(collective.getSource(), along[0], *target))
    return {false, true};
  if (mayHaveHoles(collective.getTarget(), along[1], *source))
    return {true, false};
  return {};
}

/// Chooses the collectives of activations, and steps on buffers that are split
/// alike.
void TaskSplitter::grow() {
  // Operands that are split.
  llvm::MapVector<Memory, SmallVector<OpOperand *>> users;
  for (auto &[op, own] : ways)
    for (auto [operand, divided] : llvm::zip(op->getOpOperands(), own))
      if (divided)
        users[memoryOf(operand.get())].push_back(&operand);
  for (auto &[op, own] : ways)
    if (auto collective = dyn_cast<exec::CollectiveOp>(op);
        collective && collective.getWhat() == dist::MovedKind::Activation)
      chosen.insert(op);
  for (unsigned i = 0; i < chosen.size(); ++i) {
    Operation *op = chosen[i];
    for (OpOperand &operand : op->getOpOperands())
      if (isSplit(operand))
        for (OpOperand *other : users[memoryOf(operand.get())])
          chosen.insert(other->getOwner());
  }
}

void TaskSplitter::findOwnMemory() {
  DenseSet<Memory> shared;
  for (Operation &op : task.getBody().front()) {
    auto note = [&](OpOperand &operand) {
      Memory memory = memoryOf(operand.get());
      auto buffer = operand.get().getDefiningOp<exec::BufferOp>();
      bool own = isSplit(&op) && isSplit(operand) &&
                 buffer.getSpace() == exec::BufferSpace::Temporary;
      (own ? ownMemory : shared).insert(memory);
    };
    op.walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        note(operand);
    });
  }
  for (const Memory &memory : shared)
    ownMemory.erase(memory);
}

bool TaskSplitter::conflicts(Operation *op) {
  bool any = false;
  exec::forEachAccess(op, [&](Value buffer, bool writes) {
    Memory memory = memoryOf(buffer);
    any |= written.contains(memory) || (writes && read.contains(memory));
  });
  if (!any || !isSplit(op))
    return any;
  // Parts of buffers that both steps split are in order already.
  any = false;
  for (OpOperand &operand : op->getOpOperands()) {
    Memory memory = memoryOf(operand.get());
    any |= isSplit(operand) ? readWhole.contains(memory)
                            : written.contains(memory);
  }
  return any;
}

bool TaskSplitter::beginsBlock(Operation *op) {
  auto launch = dyn_cast<exec::LaunchOp>(op);
  return waitingSends && launch && kernels.find(launch.getKernel())->hasProduct;
}

void TaskSplitter::wait(Operation *op) {
  waiting.push_back(op);
  waitingSends |= exec::communicates(op);
  exec::forEachAccess(op, [&](Value buffer, bool writes) {
    (writes ? written : read).insert(memoryOf(buffer));
  });
  for (OpOperand &operand : op->getOpOperands())
    if (!isSplit(operand))
      readWhole.insert(memoryOf(operand.get()));
}

Value TaskSplitter::partOfBuffer(Value buffer, int64_t part) {
  Value &out = partBuffers[{buffer, part}];
  if (out)
    return out;
  auto whole = buffer.getDefiningOp<exec::BufferOp>();
  OpBuilder b(whole);
  auto own = cast<exec::BufferOp>(b.clone(*whole));
  RankedTensorType type = partOf(tensorOf(buffer), parts);
  own.getResult().setType(exec::BufferType::get(b.getContext(), type));
  if (ownMemory.contains(memoryOf(buffer)))
    own.setName((whole.getName() + "." + Twine(part)).str());
  else
    own.setBegin(part * getTensorBytes(type));
  return out = own.getResult();
}

void TaskSplitter::emitPart(OpBuilder &builder, Operation *op, int64_t part) {
  Operation *own = builder.clone(*op);
  for (OpOperand &operand : op->getOpOperands())
    if (isSplit(operand))
      own->setOperand(operand.getOperandNumber(),
                      partOfBuffer(operand.get(), part));
  if (auto launch = dyn_cast<exec::LaunchOp>(own))
    launch.setKernel(kernels.get(launch.getKernel()));
  if (exec::communicates(own))
    own->setAttr(exec::partAttrName, builder.getI64IntegerAttr(part));
  if (auto collective = dyn_cast<exec::CollectiveOp>(op)) {
    auto with = cast<exec::CollectiveOp>(own);
    auto partAlong = [&](RankedTensorType split) {
      return builder.getDenseI64ArrayAttr(
          {int64_t(*outermostDim(split)), part, parts});
    };
    const SmallVector<bool> &divided = ways.find(op)->second;
    if (!divided[0])
      with.setSourcePartAttr(partAlong(collective.getTargetType()));
    if (!divided[1])
      with.setTargetPartAttr(partAlong(collective.getSourceType()));
  }
}

void TaskSplitter::emitWaiting(Operation *before) {
  OpBuilder builder = OpBuilder::atBlockEnd(&task.getBody().front());
  if (before)
    builder.setInsertionPoint(before);
  for (int64_t part = 0; part < parts; ++part)
    for (Operation *op : waiting)
      emitPart(builder, op, part);
  waiting.clear();
  waitingSends = false;
  for (DenseSet<Memory> *used : {&written, &read, &readWhole})
    used->clear();
}

unsigned TaskSplitter::run() {
  SmallVector<Operation *> steps;
  for (Operation &op : task.getBody().front())
    if (!isa<exec::BufferOp>(op)) {
      steps.push_back(&op);
      if (std::optional<SmallVector<bool>> own = waysToSplit(&op))
        ways[&op] = std::move(*own);
    }
  grow();
  if (chosen.empty())
    return 0;
  findOwnMemory();
  for (Operation *op : steps) {
    bool own = isSplit(op);
    if (conflicts(op) || (own && beginsBlock(op)))
      emitWaiting(op);
    if (own)
      wait(op);
  }
  emitWaiting(nullptr);
  for (Operation *op : chosen)
    op->erase();
  for (auto buffer : llvm::make_early_inc_range(task.getOps<exec::BufferOp>()))
    if (buffer.getResult().use_empty())
      buffer.erase();
  return chosen.size();
}

} // namespace

unsigned splitIntoParts(exec::TaskOp task, KernelParts &kernels,
                        int64_t parts) {
  return TaskSplitter(task, kernels, parts).run();
}

} // namespace zcc
