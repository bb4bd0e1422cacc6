// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Exec/Steps.h"

#include "dialects/Exec/AttributeNames.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace zcc {

using Visit = function_ref<void(Value buffer, bool writes)>;

static void visitLaunch(exec::LaunchOp launch, Visit visit) {
  for (Value source : launch.getSources())
    visit(source, false);
  for (Value target : launch.getTargets())
    visit(target, true);
}

bool exec::forEachAccess(Operation *op, Visit visit) {
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    visitLaunch(launch, visit);
  } else if (auto observe = dyn_cast<ObserveOp>(op)) {
    for (Value value : observe.getValues())
      visit(value, false);
  } else if (auto fill = dyn_cast<FillOp>(op)) {
    visit(fill.getTarget(), true);
  } else if (auto copy = dyn_cast<CopyOp>(op)) {
    visit(copy.getSource(), false);
    visit(copy.getTarget(), true);
  } else if (auto collective = dyn_cast<CollectiveOp>(op)) {
    visit(collective.getSource(), false);
    visit(collective.getTarget(), true);
  } else if (auto repeat = dyn_cast<RepeatOp>(op)) {
    visit(repeat.getMember(), true);
    repeat->walk([&](LaunchOp launch) { visitLaunch(launch, visit); });
    for (Value held : repeat.getHeld())
      visit(held, false);
    for (ValueRange others : {repeat.getNext(), repeat.getSpare()})
      for (Value other : others)
        visit(other, true);
  } else if (auto bucket = dyn_cast<BucketOp>(op)) {
    for (auto member : bucket.getOps<CollectiveOp>()) {
      visit(member.getSource(), false);
      visit(member.getTarget(), true);
    }
  } else if (auto batch = dyn_cast<BatchOp>(op)) {
    for (auto member : batch.getOps<LaunchOp>())
      visitLaunch(member, visit);
  } else {
    return false;
  }
  return true;
}

void exec::forEachStepOf(Operation *op,
                         function_ref<void(Operation *step)> visit) {
  visit(op);
  auto repeat = dyn_cast<RepeatOp>(op);
  if (!repeat)
    return;
  SmallVector<Region *, 2> regions = {&repeat.getBody(), &repeat.getBetween()};
  if (repeat.getAhead())
    std::swap(regions[0], regions[1]);
  for (Region *region : regions)
    for (Operation &inner : region->getOps())
      visit(&inner);
}

bool exec::isOnStreams(Operation *op) {
  bool found = false;
  if (isa<RepeatOp>(op))
    forEachStepOf(op, [&](Operation *step) { found |= getStream(step) != 0; });
  return found;
}

MemorySpace exec::getMemorySpace(Value buffer) {
  auto op = buffer.getDefiningOp<BufferOp>();
  return op ? op.getMemorySpace() : MemorySpace::Device;
}

bool exec::isTransfer(Operation *op) {
  auto copy = dyn_cast<CopyOp>(op);
  return copy &&
         getMemorySpace(copy.getSource()) != getMemorySpace(copy.getTarget());
}

std::string exec::describeTransfer(CopyOp copy) {
  auto source = copy.getSource().getDefiningOp<BufferOp>(),
       target = copy.getTarget().getDefiningOp<BufferOp>();
  // The name of the temporary place is longer than that of its buffer.
  bool isSource = source.getSpace() != BufferSpace::Temporary ||
                  source.getName().size() < target.getName().size();
  bool isLoad = source.getMemorySpace() > target.getMemorySpace();
  return (isLoad ? "load " : "store ") +
         (isSource ? source : target).getName().str();
}

std::string exec::describeBatch(BatchOp batch) {
  auto members = llvm::to_vector(batch.getOps<LaunchOp>());
  if (members.empty())
    return "batch";
  return members.front().getKernel().str() + " and " +
         std::to_string(members.size() - 1) + " more";
}

bool exec::communicates(Operation *op) {
  if (auto repeat = dyn_cast<RepeatOp>(op))
    return repeat->walk([](CollectiveOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  return isa<CollectiveOp, BucketOp>(op);
}

int64_t exec::getStream(Operation *op) {
  if (auto bucket = dyn_cast<BucketOp>(op)) {
    auto members = bucket.getOps<CollectiveOp>();
    return members.empty() ? 0 : (*members.begin()).getStream();
  }
  auto stream = op->getAttrOfType<IntegerAttr>("stream");
  return stream ? stream.getInt() : 0;
}

void exec::setStream(Operation *op, int64_t stream) {
  Builder b(op->getContext());
  if (auto bucket = dyn_cast<BucketOp>(op))
    for (auto member : bucket.getOps<CollectiveOp>())
      member->setAttr("stream", b.getI64IntegerAttr(stream));
  else
    op->setAttr("stream", b.getI64IntegerAttr(stream));
}

static bool overlap(exec::BufferOp a, exec::BufferOp b) {
  return a.getFirstByte() < b.getEndByte() && b.getFirstByte() < a.getEndByte();
}

std::optional<exec::LaunchConflict>
exec::UnorderedLaunches::find(LaunchOp launch) const {
  std::optional<LaunchConflict> found;
  visitLaunch(launch, [&](Value buffer, bool writes) {
    auto own = buffer.getDefiningOp<BufferOp>();
    auto others = uses.find(keyOf(own));
    if (others == uses.end())
      return;
    auto touches = [&](const Use &other) {
      return overlap(own, other.buffer.getDefiningOp<BufferOp>());
    };
    if (auto *at = llvm::find_if(others->second.writes, touches);
        at != others->second.writes.end())
      found = {launch, at->by, buffer};
    if (!writes)
      return;
    if (auto *at = llvm::find_if(others->second.reads, touches);
        at != others->second.reads.end())
      found = {at->by, launch, at->buffer};
  });
  return found;
}

std::optional<exec::LaunchConflict>
exec::UnorderedLaunches::add(LaunchOp launch) {
  std::optional<LaunchConflict> found = find(launch);
  if (!found)
    visitLaunch(launch, [&](Value buffer, bool writes) {
      Uses &all = uses[keyOf(buffer.getDefiningOp<BufferOp>())];
      (writes ? all.writes : all.reads).push_back({launch, buffer});
    });
  return found;
}

ArrayRef<int64_t> exec::getWaits(Operation *op) {
  auto waits = op->getAttrOfType<DenseI64ArrayAttr>(waitsAttrName);
  return waits ? waits.asArrayRef() : ArrayRef<int64_t>();
}

void exec::setWaits(Operation *op, ArrayRef<int64_t> events) {
  op->setAttr(waitsAttrName,
              Builder(op->getContext()).getDenseI64ArrayAttr(events));
}

std::optional<int64_t> exec::getEvent(Operation *op) {
  auto event = op->getAttrOfType<IntegerAttr>(eventAttrName);
  return event ? std::optional<int64_t>(event.getInt()) : std::nullopt;
}

void exec::setEvent(Operation *op, int64_t event) {
  op->setAttr(eventAttrName,
              Builder(op->getContext()).getI64IntegerAttr(event));
}

} // namespace zcc
