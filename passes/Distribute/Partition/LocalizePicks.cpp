// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that pick positions along sharded dims, on one device.
//
// An arg_reduce finds the best of its shard. The maximum of all devices' values
// tells whether that is the best of all. If so, the device gives its index in
// the whole dim, else one beyond all others. The minimum over devices, which
// follows as the reduction of a partial value, is the first of equals.
//
// A slice at a computed place takes from its shard as many elements as the
// slice has, as near to the place as there are, and moves them among zeros to
// where they belong. The sum over devices is the slice. An update takes the
// same window out of the shard, replaces in it what the update covers, and puts
// it back. Both touch as much memory as the slice has, never a copy of the
// shard.
#include "passes/Distribute/Partition/LocalizePicks.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;
using train::ReduceKind;

namespace {
struct PickLocalizer {
  OpBuilder b;
  Location loc;
  const FactorRule &rule;
  ArrayRef<Lives> operands, results;
  const MeshAxes &mesh;
  Origins &origins;

  RankedTensorType scalar() {
    return RankedTensorType::get({}, b.getI32Type());
  }
  Value number(int64_t value) {
    return train::splat(b, loc, scalar(), static_cast<double>(value));
  }
  Value add(Value x, Value y) { return train::AddOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return train::SubOp::create(b, loc, x, y); }
  Value clamp(Value low, Value v, Value high) {
    return train::ClampOp::create(b, loc, v.getType(), low, v, high);
  }

  // ------------------------------------------------------------ the best

  bool best(train::ArgReduceOp op) {
    unsigned d = op.getDim();
    AxisList axes = operands[0].placement.dims[d];
    if (axes.empty())
      return false;
    Value v = op.getOperand();
    Value own =
        train::reduce(b, loc, v, {static_cast<int64_t>(d)}, op.getKind());
    // Set where the values live: VerifyPartitioned checks what is exchanged.
    Placement whole = results[0].placement, parts = whole;
    whole.partial.clear();
    parts.reduction = op.getKind();
    parts.partial = axes;
    llvm::sort(parts.partial);
    auto setPlacement = [&](Value at, const Placement &placement) {
      at.getDefiningOp()->setAttr(
          shardingsAttrName,
          b.getArrayAttr({mesh.toAttr(placement, results[0].shape)}));
    };
    setPlacement(own, parts);
    StringRef kind = train::stringifyReduceKind(op.getKind());
    std::string why =
        (op->getName().getStringRef() + " needs the " + kind +
         " of all devices in dim " + std::to_string(d) + " to know whose it is")
            .str();
    Value all = AllReduceOp::create(
        b, loc, own.getType(), own, mesh.nameAttr(parts.partial),
        b.getStringAttr(kind),
        makeMovedKind(b.getContext(), MovedKind::Activation),
        b.getStringAttr(""), b.getStringAttr(why));
    setPlacement(all, whole);
    Value isBest =
        train::compare(b, loc, own, all, train::CompareDirection::EQ);
    if (train::isFloat(v)) // NaN is the best of all
      isBest = train::OrOp::create(
          b, loc, isBest,
          train::compare(b, loc, own, own, train::CompareDirection::NE));

    b.setInsertionPointAfter(op);
    Value index = op.getResult();
    RankedTensorType type = train::tensorType(index);
    Value origin =
        train::convert(b, loc, origins.get(loc, axes, train::shapeOf(v)[d]),
                       type.getElementType());
    Value place =
        add(index, train::broadcast(b, loc, origin, type.getShape(), {}));
    double beyond = std::min(identityOf(ReduceKind::minimum, index),
                             static_cast<double>(operands[0].shape[d]));
    auto select = train::SelectOp::create(b, loc, type, isBest, place,
                                          train::splat(b, loc, type, beyond));
    select->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op->removeAttr(shardingsAttrName);
    index.replaceUsesWithIf(select.getResult(), [&](OpOperand &use) {
      return use.getOwner() != place.getDefiningOp();
    });
    return true;
  }

  // ------------------------------------------------------------ slices

