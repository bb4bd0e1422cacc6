// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Memory/TaskInfo.h"
#include "dialects/Exec/Steps.h"

using namespace mlir;

namespace zcc {

FailureOr<TaskInfo> readTask(exec::TaskOp task,
                             function_ref<bool(exec::BufferOp)> isSlot) {
  TaskInfo out;
  out.op = task;
  DenseMap<std::pair<Attribute, Attribute>, unsigned> index; // by space, name
  int64_t tick = 0;
  auto addBuffer = [&](exec::BufferOp buffer) {
    auto [at, isNew] =
        index.insert({{buffer.getSpaceAttr(), buffer.getNameAttr()},
                      static_cast<unsigned>(out.buffers.size())});
    if (isNew) {
      out.buffers.emplace_back();
      if (isSlot(buffer)) {
        out.buffers.back().slot = out.slots.size();
        out.slots.push_back(at->second);
      }
    }
    TaskBuffer &own = out.buffers[at->second];
    if (own.ops.empty())
      own.memory = buffer.getMemorySpace();
    own.isScattered |= own.memory != buffer.getMemorySpace();
    own.ops.push_back(buffer);
    own.size = std::max(own.size, buffer.getEndByte());
    out.byValue[buffer.getResult()] = at->second;
  };
  auto touch = [&](Value value, bool writes) {
    unsigned index = out.byValue.lookup(value);
    auto op = value.getDefiningOp<exec::BufferOp>();
    out.accesses.push_back(
        {index, op && op.getBegin() ? op : exec::BufferOp(), writes});
    TaskBuffer &buffer = out.buffers[index];
    if (buffer.first < 0) {
      buffer.first = tick;
      buffer.readFirst = !writes;
    }
    buffer.last = tick;
  };
  for (Operation &op : task.getBody().front()) {
    if (auto buffer = dyn_cast<exec::BufferOp>(op)) {
      addBuffer(buffer);
      continue;
    }
    if (!exec::forEachAccess(&op, touch))
      return op.emitError() << "is no step of a task";
    out.steps.push_back(&op);
    out.accessEnds.push_back(out.accesses.size());
    ++tick;
  }
  out.ticks = std::max<int64_t>(tick, 1);
  return out;
}

} // namespace zcc
