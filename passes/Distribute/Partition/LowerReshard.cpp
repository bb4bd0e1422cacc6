// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the ops of the steps of a path (ReshardPath.h).
#include "passes/Distribute/Partition/LowerReshard.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using MoveKind = ReshardMove::Kind;

namespace {
struct Lowering {
  OpBuilder &b;
  Location loc;
  Value v;
  const ReshardProblem &problem;
  const Cause &cause;
  Origins &origins;
  const MeshAxes &mesh = problem.mesh;
  Placement at = problem.from;

  RankedTensorType typeAt(const Placement &placement) {
    SmallVector<int64_t> local;
    for (auto [extent, axes] :
         llvm::zip_equal(placement.extents, placement.dims))
      local.push_back(extent / mesh.shards(axes));
    return train::tensorType(v).clone(local);
  }
  // Sets the value, and notes where it lives: VerifyPartitioned follows the
  // steps.
  void set(Value value, const Placement &placement) {
    v = value;
    at = placement;
    v.getDefiningOp()->setAttr(
        shardingsAttrName,
        b.getArrayAttr({mesh.toAttr(placement, problem.shape)}));
  }
  StringAttr reduction() {
    // A sum of i1 is a logical or.
    bool truth = train::tensorType(v).getElementType().isInteger(1);
    train::ReduceKind kind = at.reduction;
    if (truth &&
        (kind == train::ReduceKind::add || kind == train::ReduceKind::maximum))
      kind = train::ReduceKind::logical_or;
    if (truth && (kind == train::ReduceKind::multiply ||
                  kind == train::ReduceKind::minimum))
      kind = train::ReduceKind::logical_and;
    return b.getStringAttr(train::stringifyReduceKind(kind));
  }

  // Returns zero on all devices but the first, which keeps its value.
  Value makeParts(ArrayRef<unsigned> axes) {
    Value first =
        train::compare(b, loc, origins.get(loc, axes, 1), origins.zero(loc),
                       train::CompareDirection::EQ);
    return train::SelectOp::create(
        b, loc, v.getType(),
        train::broadcast(b, loc, first, train::shapeOf(v), {}), v,
        train::splat(b, loc, v.getType(), 0));
  }

  StringAttr what() { return makeMovedKind(b.getContext(), cause.what); }

  // Slices that follow each other become one.
  void slice(ArrayRef<ReshardMove> moves) {
    Placement part(train::shapeOf(v)); // of the shard
    for (const ReshardMove &move : moves)
      part.dims[move.dim].append(move.axes);
    set(sliceLocal(b, loc, v, part, mesh, origins), moves.back().after);
  }

  void reduceAndCut(const ReshardMove &move) {
    Placement reduced = at;
    llvm::erase_if(reduced.partial, [&](unsigned axis) {
      return llvm::is_contained(move.axes, axis);
    });
    set(AllReduceOp::create(b, loc, v.getType(), v, mesh.nameAttr(move.axes),
                            reduction(), what(), cause.value, cause.why),
        reduced);
    slice(move);
  }

  Value exchangeBoxes(const ReshardMove &move) {
    BoxExchange boxes = *boxesBetween(problem, at, move.after);
    return ExchangeBoxesOp::create(
        b, loc, typeAt(move.after), v, mesh.nameAttr(boxes.group),
        b.getDenseI64ArrayAttr(boxes.shape),
        mesh.toAttr(boxes.from, boxes.shape),
        mesh.toAttr(boxes.to, boxes.shape), DenseI64ArrayAttr(), what(),
        cause.value, cause.why);
  }

  Value step(const ReshardMove &move) {
    RankedTensorType type = typeAt(move.after);
    ArrayAttr axes = mesh.nameAttr(move.axes);
    IntegerAttr dim = b.getI64IntegerAttr(move.dim);
    switch (move.kind) {
    case MoveKind::Resize:
      return resizeDim(b, loc, v, move.dim, move.after.extents[move.dim]);
    case MoveKind::MakeParts:
      return makeParts(move.axes);
    case MoveKind::Accumulate:
      return AccumulateOp::create(b, loc, type, v, reduction(), what(),
                                  cause.value, cause.why);
    case MoveKind::AllReduce:
      return AllReduceOp::create(b, loc, type, v, axes, reduction(), what(),
                                 cause.value, cause.why);
    case MoveKind::ReduceScatter:
      return ReduceScatterOp::create(b, loc, type, v, axes, dim, reduction(),
                                     what(), cause.value, cause.why);
    case MoveKind::AllGather:
      return AllGatherOp::create(b, loc, type, v, axes, dim, what(),
                                 cause.value, cause.why);
    case MoveKind::AllToAll:
      return AllToAllOp::create(b, loc, type, v, axes, dim,
                                b.getI64IntegerAttr(move.source), what(),
                                cause.value, cause.why);
    case MoveKind::ExchangeBoxes:
      return exchangeBoxes(move);
    case MoveKind::Slice:
      break;
    }
    llvm_unreachable("slices are taken together");
  }

  Value run(ArrayRef<ReshardMove> path) {
    while (!path.empty()) {
      size_t slices = 0;
      while (slices < path.size() && path[slices].kind == MoveKind::Slice)
        ++slices;
      bool whole = path.front().kind == MoveKind::ReduceScatter &&
                   !problem.reduceScatter;
      if (slices)
        slice(path.take_front(slices));
      else if (whole)
        reduceAndCut(path.front());
      else
        set(step(path.front()), path.front().after);
      path = path.drop_front(std::max<size_t>(slices, 1));
    }
    return v;
  }
};
} // namespace

Value distribute::lowerReshard(OpBuilder &b, Location loc, Value v,
                               const ReshardProblem &problem,
                               ReshardPaths &paths, const Cause &cause,
                               Origins &origins) {
  return Lowering{b, loc, v, problem, cause, origins}.run(paths.find(problem));
}