  // The window of a shard that a slice or an update needs, in one dim; none if
  // the dim is not both picked in and sharded.
  struct Window {
    int64_t size = 0;   // extent of the window
    Value start;        // in the shard
    Value shift;        // from its start to the device's part of the slice
    bool exact = false; // the window is that part
    int64_t local = 0;  // number of the slice's elements on this device
    AxisList axes;      // that split the slice
  };
  using Windows = SmallVector<std::optional<Window>>;

  // `large`: the whole value, with its `shard`; `small`: the slice, with its
  // `part`.
  Windows windowsOf(const FactorRule::Tensor &tensor, const Lives &large,
                    const Lives &small, ArrayRef<int64_t> shard,
                    ArrayRef<int64_t> part, OperandRange starts) {
    Windows windows(shard.size());
    for (unsigned d = 0; d < shard.size(); ++d) {
      const AxisList &split = large.placement.dims[d],
                     &partSplit = small.placement.dims[d];
      if (tensor[d].empty() || !rule.factors[tensor[d].front()].picked ||
          (split.empty() && partSplit.empty()))
        continue;
      Window &w = windows[d].emplace();
      w.local = part[d];
      w.axes = partSplit;
      w.size = std::min(part[d], shard[d]);
      // Find where the device's part of the slice begins in the shard.
      Value start = starts[d];
      unsigned width =
          train::tensorType(start).getElementType().getIntOrFloatBitWidth();
      int64_t last = large.shape[d] - small.shape[d];
      if (width < 32)
        start = train::convert(b, loc, start, b.getI32Type());
      auto bound = [&](int64_t value) {
        return train::splat(b, loc, start.getType(),
                            static_cast<double>(value));
      };
      start = train::convert(b, loc, clamp(bound(0), start, bound(last)),
                             b.getI32Type());
      if (!partSplit.empty())
        start = add(start, origins.get(loc, partSplit, part[d]));
      if (!split.empty())
        start = sub(start, origins.get(loc, split, shard[d]));
      w.exact = split.empty() && small.placement.extents[d] == small.shape[d];
      w.start =
          w.exact ? start : clamp(number(0), start, number(shard[d] - w.size));
      w.shift = sub(start, w.start);
    }
    return windows;
  }
  static bool anyOf(const Windows &windows) {
    return llvm::any_of(windows, [](const auto &w) { return w.has_value(); });
  }

  // Returns `size` elements of `v` from `shift` on, with zeros beyond `v`.
  Value shifted(Value v, ArrayRef<Value> shifts, ArrayRef<int64_t> sizes) {
    auto type = train::tensorType(v);
    SmallVector<int64_t> margin(type.getRank(), 0), none(margin),
        padded(type.getShape());
    SmallVector<Value> starts(type.getRank());
    for (unsigned d = 0; d < padded.size(); ++d) {
      starts[d] = origins.zero(loc);
      if (!shifts[d])
        continue;
      margin[d] = sizes[d];
      padded[d] += 2 * margin[d];
      // The margin is so large that a slice clamped into its operand reads only
      // zeros.
      starts[d] = add(shifts[d], number(margin[d]));
    }
    Value zero = train::splat(
        b, loc, RankedTensorType::get({}, type.getElementType()), 0);
    v = train::PadOp::create(
        b, loc, type.clone(padded), v, zero, b.getDenseI64ArrayAttr(margin),
        b.getDenseI64ArrayAttr(margin), b.getDenseI64ArrayAttr(none));
    return train::DynamicSliceOp::create(b, loc, type.clone(sizes), v, starts,
                                         b.getDenseI64ArrayAttr(sizes));
  }

  // Makes the op work on its windows. Returns true if the windows are exactly
  // the device's parts; else `shifts` tells where the parts begin.
  template <typename Op>
  bool take(Op op, const Windows &windows, MutableArrayRef<int64_t> sizes,
            MutableArrayRef<Value> shifts) {
    bool exact = true;
    for (auto [d, w] : llvm::enumerate(windows)) {
      if (!w)
        continue;
      op.getStartsMutable()[d].assign(w->start);
      sizes[d] = w->size;
      if (w->exact)
        continue;
      shifts[d] = w->shift;
      exact = false;
    }
    return exact;
  }

