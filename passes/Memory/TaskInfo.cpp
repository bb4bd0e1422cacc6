// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Memory/TaskInfo.h"
#include <map>

using namespace mlir;

namespace zcc {

using Touch = function_ref<void(Value value, bool reads)>;

static void touchLaunch(exec::LaunchOp launch, Touch touch) {
  for (Value source : launch.getSources())
    touch(source, true);
  for (Value target : launch.getTargets())
    touch(target, false);
}

static void touchCollective(exec::CollectiveOp collective, Touch touch) {
  touch(collective.getSource(), true);
  touch(collective.getTarget(), false);
}

/// What a step reads and writes, in one tick. False if it is none.
static bool touchStep(Operation &op, Touch touch) {
  if (auto launch = dyn_cast<exec::LaunchOp>(op)) {
    touchLaunch(launch, touch);
  } else if (auto observe = dyn_cast<exec::ObserveOp>(op)) {
    for (Value value : observe.getValues())
      touch(value, true);
  } else if (auto fill = dyn_cast<exec::FillOp>(op)) {
    touch(fill.getTarget(), false);
  } else if (auto copy = dyn_cast<exec::CopyOp>(op)) {
    touch(copy.getSource(), true);
    touch(copy.getTarget(), false);
  } else if (auto collective = dyn_cast<exec::CollectiveOp>(op)) {
    touchCollective(collective, touch);
  } else if (auto repeat = dyn_cast<exec::RepeatOp>(op)) {
    // All of its buffers are in use from its first turn to its last.
    touch(repeat.getMember(), false);
    repeat->walk([&](exec::LaunchOp launch) { touchLaunch(launch, touch); });
    for (Value held : repeat.getHeld())
      touch(held, true);
    for (ValueRange others : {repeat.getNext(), repeat.getSpare()})
      for (Value other : others)
        touch(other, false);
  } else if (auto bucket = dyn_cast<exec::BucketOp>(op)) {
    // Everything at once.
    for (auto member : bucket.getOps<exec::CollectiveOp>())
      touchCollective(member, touch);
  } else {
    return false;
  }
  return true;
}

FailureOr<TaskInfo> readTask(exec::TaskOp task,
                             function_ref<bool(exec::BufferOp)> isSlot) {
  TaskInfo out;
  out.op = task;
  std::map<std::pair<StringRef, StringRef>, unsigned> index;
  DenseMap<Value, unsigned> byValue;
  int64_t tick = 0;
  auto addBuffer = [&](exec::BufferOp buffer) {
    auto [at, isNew] =
        index.insert({{buffer.getSpace(), buffer.getName()},
                      static_cast<unsigned>(out.buffers.size())});
    if (isNew) {
      out.buffers.emplace_back();
      if (isSlot(buffer)) {
        out.buffers.back().slot = out.slots.size();
        out.slots.push_back(at->second);
      }
    }
    TaskBuffer &own = out.buffers[at->second];
    own.ops.push_back(buffer);
    own.size = std::max(own.size, buffer.getType().getBytes());
    byValue[buffer.getResult()] = at->second;
  };
  auto touch = [&](Value value, bool reads) {
    TaskBuffer &buffer = out.buffers[byValue.lookup(value)];
    if (buffer.first < 0) {
      buffer.first = tick;
      buffer.readFirst = reads;
    }
    buffer.last = tick;
  };
  for (Operation &op : task.getBody().front()) {
    if (auto buffer = dyn_cast<exec::BufferOp>(op)) {
      addBuffer(buffer);
      continue;
    }
    if (!touchStep(op, touch))
      return op.emitError() << "is no step of a task";
    ++tick;
  }
  out.ticks = std::max<int64_t>(tick, 1);
  return out;
}

} // namespace zcc
