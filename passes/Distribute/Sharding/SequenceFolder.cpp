// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/SequenceFolder.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

// Returns the placement with dim `d` replaced by dims of `extents`, all whole.
static Placement split(const Placement &placement, unsigned d,
                       ArrayRef<int64_t> extents) {
  Placement out = placement;
  out.dims.erase(out.dims.begin() + d);
  out.dims.insert(out.dims.begin() + d, extents.size(), AxisList());
  out.extents.erase(out.extents.begin() + d);
  out.extents.insert(out.extents.begin() + d, extents.begin(), extents.end());
  return out;
}
static SmallVector<int64_t> split(ArrayRef<int64_t> shape, unsigned d,
                                  ArrayRef<int64_t> extents) {
  SmallVector<int64_t> out(shape);
  out.erase(out.begin() + d);
  out.insert(out.begin() + d, extents.begin(), extents.end());
  return out;
}

Value SequenceFolder::put(Value v, const Placement &placement) {
  Operation *op = v.getDefiningOp();
  op->setAttr(shardingsAttrName,
              b.getArrayAttr({mesh.toAttr(placement, train::shapeOf(v))}));
  for (StringRef name : {StringRef(train::tagAttrName),
                         StringRef(stageAttrName), StringRef(chunkAttrName)})
    if (Attribute attr = at->getAttr(name))
      op->setAttr(name, attr);
  return v;
}

Value SequenceFolder::reshard(Value v, const Placement &from,
                              const Placement &to) {
  if (from == to)
    return v;
  ArrayRef<int64_t> shape = train::shapeOf(v);
  auto why = b.getStringAttr("the sequence is folded: every device has two "
                             "stripes, for which a causal mask leaves as much");
  return put(ReshardOp::create(b, loc, v, mesh.toAttr(from, shape),
                               mesh.toAttr(to, shape), why),
             to);
}

Value SequenceFolder::swapParts(Value v, unsigned parts, unsigned devices,
                                const Placement &placement) {
  SmallVector<Value> halves;
  Placement half = placement;
  half.extents[parts] = 1;
  // The result has the parts behind the devices, or before them.
  Placement swapped = half;
  std::swap(swapped.extents[parts], swapped.extents[devices]);
  for (int64_t i = 0; i < 2; ++i) {
    SmallVector<int64_t> limit(train::shapeOf(v)), start(limit.size(), 0),
        stride(limit.size(), 1);
    start[parts] = i;
    limit[parts] = i + 1;
    Value own = put(train::slice(b, loc, v, start, limit, stride), half);
    if (i == 1)
      own = put(train::ReverseOp::create(
                    b, loc, own,
                    b.getDenseI64ArrayAttr({static_cast<int64_t>(devices)})),
                half);
    SmallVector<int64_t> shape(train::shapeOf(own));
    std::swap(shape[parts], shape[devices]);
    halves.push_back(put(train::reshape(b, loc, own, shape), swapped));
  }
  SmallVector<int64_t> shape(train::shapeOf(v));
  std::swap(shape[parts], shape[devices]);
  Placement both = placement;
  std::swap(both.extents[parts], both.extents[devices]);
  return put(train::ConcatenateOp::create(b, loc,
                                          train::tensorType(v).clone(shape),
                                          halves, b.getI64IntegerAttr(devices)),
             both);
}

Value SequenceFolder::fold(Value v, unsigned d, int64_t devices,
                           const Placement &placement) {
  SmallVector<int64_t> shape(train::shapeOf(v));
  Placement whole = split(placement, d, {shape[d]});
  SmallVector<int64_t> extents = {2, devices, shape[d] / (2 * devices)};
  v = reshard(v, placement, whole);
  Placement parts = split(whole, d, extents);
  v = put(train::reshape(b, loc, v, split(shape, d, extents)), parts);
  v = swapParts(v, d, d + 1, parts);
  v = put(train::reshape(b, loc, v, shape), whole);
  return reshard(v, whole, placement);
}

Value SequenceFolder::unfold(Value v, unsigned d, int64_t devices,
                             const Placement &placement) {
  SmallVector<int64_t> shape(train::shapeOf(v));
  Placement whole = split(placement, d, {shape[d]});
  SmallVector<int64_t> extents = {devices, 2, shape[d] / (2 * devices)};
  v = reshard(v, placement, whole);
  Placement parts = split(whole, d, extents);
  v = put(train::reshape(b, loc, v, split(shape, d, extents)), parts);
  v = swapParts(v, d + 1, d, parts);
  v = put(train::reshape(b, loc, v, shape), whole);
  return reshard(v, whole, placement);
}

// Place p = i / stripe of the folded dim, at element i, has the stripe p / 2;
// if p is odd it has the stripe as far from the end.
Value SequenceFolder::foldIota(train::IotaOp iota, int64_t devices,
                               const Placement &placement) {
  auto d = static_cast<unsigned>(iota.getDim());
  ArrayRef<int64_t> shape = train::shapeOf(iota.getResult());
  Placement line{ArrayRef<int64_t>{shape[d]}};
  line.dims[0] = placement.dims[d];
  line.extents[0] = placement.extents[d];
  auto type = RankedTensorType::get({shape[d]}, b.getI32Type());
  auto number = [&](int64_t n) {
    return put(train::splat(b, loc, type, static_cast<double>(n)), line);
  };
  auto add = [&](Value x, Value y) {
    return put(train::AddOp::create(b, loc, x, y), line);
  };
  auto times = [&](Value x, Value y) {
    return put(train::MulOp::create(b, loc, x, y), line);
  };
  auto over = [&](Value x, int64_t n) {
    return put(train::DivOp::create(b, loc, x, number(n)), line);
  };
  int64_t stripe = shape[d] / (2 * devices);
  Value index =
      put(train::IotaOp::create(b, loc, type, Value(), b.getI64IntegerAttr(0)),
          line);
  Value p = over(index, stripe), pair = over(p, 2);
  Value twice = times(pair, number(-2));
  Value odd = add(p, twice);
  Value own = add(pair, times(odd, add(number(2 * devices - 1), twice)));
  Value moved = add(own, times(p, number(-1)));
  Value v = add(index, times(moved, number(stripe)));
  Type element = train::tensorType(iota.getResult()).getElementType();
  if (element != b.getI32Type())
    v = put(train::convert(b, loc, v, element), line);
  if (shape.size() == 1)
    return v;
  return put(train::broadcast(b, loc, v, shape, {static_cast<int64_t>(d)}),
             placement);
}
