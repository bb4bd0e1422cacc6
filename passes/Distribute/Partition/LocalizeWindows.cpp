// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that move along sharded dims (train::FactorRule::Window), on one device.
// The operand becomes the box that the device's positions read, by one exchange
// of boxes, or by a cut if the operand is whole. Then the op runs on the box,
// with the rest of the padding, starts and holes. Where a box reaches beyond
// the dim, the exchange gives zeros; a select puts another value there if the
// op needs one.
//
// Scans run on shards; then each device combines the totals of those before it
// (Blelloch, 1990, with one gather for the upper levels).
#include "passes/Distribute/Partition/LocalizeWindows.h"
#include "passes/Distribute/Partition/WindowReader.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;

namespace {
struct WindowLocalizer : WindowReader {
  using WindowReader::WindowReader;

  // ------------------------------------------------------------ results

  void replaceBy(Value v) {
    v.getDefiningOp()->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op->getResult(0).replaceAllUsesWith(v);
    op->erase();
  }

  // Cuts the op's result: it has `counts` positions, of which the device's
  // begin at `starts` (null: at the first).
  void cutResult(ArrayRef<int64_t> counts, ArrayRef<Value> starts) {
    Value result = op->getResult(0);
    RankedTensorType local = train::tensorType(result);
    if (ArrayRef<int64_t>(counts) == local.getShape())
      return;
    result.setType(local.clone(counts));
    b.setInsertionPointAfter(op);
    SmallVector<Value> all;
    for (Value start : starts)
      all.push_back(start ? start : origins.zero(loc));
    auto slice = train::DynamicSliceOp::create(
        b, loc, local, result, all, b.getDenseI64ArrayAttr(local.getShape()));
    slice->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op->removeAttr(shardingsAttrName);
    result.replaceAllUsesExcept(slice.getResult(), slice);
  }

  // Cuts a result whose dim `dimOf(d)` is led by the window of the operand's
  // dim `d`.
  template <typename DimOf>
  void cutAligned(const DimWindows &windows, DimOf dimOf) {
    SmallVector<int64_t> counts(train::shapeOf(op->getResult(0)));
    SmallVector<Value> starts(counts.size());
    for (auto [d, w] : llvm::enumerate(windows)) {
      if (!w || w->plan.align == 1)
        continue;
      unsigned to = dimOf(d);
      counts[to] = w->plan.count;
      starts[to] = origins.remainder(loc, w->leaderAxes, w->plan.box.step,
                                     w->plan.align, 0);
    }
    cutResult(counts, starts);
  }

  // ------------------------------------------------------------ ops

  void slice(train::SliceOp slice) {
    DimWindows windows = windowsOf(0);
    slice.getOperandMutable().assign(fetch(0, windows));
    SmallVector<int64_t> start(slice.getStart()), limit(slice.getLimit());
    ArrayRef<int64_t> shape = train::shapeOf(slice.getOperand());
    for (auto [d, w] : llvm::enumerate(windows)) {
      if (w) {
        start[d] = 0;
        limit[d] = shape[d];
      } else if (!operands[0].placement.dims[d].empty()) {
        limit[d] = shape[d];
      }
    }
    slice.setStart(start);
    slice.setLimit(limit);
  }

  void dynamicSlice(train::DynamicSliceOp slice) {
    DimWindows windows = windowsOf(0);
    slice.getOperandMutable().assign(fetch(0, windows));
    ArrayRef<int64_t> to = train::shapeOf(slice.getResult());
    slice.setSizes(to);
    for (auto [d, w] : llvm::enumerate(windows))
      if (w)
        slice.getStartsMutable()[d].assign(
            train::splat(b, loc, slice.getStarts()[d].getType(), 0));
  }

  void reverse(train::ReverseOp reverse) {
    reverse.getOperandMutable().assign(fetch(0, windowsOf(0)));
  }