  bool slice(train::DynamicSliceOp op) {
    RankedTensorType type = train::tensorType(op.getResult());
    ArrayRef<int64_t> shard = train::shapeOf(op.getOperand());
    Windows windows = windowsOf(rule.operands[0], operands[0], results[0],
                                shard, type.getShape(), op.getStarts());
    if (!anyOf(windows))
      return false;
    SmallVector<int64_t> sizes(type.getShape());
    SmallVector<Value> shifts(sizes.size());
    bool exact = take(op, windows, sizes, shifts);
    op.setSizes(sizes);
    if (exact)
      return true;
    op.getResult().setType(type.clone(sizes));
    b.setInsertionPointAfter(op);
    Value moved = shifted(op.getResult(), shifts, type.getShape());
    moved.getDefiningOp()->setDiscardableAttrs(
        op->getDiscardableAttrDictionary());
    op->removeAttr(shardingsAttrName);
    Operation *pad = moved.getDefiningOp()->getOperand(0).getDefiningOp();
    op.getResult().replaceAllUsesExcept(moved, pad);
    return true;
  }

  // Returns where the window has elements that the update covers, along dim `d`
  // of `like` (i1).
  Value covered(Value like, unsigned d, const Window &w) {
    ArrayRef<int64_t> shape = train::shapeOf(like);
    auto line = RankedTensorType::get({shape[d]}, b.getI32Type());
    auto compare = [&](Value origin, int64_t bound,
                       train::CompareDirection direction) {
      Value index =
          train::IotaOp::create(b, loc, line, origin, b.getI64IntegerAttr(0));
      return train::compare(
          b, loc, index, train::splat(b, loc, line, static_cast<double>(bound)),
          direction);
    };
    // The window's element k is the update's element k - shift.
    Value origin = sub(number(0), w.shift);
    Value inside = train::AndOp::create(
        b, loc, compare(origin, 0, train::CompareDirection::GE),
        compare(origin, w.local, train::CompareDirection::LT));
    int64_t whole = operands[1].shape[d];
    if (operands[1].placement.extents[d] != whole)
      inside = train::AndOp::create(
          b, loc, inside,
          compare(add(origin, origins.get(loc, w.axes, w.local)), whole,
                  train::CompareDirection::LT));
    return train::broadcast(b, loc, inside, shape, {static_cast<int64_t>(d)});
  }

  bool update(train::DynamicUpdateSliceOp op) {
    Value old = op.getOperand(), part = op.getUpdate();
    Windows windows =
        windowsOf(rule.operands[0], operands[0], operands[1],
                  train::shapeOf(old), train::shapeOf(part), op.getStarts());
    if (!anyOf(windows))
      return false;
    SmallVector<int64_t> sizes(train::shapeOf(part));
    SmallVector<Value> shifts(sizes.size());
    if (take(op, windows, sizes, shifts))
      return true;
    for (Value &shift : shifts) // the other way
      if (shift)
        shift = sub(number(0), shift);
    Value window = train::DynamicSliceOp::create(
        b, loc, train::tensorType(old).clone(sizes), old, op.getStarts(),
        b.getDenseI64ArrayAttr(sizes));
    Value moved = shifted(part, shifts, sizes), inside;
    for (auto [d, w] : llvm::enumerate(windows)) {
      if (!w || w->exact)
        continue;
      Value own = covered(moved, d, *w);
      inside =
          inside ? train::AndOp::create(b, loc, inside, own).getResult() : own;
    }
    op.getUpdateMutable().assign(train::SelectOp::create(
        b, loc, moved.getType(), inside, moved, window));
    return true;
  }
};
} // namespace

bool distribute::localizePicks(Operation *op, const FactorRule &rule,
                               ArrayRef<Lives> operands,
                               ArrayRef<Lives> results, const MeshAxes &mesh,
                               Origins &origins) {
  PickLocalizer local{OpBuilder(op), op->getLoc(), rule,   operands,
                      results,       mesh,         origins};
  if (auto best = dyn_cast<train::ArgReduceOp>(op))
    return local.best(best);
  if (auto slice = dyn_cast<train::DynamicSliceOp>(op))
    return local.slice(slice);
  return local.update(cast<train::DynamicUpdateSliceOp>(op));
}
