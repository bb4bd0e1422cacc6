// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Partition/WindowReader.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;
using FactorKind = FactorRule::Kind;

WindowReader::WindowReader(Operation *op, const FactorRule &rule,
                           ArrayRef<Lives> operands, ArrayRef<Lives> results,
                           const MeshAxes &mesh, Origins &origins)
    : b(op), loc(op->getLoc()), op(op), rule(rule), operands(operands),
      results(results), mesh(mesh), origins(origins),
      factors(wholeFactors(rule)) {
  auto read = [&](const FactorRule::Tensor &tensor, const Lives &lives) {
    FactorPlacement own = wholeFactors(rule);
    mesh.toFactors(rule, tensor, lives.placement, own);
    for (auto [f, shards] : llvm::enumerate(own))
      if (!shards.axes.empty())
        factors[f] = shards;
  };
  for (auto [tensor, lives] : llvm::zip_equal(rule.operands, operands))
    read(tensor, lives);
  for (auto [tensor, lives] : llvm::zip_equal(rule.results, results))
    read(tensor, lives);
}

std::optional<DimWindow> WindowReader::windowOf(unsigned i, unsigned d) const {
  const FactorRule::Dim &dim = rule.operands[i][d];
  if (dim.empty() || rule.factors[dim.front()].kind != FactorKind::Window)
    return std::nullopt;
  const FactorRule::Window *window = leadingWindow(rule, dim.front(), factors);
  DimWindow out{
      {}, {}, 1, operands[i].shape[d], !factors[dim.front()].axes.empty()};
  int64_t positions = 1;
  if (window->leader) {
    const FactorShards &leader = factors[*window->leader];
    out.leaderAxes = leader.axes;
    out.shards = mesh.shards(leader.axes);
    positions = leader.padded / out.shards;
  }
  if (!out.exchanged && out.leaderAxes.empty())
    return std::nullopt;
  out.plan = planWindow(*window, positions, out.shards, out.extent);
  return out;
}

DimWindows WindowReader::windowsOf(unsigned i) const {
  DimWindows windows;
  for (unsigned d = 0; d < operands[i].shape.size(); ++d)
    windows.push_back(windowOf(i, d));
  return windows;
}

// Returns where the device's box begins in the whole dim.
Value WindowReader::startOf(const DimWindow &w) {
  const BoxWindow &box = w.plan.box;
  return origins.affine(loc, w.leaderAxes, box.step, box.divisor, box.scale,
                        box.offset);
}

// Returns the reason of an exchange: "train.convolution needs its neighbors'
// edges in dim 1, a halo of 1 and 1".
std::string WindowReader::reason(unsigned i, const DimWindows &windows) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName();
  const char *between = " ";
  for (auto [d, w] : llvm::enumerate(windows)) {
    if (!w)
      continue;
    const BoxWindow &box = w->plan.box;
    const Placement &own = operands[i].placement;
    os << between;
    between = ", ";
    if (own.dims[d] != w->leaderAxes) {
      os << "needs " << box.size << " of " << w->extent << " in dim " << d
         << " on each device";
      continue;
    }
    int64_t size = own.extents[d] / w->shards, low = 0, high = 0;
    for (int64_t c : {int64_t(0), w->shards / 2, w->shards - 1}) {
      int64_t begin = std::max<int64_t>(0, box.start(c)),
              end = std::min(w->extent, box.start(c) + box.size);
      low = std::max(low, std::min(c * size, end) - begin);
      high = std::max(high, end - std::max((c + 1) * size, begin));
    }
    os << "needs its neighbors' edges in dim " << d << ", a halo of " << low
       << " and " << high;
  }
  return text;
}