  void pad(train::PadOp pad) {
    DimWindows windows = windowsOf(0);
    Value v = fetch(0, windows);
    pad.getOperandMutable().assign(maskBeyond(
        v, windows,
        train::broadcast(b, loc, pad.getValue(), train::shapeOf(v), {})));
    SmallVector<int64_t> low(pad.getLow()), high(pad.getHigh());
    for (auto [d, w] : llvm::enumerate(windows))
      if (w) {
        low[d] = w->plan.holesLow;
        high[d] = w->plan.holesHigh;
      }
    pad.setLow(low);
    pad.setHigh(high);
    cutAligned(windows, [](unsigned d) { return d; });
  }

  void reduceWindow(train::ReduceWindowOp reduce) {
    DimWindows windows = windowsOf(0);
    Value v = fetch(0, windows);
    reduce.getOperandMutable().assign(maskBeyond(
        v, windows,
        train::splat(b, loc, v.getType(), identityOf(reduce.getKind(), v))));
    SmallVector<int64_t> low(reduce.getPadLow()), high(reduce.getPadHigh());
    for (auto [d, w] : llvm::enumerate(windows))
      if (w) {
        low[d] = w->plan.holesLow;
        high[d] = w->plan.holesHigh;
      }
    reduce.setPadLow(low);
    reduce.setPadHigh(high);
    cutAligned(windows, [](unsigned d) { return d; });
  }

  void convolution(train::ConvolutionOp conv) {
    DimWindows windows = windowsOf(0);
    conv.getLhsMutable().assign(fetch(0, windows));
    SmallVector<int64_t> low(conv.getPadLow()), high(conv.getPadHigh());
    ArrayRef<int64_t> in = conv.getInputDims(), out = conv.getOutputDims();
    for (size_t i = 2; i < in.size(); ++i)
      if (const auto &w = windows[in[i]]) {
        low[i - 2] = w->plan.holesLow;
        high[i - 2] = w->plan.holesHigh;
      }
    conv.setPadLow(low);
    conv.setPadHigh(high);
    cutAligned(windows, [&](unsigned d) {
      return static_cast<unsigned>(
          out[llvm::find(in, static_cast<int64_t>(d)) - in.begin()]);
    });
  }

  void concatenate(train::ConcatenateOp concat) {
    unsigned d = concat.getDim();
    const AxisList &axes = results[0].placement.dims[d];
    SmallVector<Value> boxes;
    for (unsigned i = 0; i < operands.size(); ++i)
      boxes.push_back(fetch(i, windowsOf(i)));
    if (axes.empty()) {
      concat.getInputsMutable().assign(boxes);
      return;
    }
    // All boxes stand where the device's part of the result stands.
    int64_t place = results[0].shape[d];
    Value origin =
        origins.get(loc, axes, train::shapeOf(concat.getResult())[d]);
    Value joined;
    for (unsigned i = operands.size(); i-- > 0;) {
      joined = joined ? train::SelectOp::create(
                            b, loc, joined.getType(),
                            between(joined, d, origin, std::nullopt, place),
                            boxes[i], joined)
                            .getResult()
                      : boxes[i];
      place -= operands[i].shape[d];
    }
    replaceBy(joined);
  }

  void updateSlice(train::DynamicUpdateSliceOp update) {
    DimWindows windows = windowsOf(1);
    Value old = update.getOperand(), v = fetch(1, windows);
    ArrayRef<int64_t> shape = train::shapeOf(old);
    Value inside;
    for (auto [d, w] : llvm::enumerate(windows)) {
      if (!w || w->leaderAxes.empty())
        continue;
      int64_t extent = operands[1].shape[d],
              start = std::clamp<int64_t>(
                  static_cast<int64_t>(*train::getSplat(update.getStarts()[d])),
                  0, operands[0].shape[d] - extent);
      Value own = between(old, d, origins.get(loc, w->leaderAxes, shape[d]),
                          start, start + extent);
      inside =
          inside ? train::AndOp::create(b, loc, inside, own).getResult() : own;
      update.getStartsMutable()[d].assign(
          train::splat(b, loc, update.getStarts()[d].getType(), 0));
    }
    update.getUpdateMutable().assign(v);
    if (!inside)
      return;
    b.setInsertionPointAfter(update);
    auto select = train::SelectOp::create(b, loc, old.getType(), inside,
                                          update.getResult(), old);
    select->setDiscardableAttrs(update->getDiscardableAttrDictionary());
    update.getResult().replaceAllUsesExcept(select.getResult(), select);
  }

