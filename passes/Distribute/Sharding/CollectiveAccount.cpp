// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include "dialects/Dist/WindowBytes.h"
#include "dialects/TensorBytes.h"
#include "dialects/Train/OpCost.h"
#include "passes/Distribute/Sharding/OpWeights.h"
#include "planning/AxisRole.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using Traffic = planning::CollectiveKind;

int64_t distribute::countMicrobatches(MeshOp mesh) {
  int64_t count = 1;
  for (auto axis : mesh.getAxes().getAsRange<AxisAttr>())
    if (axis.getTemporal())
      count *= axis.getSize();
  return count;
}

// The most devices whose boxes are compared one by one.
static constexpr int64_t mostEnumerated = 1024;

// ---------------------------------------------------------------- ops

AxisList CollectiveAccounts::find(ArrayAttr names) const {
  AxisList list;
  for (Attribute name : names)
    if (std::optional<unsigned> axis =
            axes.find(cast<StringAttr>(name).getValue()))
      list.push_back(*axis);
  return list;
}

planning::Collective CollectiveAccounts::of(CollectiveOpInterface op) const {
  RankedTensorType source = op.getSourceType(), target = op.getTargetType();
  Type element = source.getElementType();
  planning::Collective out;
  out.group = axes.groupOf(find(op.getAxes()));
  out.type = train::getTypeName(element);
  out.bytes = static_cast<double>(
      std::max(getTensorBytes(source), getTensorBytes(target)));
  switch (op.getCollectiveKind()) {
  case CollectiveKind::all_reduce:
    out.kind = Traffic::AllReduce;
    return out;
  case CollectiveKind::all_gather:
    out.kind = Traffic::AllGather;
    return out;
  case CollectiveKind::reduce_scatter:
    out.kind = Traffic::ReduceScatter;
    return out;
  case CollectiveKind::all_to_all:
    out.kind = Traffic::AllToAll;
    return out;
  case CollectiveKind::permute:
    out.kind = Traffic::Permute;
    return out;
  case CollectiveKind::exchange_boxes:
    break;
  }
  Boxes boxes = *op.getBoxes();
  if (boxes.windows) { // edges of neighbors' shards
    out.kind = Traffic::Permute;
    out.bytes = static_cast<double>(
        getWindowBytes(mesh, boxes, getElementBytes(element)));
    return out;
  }
  out.kind = Traffic::AllToAll;
  std::optional<Placement> from = axes.fromAttr(boxes.from, boxes.shape),
                           to = axes.fromAttr(boxes.to, boxes.shape);
  if (from && to) {
    planning::Collective exchange = accountOfBoxes(
        axes, getElementBytes(element), *from, *to, find(op.getAxes()));
    out.kind = exchange.kind;
    out.moved = exchange.moved;
  }
  return out;
}

double CollectiveAccounts::secondsOf(Operation *op,
                                     const planning::CostModel &model) const {
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    return model.collectiveSeconds(of(collective));
  double seconds = 0;
  if (auto ring = dyn_cast<RingOp>(op))
    for (const Repeated &sent : of(ring))
      seconds += static_cast<double>(sent.times) *
                 model.collectiveSeconds(sent.collective);
  if (isFree(op))
    return seconds;
  planning::KernelWork work;
  work.bytes = outsideBytes(
      op, [&](unsigned i) { return bytesOf(op->getOperand(i)); },
      [&](unsigned i) { return bytesOf(op->getResult(i)); });
  train::OpCost cost = train::getCost(op);
  work.vectorOps = cost.additions;
  work.transcendentals = cost.functions;
  SmallVector<planning::ProductWork> products;
  for (const train::OpCost::Product &own : cost.products)
    products.push_back(
        {{own.batch, own.m, own.n, own.k}, own.type, own.share, own.kind});
  double kernel =
      model.kernelSeconds(work, "f32", products.data(), products.size());
  return seconds +
         (isFused(op) ? std::max(0.0, kernel - model.launchSeconds()) : kernel);
}

