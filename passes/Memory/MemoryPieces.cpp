// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defines MemoryPieces (Timeline.h): finds where memory is cut into pieces, and
// the pieces that a step uses.
#include "passes/Memory/Timeline.h"

#include <set>

using namespace mlir;

namespace zcc {

MemoryPieces::MemoryPieces(const StageTimeline &timeline) : timeline(timeline) {
  // Parts begin and end where memory is cut, in any task.
  std::map<Key, std::set<int64_t>> places;
  for (const TaskInfo &task : timeline.tasks)
    for (const TaskBuffer &buffer : task.buffers)
      for (exec::BufferOp op : buffer.ops)
        if (op.getBegin())
          places[{op.getSpace(), op.getName()}].insert(
              {op.getFirstByte(), op.getEndByte()});
  for (auto &[key, own] : places) {
    own.erase(0);
    cuts[key].assign(own.begin(), own.end());
  }
  firsts.push_back(0);
  for (const TimelineBuffer &buffer : timeline.buffers) {
    const std::vector<int64_t> *own = cutsOf(buffer.space, buffer.name);
    firsts.push_back(firsts.back() + 1 + (own ? own->size() : 0));
  }
}

const std::vector<int64_t> *MemoryPieces::cutsOf(exec::BufferSpace space,
                                                 StringRef name) const {
  auto at = cuts.find({space, name});
  return at == cuts.end() ? nullptr : &at->second;
}

unsigned MemoryPieces::count(const TaskBuffer &buffer) const {
  exec::BufferOp op = buffer.ops.front();
  const std::vector<int64_t> *own = cutsOf(op.getSpace(), op.getName());
  return 1 + (own ? own->size() : 0);
}

void MemoryPieces::forEach(exec::BufferOp buffer,
                           function_ref<void(unsigned piece)> visit) const {
  const std::vector<int64_t> *own = cutsOf(buffer.getSpace(), buffer.getName());
  if (!own)
    return visit(0);
  if (!buffer.getBegin()) {
    for (unsigned i = 0; i <= own->size(); ++i)
      visit(i);
    return;
  }
  // Piece i begins at the cut i - 1.
  unsigned i = llvm::upper_bound(*own, buffer.getFirstByte()) - own->begin();
  do
    visit(i);
  while (i < own->size() && (*own)[i++] < buffer.getEndByte());
}

void MemoryPieces::forEachAccess(
    const StageTimeline::Moment &moment,
    function_ref<void(unsigned piece, bool writes)> visit) const {
  timeline.forEachAccess(
      moment, [&](unsigned buffer, exec::BufferOp part, bool writes) {
        if (part)
          return forEach(part, [&](unsigned piece) {
            visit(firsts[buffer] + piece, writes);
          });
        for (unsigned i = firsts[buffer]; i < firsts[buffer + 1]; ++i)
          visit(i, writes);
      });
}

} // namespace zcc