  // Takes the windows that reach the device's positions, and all that those
  // read.
  void selectAndScatter(train::SelectAndScatterOp scatter) {
    DimWindows source = windowsOf(1), operand = windowsOf(0);
    SmallVector<int64_t> low(scatter.getPadLow()), high(scatter.getPadHigh()),
        counts(train::shapeOf(scatter.getResult()));
    SmallVector<Value> starts(counts.size());
    bool larger = false;
    for (unsigned d = 0; d < counts.size(); ++d) {
      if (!source[d] && !operand[d])
        continue;
      int64_t size = scatter.getWindow()[d], stride = scatter.getStrides()[d],
              extent = operands[0].shape[d], places = operands[1].shape[d];
      const AxisList &axes = results[0].placement.dims[d];
      int64_t shards = mesh.shards(axes),
              local = results[0].placement.extents[d] / shards;
      if (axes.empty()) {
        // If nothing moves with the result, both are whole on each device.
        if (operand[d])
          operand[d]->plan.box = BoxWindow::fixed(0, extent);
        if (source[d])
          source[d]->plan.box = BoxWindow::fixed(0, places);
        continue;
      }
      int64_t align = local % stride == 0 ? 1 : stride,
              positions = align == 1 ? local : local + stride - 1;
      // Find the first and the last such window of the device's positions, and
      // at least those whose elements include all positions.
      int64_t first =
                  std::min(llvm::divideCeilSigned(low[d] - size + 1, stride),
                           llvm::divideFloorSigned(low[d], stride)),
              last = std::max(
                  llvm::divideFloorSigned(positions - 1 + low[d], stride),
                  llvm::divideCeilSigned(positions + low[d] - size, stride));
      int64_t count = last - first + 1, begin = first * stride - low[d];
      source[d]->plan.box = {local, stride, 1, first, count};
      operand[d]->plan.box = {local, stride, stride, begin,
                              (count - 1) * stride + size};
      low[d] = high[d] = 0;
      counts[d] = (count - 1) * stride + size;
      starts[d] =
          align == 1
              ? train::splat(b, loc, RankedTensorType::get({}, b.getI32Type()),
                             static_cast<double>(-begin))
              : origins.remainder(loc, axes, local, stride, -begin);
      larger = true;
    }
    Value v = fetch(0, operand);
    Value fill =
        train::splat(b, loc, v.getType(), identityOf(scatter.getKind(), v));
    v = maskBeyond(v, operand, fill);
    Value sources = fetch(1, source);
    scatter.getOperandMutable().assign(v);
    scatter.getSourceMutable().assign(sources);
    scatter.setPadLow(low);
    scatter.setPadHigh(high);
    if (larger)
      cutResult(counts, starts);
  }

  // ------------------------------------------------------------ scans