// Exchanges the boxes of operand `i` in the dims that are split.
Value WindowReader::exchange(unsigned i, Value v, const DimWindows &windows) {
  const Placement &own = operands[i].placement;
  // Masks that were put before the op live where the operand does.
  if (Operation *source = v.getDefiningOp();
      source && !source->hasAttr(shardingsAttrName))
    source->setAttr(shardingsAttrName,
                    b.getArrayAttr({mesh.toAttr(own, operands[i].shape)}));
  SmallVector<int64_t> shape(train::shapeOf(v)), local(shape), numbers;
  for (auto [d, w] : llvm::enumerate(windows))
    if (w)
      shape[d] = w->extent;
  Placement from(shape), to(shape);
  AxisList group;
  for (auto [d, w] : llvm::enumerate(windows)) {
    BoxWindow box = BoxWindow::fixed(0, shape[d]);
    if (w) {
      box = w->plan.box;
      from.dims[d] = own.dims[d];
      from.extents[d] = own.extents[d];
      group.append(own.dims[d]);
      to.dims[d] = w->leaderAxes;
      to.extents[d] = llvm::alignTo(shape[d], w->shards);
      local[d] = box.size;
    }
    numbers.append({box.step, box.divisor, box.scale, box.offset, box.size});
  }
  llvm::sort(group);
  return ExchangeBoxesOp::create(
      b, loc, train::tensorType(v).clone(local), v, mesh.nameAttr(group),
      b.getDenseI64ArrayAttr(shape), mesh.toAttr(from, shape),
      mesh.toAttr(to, shape), b.getDenseI64ArrayAttr(numbers),
      makeMovedKind(b.getContext(), MovedKind::Activation), b.getStringAttr(""),
      b.getStringAttr(reason(i, windows)));
}

// Returns where in its shard of operand `i` each device finds all of its box of
// dim `d`; nullopt if some device lacks a part of it.
std::optional<int64_t> WindowReader::placeInShard(unsigned i, unsigned d,
                                                  const DimWindow &w) const {
  const Placement &own = operands[i].placement;
  const BoxWindow &box = w.plan.box;
  int64_t size = own.extents[d] / w.shards;
  if (own.dims[d] != w.leaderAxes || box.step % box.divisor ||
      box.step / box.divisor * box.scale != size || box.offset < 0 ||
      box.offset + box.size > size)
    return std::nullopt;
  return box.offset;
}

// Cuts the boxes that devices have all of, and marks their windows as done.
Value WindowReader::cutShard(unsigned i, Value v, const DimWindows &windows,
                             SmallVectorImpl<bool> &done) {
  SmallVector<int64_t> start(windows.size(), 0), ones(windows.size(), 1),
      limit(train::shapeOf(v));
  for (auto [d, w] : llvm::enumerate(windows))
    if (w && w->exchanged)
      if (std::optional<int64_t> place = placeInShard(i, d, *w)) {
        start[d] = *place;
        limit[d] = *place + w->plan.box.size;
        done[d] = true;
      }
  if (ArrayRef<int64_t>(limit) != train::shapeOf(v) ||
      llvm::any_of(start, [](int64_t at) { return at != 0; }))
    v = train::slice(b, loc, v, start, limit, ones);
  // Padding becomes zero, as in an exchange.
  for (auto [d, w] : llvm::enumerate(windows))
    if (done[d] && w->plan.box.leaves(w->extent, w->shards))
      v = train::SelectOp::create(
          b, loc, v.getType(),
          between(v, d, startOf(*w), std::nullopt, w->extent), v,
          train::splat(b, loc, v.getType(), 0));
  if (v == op->getOperand(i))
    return v;
  // Set where the value lives: VerifyPartitioned checks what is exchanged.
  SmallVector<int64_t> shape(operands[i].shape);
  Placement rest = operands[i].placement;
  for (unsigned d = 0; d < shape.size(); ++d)
    if (done[d]) {
      rest.dims[d].clear();
      shape[d] = rest.extents[d] = train::shapeOf(v)[d];
    }
  v.getDefiningOp()->setAttr(shardingsAttrName,
                             b.getArrayAttr({mesh.toAttr(rest, shape)}));
  return v;
}

