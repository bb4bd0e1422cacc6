// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Memory/PlannedOffsets.h"
#include "passes/Memory/Memory.h"

using namespace mlir;

namespace zcc {

void writeOffsets(const StageTimeline &timeline) {
  Builder builder(timeline.table->getContext());
  auto offset = [&](unsigned index) {
    return builder.getI64IntegerAttr(timeline.buffers[index].offset);
  };
  dist::MeshOp mesh =
      dist::getMesh(timeline.table->getParentOfType<ModuleOp>());
  dist::ScheduleOp table = timeline.table;
  for (auto [op, index] : timeline.declared) {
    if (auto input = dyn_cast<dist::InputOp>(op)) {
      SmallVector<int64_t> offsets;
      for (int64_t i = 0; i < inputParts(mesh, input); ++i)
        offsets.push_back(timeline.buffers[index + i].offset);
      op->setAttr(exec::offsetsAttrName, builder.getDenseI64ArrayAttr(offsets));
    } else {
      op->setAttr(exec::offsetAttrName, offset(index));
    }
  }
  table->setAttr(exec::hyperOffsetAttrName, offset(timeline.hyper));
  table->setAttr(exec::coordinatesOffsetAttrName, offset(timeline.coordinates));
  if (timeline.key >= 0)
    table->setAttr(exec::keyOffsetAttrName, offset(timeline.key));
  if (timeline.workspace >= 0)
    table->setAttr(workspaceOffsetAttrName, offset(timeline.workspace));
  for (const TaskInfo &task : timeline.tasks)
    for (const TaskBuffer &buffer : task.buffers)
      for (exec::BufferOp op : buffer.ops) {
        if (buffer.slot >= 0)
          op.setSlot(buffer.slot);
        else
          op.setOffset(timeline.buffers[timeline.placed.lookup(op)].offset);
      }
  for (const TimelineAction &action : timeline.actions) {
    SmallVector<int64_t> offsets;
    for (unsigned index : action.slots)
      offsets.push_back(timeline.buffers[index].offset);
    if (auto run = dyn_cast<dist::RunOp>(action.op))
      run.setSlots(offsets);
    else if (auto send = dyn_cast<dist::SendOp>(action.op))
      send.setOffset(offsets.front());
    else
      cast<dist::ReceiveOp>(action.op).setOffset(offsets.front());
  }
}

/// Checks slots: a slot's number counts its task's values that are bound for
/// each action.
static LogicalResult verifySlots(const StageTimeline &timeline) {
  for (const TaskInfo &task : timeline.tasks)
    for (const TaskBuffer &buffer : task.buffers)
      for (exec::BufferOp op : buffer.ops) {
        std::optional<uint64_t> slot = op.getSlot();
        if (buffer.slot < 0 && slot)
          return op->emitError() << "buffer '" << op.getName()
                                 << "' has a slot, but is not bound for each "
                                    "action: expected an offset";
        if (buffer.slot >= 0 &&
            (!slot || *slot != static_cast<uint64_t>(buffer.slot)))
          return op->emitError()
                 << "buffer '" << op.getName() << "': expected slot "
                 << buffer.slot << ", found "
                 << (slot ? Twine(*slot).str() : std::string("none"));
      }
  return success();
}

LogicalResult readOffsets(StageTimeline &timeline) {
  if (failed(verifySlots(timeline)))
    return failure();
  std::vector<TimelineBuffer> &buffers = timeline.buffers;
  dist::ScheduleOp table = timeline.table;
  auto number = [](Operation *op, StringRef name) -> int64_t {
    auto value = op->getAttrOfType<IntegerAttr>(name);
    return value ? value.getInt() : -1;
  };
  for (auto [op, index] : timeline.declared) {
    if (isa<dist::InputOp>(op)) {
      auto offsets =
          op->getAttrOfType<DenseI64ArrayAttr>(exec::offsetsAttrName);
      if (!offsets)
        return op->emitError() << "has no offsets";
      for (auto [i, offset] : llvm::enumerate(offsets.asArrayRef()))
        if (index + i < buffers.size() &&
            buffers[index + i].name == buffers[index].name)
          buffers[index + i].offset = offset;
    } else {
      buffers[index].offset = number(op, exec::offsetAttrName);
    }
  }
  buffers[timeline.hyper].offset = number(table, exec::hyperOffsetAttrName);
  buffers[timeline.coordinates].offset =
      number(table, exec::coordinatesOffsetAttrName);
  if (timeline.key >= 0)
    buffers[timeline.key].offset = number(table, exec::keyOffsetAttrName);
  if (timeline.workspace >= 0)
    buffers[timeline.workspace].offset = number(table, workspaceOffsetAttrName);
  for (auto [op, index] : timeline.placed) {
    std::optional<uint64_t> offset = cast<exec::BufferOp>(op).getOffset();
    int64_t own = offset ? static_cast<int64_t>(*offset) : -1;
    int64_t &known = buffers[index].offset;
    if (own < 0)
      return op->emitError()
             << "buffer '" << buffers[index].label() << "' has no offset";
    if (known >= 0 && known != own)
      return op->emitError() << "buffer '" << buffers[index].label()
                             << "' is at " << own << ", elsewhere at " << known;
    known = own;
  }
  for (const TimelineAction &action : timeline.actions) {
    SmallVector<int64_t> offsets;
    if (auto run = dyn_cast<dist::RunOp>(action.op)) {
      if (auto slots = run.getSlots())
        offsets.assign(slots->begin(), slots->end());
    } else if (auto send = dyn_cast<dist::SendOp>(action.op)) {
      if (send.getOffset())
        offsets.push_back(*send.getOffset());
    } else if (auto receive = dyn_cast<dist::ReceiveOp>(action.op)) {
      if (receive.getOffset())
        offsets.push_back(*receive.getOffset());
    }
    if (offsets.size() != action.slots.size())
      return action.op->emitError()
             << "has " << offsets.size() << " slots, expected "
             << action.slots.size();
    for (auto [index, offset] : llvm::zip(action.slots, offsets)) {
      int64_t &known = buffers[index].offset;
      if (known >= 0 && known != offset)
        return action.op->emitError()
               << "has " << buffers[index].label() << " at " << offset
               << ", before it was at " << known;
      known = offset;
    }
  }
  return success();
}

} // namespace zcc