  void scan(train::CumulativeOp scan) {
    unsigned d = scan.getDim();
    const Placement &own = results[0].placement;
    const AxisList &axes = own.dims[d];
    auto type = train::tensorType(scan.getResult());
    int64_t local = type.getShape()[d], shards = mesh.shards(axes);
    bool reverse = scan.getReverse();
    double identity = identityOf(scan.getKind(), scan.getOperand());
    if (own.extents[d] != results[0].shape[d]) {
      Value v = scan.getOperand();
      Value inside = between(v, d, origins.get(loc, axes, local), std::nullopt,
                             results[0].shape[d]);
      scan.getOperandMutable().assign(
          train::SelectOp::create(b, loc, v.getType(), inside, v,
                                  train::splat(b, loc, v.getType(), identity)));
    }
    b.setInsertionPointAfter(scan);
    SmallVector<int64_t> start(type.getRank(), 0), limit(type.getShape()),
        ones(type.getRank(), 1), shape(results[0].shape);
    start[d] = reverse ? 0 : local - 1;
    limit[d] = start[d] + 1;
    Value total = train::slice(b, loc, scan.getResult(), start, limit, ones);
    Placement split = own;
    shape[d] = split.extents[d] = shards;
    total.getDefiningOp()->setAttr(shardingsAttrName,
                                   b.getArrayAttr({mesh.toAttr(split, shape)}));
    SmallVector<int64_t> gathered(train::shapeOf(total));
    gathered[d] = shards;
    Value totals = AllGatherOp::create(
        b, loc, type.clone(gathered), total, mesh.nameAttr(axes),
        b.getI64IntegerAttr(d),
        makeMovedKind(b.getContext(), MovedKind::Activation),
        b.getStringAttr(""),
        b.getStringAttr(op->getName().getStringRef() +
                        " needs the totals of the devices before it in dim " +
                        std::to_string(d)));
    Placement joined = split;
    joined.dims[d].clear();
    totals.getDefiningOp()->setAttr(
        shardingsAttrName, b.getArrayAttr({mesh.toAttr(joined, shape)}));
    // Combine those before this device (after it, if reversed).
    auto line = RankedTensorType::get({shards}, b.getI32Type());
    Value index =
        train::IotaOp::create(b, loc, line, Value(), b.getI64IntegerAttr(0));
    Value coordinate =
        train::broadcast(b, loc, origins.get(loc, axes, 1), {shards}, {});
    Value counts = train::compare(b, loc, index, coordinate,
                                  reverse ? train::CompareDirection::GT
                                          : train::CompareDirection::LT);
    counts =
        train::broadcast(b, loc, counts, gathered, {static_cast<int64_t>(d)});
    totals = train::SelectOp::create(
        b, loc, totals.getType(), counts, totals,
        train::splat(b, loc, totals.getType(), identity));
    Value before = train::reduce(b, loc, totals, {static_cast<int64_t>(d)},
                                 scan.getKind());
    SmallVector<int64_t> dims;
    for (int64_t other = 0; other < type.getRank(); ++other)
      if (other != static_cast<int64_t>(d))
        dims.push_back(other);
    before = train::broadcast(b, loc, before, type.getShape(), dims);
    Value sum = combine(scan.getKind(), before, scan.getResult());
    sum.getDefiningOp()->setDiscardableAttrs(
        scan->getDiscardableAttrDictionary());
    scan.getResult().replaceUsesWithIf(sum, [&](OpOperand &use) {
      return use.getOwner() != sum.getDefiningOp() &&
             use.getOwner() != total.getDefiningOp();
    });
  }

  Value combine(train::ReduceKind kind, Value x, Value y) {
    switch (kind) {
    case train::ReduceKind::multiply:
      return train::MulOp::create(b, loc, x, y);
    case train::ReduceKind::maximum:
      return train::MaxOp::create(b, loc, x, y);
    case train::ReduceKind::minimum:
      return train::MinOp::create(b, loc, x, y);
    default:
      return train::AddOp::create(b, loc, x, y);
    }
  }

  bool run() {
    if (auto cumulative = dyn_cast<train::CumulativeOp>(op)) {
      if (results[0].placement.dims[cumulative.getDim()].empty())
        return false;
      scan(cumulative);
      return true;
    }
    bool any = false;
    for (unsigned i = 0; i < operands.size(); ++i)
      any |= anyOf(windowsOf(i));
    if (!any)
      return false;
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](train::SliceOp op) { slice(op); })
        .Case([&](train::DynamicSliceOp op) { dynamicSlice(op); })
        .Case([&](train::ReverseOp op) { reverse(op); })
        .Case([&](train::PadOp op) { pad(op); })
        .Case([&](train::ReduceWindowOp op) { reduceWindow(op); })
        .Case([&](train::ConvolutionOp op) { convolution(op); })
        .Case([&](train::ConcatenateOp op) { concatenate(op); })
        .Case([&](train::DynamicUpdateSliceOp op) { updateSlice(op); })
        .Case([&](train::SelectAndScatterOp op) { selectAndScatter(op); });
    return true;
  }
};
} // namespace

bool distribute::localizeWindows(Operation *op, const FactorRule &rule,
                                 ArrayRef<Lives> operands,
                                 ArrayRef<Lives> results, const MeshAxes &mesh,
                                 Origins &origins) {
  return WindowLocalizer(op, rule, operands, results, mesh, origins).run();
}