SmallVector<CollectiveAccounts::Repeated>
CollectiveAccounts::of(RingOp ring) const {
  SmallVector<Repeated> all;
  for (const RingOp::Passed &block : ring.getPassedBlocks())
    if (block.times)
      all.push_back({{Traffic::Permute, axes.groupOf(find(ring.getAxes())),
                      static_cast<double>(getTensorBytes(block.type)),
                      train::getTypeName(block.type.getElementType())},
                     block.times});
  return all;
}

planning::Collective CollectiveAccounts::transfer(Traffic kind, int64_t from,
                                                  int64_t to,
                                                  double bytes) const {
  int64_t distance = std::max<int64_t>(rankOfStage(std::abs(to - from)), 1);
  return {kind, {{2, distance}}, bytes};
}

int64_t CollectiveAccounts::rankOfStage(int64_t stage) const {
  std::optional<unsigned> pipe =
      axes.find(planning::axisName(planning::AxisRole::Pipe));
  return stage * (pipe ? axes.groupOf(*pipe).stride : 1);
}

// ---------------------------------------------------------------- boxes

bool distribute::areSameBoxes(const MeshAxes &mesh, const Placement &a,
                              const Placement &b) {
  for (auto [some, others] : llvm::zip_equal(a.dims, b.dims))
    if (mesh.shards(some) != mesh.shards(others))
      return false;
  return a.extents == b.extents;
}

static double boxElements(const MeshAxes &mesh, const Placement &placement) {
  double elements = 1;
  for (auto [extent, axes] : llvm::zip_equal(placement.extents, placement.dims))
    elements *= static_cast<double>(extent / mesh.shards(axes));
  return elements;
}

// Returns the elements that a device gets from others, for the device that
// holds the fewest elements of its box already. Returns an upper bound if there
// are many devices to look at.
static double elementsMoved(const MeshAxes &mesh, const Placement &from,
                            const Placement &to) {
  double elements = boxElements(mesh, to);
  AxisList axes;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (from.uses(axis) || to.uses(axis))
      axes.push_back(axis);
  if (mesh.shards(axes) > mostEnumerated)
    return elements;
  SmallVector<int64_t> coordinates(mesh.size(), 0);
  auto box = [&](const Placement &p, unsigned d) {
    int64_t index = 0, size = p.extents[d] / mesh.shards(p.dims[d]);
    for (unsigned axis : p.dims[d])
      index = index * mesh.sizeOf(axis) + coordinates[axis];
    return std::pair(index * size, (index + 1) * size);
  };
  double least = elements;
  for (int64_t device = 0; device < mesh.shards(axes); ++device) {
    int64_t rest = device;
    for (unsigned axis : axes) {
      coordinates[axis] = rest % mesh.sizeOf(axis);
      rest /= mesh.sizeOf(axis);
    }
    double common = 1;
    for (unsigned d = 0; d < from.dims.size(); ++d) {
      auto [a, b] = box(from, d);
      auto [c, e] = box(to, d);
      common *= static_cast<double>(
          std::max<int64_t>(0, std::min(b, e) - std::max(a, c)));
    }
    least = std::min(least, common);
  }
  return elements - least;
}

planning::Collective distribute::accountOfBoxes(const MeshAxes &mesh,
                                                int64_t width,
                                                const Placement &from,
                                                const Placement &to,
                                                ArrayRef<unsigned> axes) {
  auto bytes = static_cast<double>(width);
  planning::Collective out;
  out.kind =
      areSameBoxes(mesh, from, to) ? Traffic::Permute : Traffic::AllToAll;
  out.group = mesh.groupOf(axes);
  out.bytes = bytes * std::max(boxElements(mesh, from), boxElements(mesh, to));
  out.moved = bytes * elementsMoved(mesh, from, to);
  return out;
}
