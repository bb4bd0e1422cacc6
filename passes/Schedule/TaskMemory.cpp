// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/TaskMemory.h"
#include "dialects/Exec/Steps.h"

using namespace mlir;

namespace zcc {

bool TaskMemory::Memory::isWritten(unsigned after, unsigned until) const {
  return llvm::any_of(uses, [&](const Use &own) {
    return own.writes && own.step > after && own.step <= until;
  });
}

TaskMemory::TaskMemory(exec::TaskOp task) {
  DenseMap<std::pair<Attribute, Attribute>, Memory *> byName;
  for (Operation &op : task.getBody().front()) {
    auto buffer = dyn_cast<exec::BufferOp>(op);
    if (!buffer) {
      all.push_back(&op);
      continue;
    }
    Memory *&memory = byName[{buffer.getSpaceAttr(), buffer.getNameAttr()}];
    if (!memory)
      memory = memories.emplace_back(std::make_unique<Memory>()).get();
    memory->buffers.push_back(buffer);
    memory->size = std::max(memory->size, buffer.getEndByte());
    byBuffer[buffer.getResult()] = memory;
  }
  for (auto [i, step] : llvm::enumerate(all))
    exec::forEachAccess(step, [&, at = unsigned(i)](Value value, bool writes) {
      Memory &memory = of(value);
      memory.uses.push_back({at, writes});
      memory.onStream |=
          exec::getStream(all[at]) != 0 || exec::isOnStreams(all[at]);
      memory.inBucket |= isa<exec::BucketOp>(all[at]);
      memory.inRepeat |= isa<exec::RepeatOp>(all[at]);
    });
  use.assign(all.size(), 0);
  for (const std::unique_ptr<Memory> &memory : memories)
    count(*memory, 1);
}

bool TaskMemory::isWhole(Value buffer) const {
  auto op = buffer.getDefiningOp<exec::BufferOp>();
  return op.getFirstByte() == 0 && op.getEndByte() == of(buffer).size;
}

std::pair<unsigned, unsigned> TaskMemory::lifeOf(const Memory &memory) const {
  unsigned end = all.empty() ? 0 : all.size() - 1;
  if (memory.isTemporary())
    return {memory.first(), memory.last()};
  if (memory.space() != exec::BufferSpace::Value)
    return {0, end};
  return memory.uses.front().writes ? std::pair(memory.first(), end)
                                    : std::pair(0u, memory.last());
}

void TaskMemory::count(const Memory &memory, int sign) {
  if (memory.uses.empty())
    return;
  auto [first, last] = lifeOf(memory);
  for (unsigned i = first; i <= last && i < use.size(); ++i)
    use[i] += sign * memory.size;
}

int64_t TaskMemory::peak() const {
  return use.empty() ? 0 : *llvm::max_element(use);
}

void TaskMemory::add(exec::BufferOp buffer, Value like) {
  Memory &memory = of(like);
  memory.buffers.push_back(buffer);
  byBuffer[buffer.getResult()] = &memory;
}

void TaskMemory::forget(Memory &memory, unsigned step) {
  count(memory, -1);
  llvm::erase_if(memory.uses, [&](const Use &own) { return own.step == step; });
  count(memory, 1);
}

void TaskMemory::erase(unsigned step) {
  all[step]->erase();
  all[step] = nullptr;
}

void TaskMemory::merge(Memory &from, Memory &into, int64_t begin) {
  count(from, -1);
  count(into, -1);
  exec::BufferOp like = into.buffers.front();
  bool isPart = begin != 0 || from.size != into.size;
  for (exec::BufferOp op : from.buffers) {
    op.setSpace(like.getSpace());
    op.setName(like.getName());
    op.setCategory(like.getCategory());
    if (isPart)
      op.setBegin(begin + op.getFirstByte());
    byBuffer[op.getResult()] = &into;
  }
  llvm::append_range(into.buffers, from.buffers);
  std::vector<Use> uses;
  std::merge(into.uses.begin(), into.uses.end(), from.uses.begin(),
             from.uses.end(), std::back_inserter(uses),
             [](const Use &a, const Use &b) {
               return std::pair(a.step, a.writes) < std::pair(b.step, b.writes);
             });
  into.uses = std::move(uses);
  into.onStream |= from.onStream;
  into.inBucket |= from.inBucket;
  into.inRepeat |= from.inRepeat;
  from.buffers.clear();
  from.uses.clear();
  count(into, 1);
}

} // namespace zcc