// Cuts the boxes in the dims that are whole.
Value WindowReader::cut(Value v, const DimWindows &windows) {
  auto type = train::tensorType(v);
  SmallVector<int64_t> low(type.getRank(), 0), high(low), sizes, none(low);
  SmallVector<Value> starts;
  SmallVector<int64_t> padded(type.getShape());
  for (auto [d, w] : llvm::enumerate(windows)) {
    if (!w) {
      starts.push_back(origins.zero(loc));
      sizes.push_back(type.getShape()[d]);
      continue;
    }
    BoxWindow box = w->plan.box;
    int64_t first = box.start(0), last = box.start(w->shards - 1);
    // Boxes that lie beyond the dim altogether must read only zeros, too,
    // though dynamic_slice clamps: pad enough for that.
    low[d] = std::clamp<int64_t>(-std::min(first, last), 0, box.size);
    high[d] = std::clamp<int64_t>(std::max(first, last) + box.size - w->extent,
                                  0, box.size);
    padded[d] += low[d] + high[d];
    starts.push_back(origins.affine(loc, w->leaderAxes, box.step, box.divisor,
                                    box.scale, box.offset + low[d]));
    sizes.push_back(box.size);
  }
  if (low != none || high != none) {
    Value zero = train::splat(
        b, loc, RankedTensorType::get({}, type.getElementType()), 0);
    v = train::PadOp::create(
        b, loc, type.clone(padded), v, zero, b.getDenseI64ArrayAttr(low),
        b.getDenseI64ArrayAttr(high), b.getDenseI64ArrayAttr(none));
  }
  return train::DynamicSliceOp::create(b, loc, type.clone(sizes), v, starts,
                                       b.getDenseI64ArrayAttr(sizes));
}

// Returns what this device reads of operand `i`.
Value WindowReader::fetch(unsigned i, const DimWindows &windows) {
  Value v = op->getOperand(i);
  SmallVector<bool> done(windows.size(), false);
  v = cutShard(i, v, windows, done);
  // Divide the rest into dims that are exchanged and dims that are cut.
  DimWindows moved(windows), cuts(windows);
  for (unsigned d = 0; d < windows.size(); ++d) {
    if (!windows[d])
      continue;
    if (done[d] || !windows[d]->exchanged)
      moved[d].reset();
    if (windows[d]->exchanged)
      cuts[d].reset();
  }
  if (anyOf(moved))
    v = exchange(i, v, moved);
  if (anyOf(cuts))
    v = cut(v, cuts);
  return v;
}

// Returns where `begin` <= index + origin < `end` in dim `d`, in the shape of
// `like`.
Value WindowReader::between(Value like, unsigned d, Value origin,
                            std::optional<int64_t> begin,
                            std::optional<int64_t> end) {
  ArrayRef<int64_t> shape = train::shapeOf(like);
  auto line = RankedTensorType::get({shape[d]}, b.getI32Type());
  Value index =
      train::IotaOp::create(b, loc, line, origin, b.getI64IntegerAttr(0));
  auto compare = [&](int64_t bound, train::CompareDirection direction) {
    return train::compare(
        b, loc, index, train::splat(b, loc, line, static_cast<double>(bound)),
        direction);
  };
  Value inside;
  if (begin)
    inside = compare(*begin, train::CompareDirection::GE);
  if (end) {
    Value below = compare(*end, train::CompareDirection::LT);
    inside = inside ? train::AndOp::create(b, loc, inside, below).getResult()
                    : below;
  }
  return train::broadcast(b, loc, inside, shape, {static_cast<int64_t>(d)});
}

// Returns the box `v` with `fill` (of its type) where it is beyond the operand.
Value WindowReader::maskBeyond(Value v, const DimWindows &windows, Value fill) {
  for (auto [d, w] : llvm::enumerate(windows)) {
    if (!w)
      continue;
    const BoxWindow &box = w->plan.box;
    int64_t first = box.start(0), last = box.start(w->shards - 1);
    std::optional<int64_t> begin, end;
    if (std::min(first, last) < 0)
      begin = 0;
    if (std::max(first, last) + box.size > w->extent)
      end = w->extent;
    if (begin || end)
      v = train::SelectOp::create(
          b, loc, v.getType(), between(v, d, startOf(*w), begin, end), v, fill);
  }
  return v;
}
