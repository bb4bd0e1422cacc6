// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Partition/LocalizePicks.h"
#include "passes/Distribute/Partition/LocalizeWindows.h"
#include "passes/Distribute/Partition/Rings.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

void Origins::seek() {
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(&block);
}

Value Origins::constant(Location loc, int64_t value) {
  Value &v = constants[value];
  if (!v) {
    seek();
    auto type = RankedTensorType::get({}, builder.getI32Type());
    v = train::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, builder.getI32IntegerAttr(static_cast<int32_t>(value))));
    last = v.getDefiningOp();
    ops.insert(last);
  }
  return v;
}

Value Origins::zero(Location loc) { return constant(loc, 0); }

Value Origins::get(Location loc, ArrayRef<unsigned> axes, int64_t extent) {
  if (axes.empty())
    return zero(loc);
  std::pair<std::vector<unsigned>, int64_t> key({axes.begin(), axes.end()},
                                                extent);
  if (auto known = origins.find(key); known != origins.end())
    return known->second;
  auto type = RankedTensorType::get({}, builder.getI32Type());
  Value size = constant(loc, extent);
  seek();
  Value coordinate =
      CoordinateOp::create(builder, loc, type, mesh.nameAttr(axes));
  Value origin = train::MulOp::create(builder, loc, coordinate, size);
  last = origin.getDefiningOp();
  ops.insert(last);
  ops.insert(coordinate.getDefiningOp());
  origins[key] = origin;
  return origin;
}

template <typename Op>
Value Origins::combine(Location loc, Value v, int64_t number) {
  Value &out = combined[{Op::getOperationName(), v.getAsOpaquePointer(),
                         number}];
  if (!out) {
    Value other = constant(loc, number);
    seek();
    out = Op::create(builder, loc, v, other);
    last = out.getDefiningOp();
    ops.insert(last);
  }
  return out;
}

Value Origins::affine(Location loc, ArrayRef<unsigned> axes, int64_t step,
                      int64_t divisor, int64_t scale, int64_t offset) {
  if (axes.empty() || step == 0)
    return constant(loc, offset);
  if (step % divisor == 0) {
    step /= divisor;
    divisor = 1;
  }
  if (divisor == 1 && step * scale > 0) {
    step *= scale;
    scale = 1;
  }
  Value v = get(loc, axes, step);
  if (divisor != 1)
    v = combine<train::DivOp>(loc, v, divisor);
  if (scale != 1)
    v = combine<train::MulOp>(loc, v, scale);
  return offset ? combine<train::AddOp>(loc, v, offset) : v;
}

Value Origins::remainder(Location loc, ArrayRef<unsigned> axes, int64_t step,
                         int64_t divisor, int64_t offset) {
  Value v = combine<train::RemOp>(loc, get(loc, axes, step), divisor);
  return offset ? combine<train::AddOp>(loc, v, offset) : v;
}

Value Origins::stripes(Location loc, ArrayRef<unsigned> axes, int64_t half) {
  Value &out = pairs[{{axes.begin(), axes.end()}, half}];
  if (out)
    return out;
  Value first = get(loc, axes, half),
        second = affine(loc, axes, half, 1, -1,
                        (2 * mesh.shards(axes) - 1) * half);
  seek();
  SmallVector<Value> ones;
  for (Value v : {first, second}) {
    ones.push_back(train::reshape(builder, loc, v, {1}));
    ops.insert(ones.back().getDefiningOp());
  }
  out = train::ConcatenateOp::create(
      builder, loc, RankedTensorType::get({2}, builder.getI32Type()), ones,
      builder.getI64IntegerAttr(0));
  last = out.getDefiningOp();
  ops.insert(last);
  return out;
}

static Value scalarZero(OpBuilder &b, Location loc, Value like) {
  return train::splat(
      b, loc, RankedTensorType::get({}, train::tensorType(like).getElementType()),
      0);
}

Value distribute::resizeDim(OpBuilder &b, Location loc, Value v, unsigned d,
                            int64_t extent) {
  SmallVector<int64_t> shape(train::shapeOf(v)), none(shape.size(), 0),
      ones(shape.size(), 1);
  int64_t more = extent - shape[d];
  if (more == 0)
    return v;
  shape[d] = extent;
  if (more < 0)
    return train::slice(b, loc, v, none, shape, ones);
  SmallVector<int64_t> high = none;
  high[d] = more;
  return train::PadOp::create(b, loc, train::tensorType(v).clone(shape), v,
                              scalarZero(b, loc, v),
                              b.getDenseI64ArrayAttr(none),
                              b.getDenseI64ArrayAttr(high),
                              b.getDenseI64ArrayAttr(none));
}

Value distribute::sliceLocal(OpBuilder &b, Location loc, Value whole,
                             const Placement &placement, const MeshAxes &mesh,
                             Origins &origins) {
  SmallVector<int64_t> sizes;
  SmallVector<Value> starts;
  for (auto [d, axes] : llvm::enumerate(placement.dims)) {
    int64_t extent = train::shapeOf(whole)[d];
    if (!axes.empty()) {
      whole = resizeDim(b, loc, whole, d, placement.extents[d]);
      extent = placement.extents[d] / mesh.shards(axes);
    }
    sizes.push_back(extent);
    starts.push_back(origins.get(loc, axes, extent));
  }
  return train::DynamicSliceOp::create(
      b, loc, train::tensorType(whole).clone(sizes), whole, starts,
      b.getDenseI64ArrayAttr(sizes));
}

// Returns `sizes` with the local extent in the dims in which the operand is
// sharded.
static DenseI64ArrayAttr localSizes(Builder &b, ArrayRef<int64_t> sizes,
                                    Value operand, const Lives &lives) {
  SmallVector<int64_t> local(sizes);
  for (auto [d, axes] : llvm::enumerate(lives.placement.dims))
    if (!axes.empty())
      local[d] = train::shapeOf(operand)[d];
  return b.getDenseI64ArrayAttr(local);
}

namespace {
// Replaces the padding of the op's operands by the identity of the reduction
// over it.
struct Masking {
  OpBuilder &b;
  Location loc;
  const MeshAxes &mesh;
  Origins &origins;

  // Returns where index `d` of the local value is within the whole one (i1).
  Value within(Value v, unsigned d, const Lives &lives) {
    auto type = train::tensorType(v);
    auto line = RankedTensorType::get({type.getShape()[d]}, b.getI32Type());
    Value origin = origins.get(loc, lives.placement.dims[d],
                               type.getShape()[d]);
    Value index = train::IotaOp::create(b, loc, line, origin,
                                        b.getI64IntegerAttr(0));
    Value inside = train::compare(
        b, loc, index,
        train::splat(b, loc, line, static_cast<double>(lives.shape[d])),
        train::CompareDirection::LT);
    return train::broadcast(b, loc, inside, type.getShape(),
                            {static_cast<int64_t>(d)});
  }

  Value apply(Value v, ArrayRef<unsigned> dims, const Lives &lives,
              double identity) {
    Value fill = train::splat(b, loc, v.getType(), identity);
    for (unsigned d : dims)
      v = train::SelectOp::create(b, loc, v.getType(), within(v, d, lives), v,
                                  fill);
    return v;
  }
};

void maskPadding(Operation *op, const train::FactorRule &rule,
                 ArrayRef<Lives> operands, const MeshAxes &mesh,
                 Origins &origins) {
  train::ReduceKind kind = train::ReduceKind::add;
  if (auto reduce = dyn_cast<train::ReduceOp>(op))
    kind = reduce.getKind();
  if (auto scatter = dyn_cast<train::ScatterOp>(op))
    kind = scatter.getKind();
  if (auto best = dyn_cast<train::ArgReduceOp>(op))
    kind = best.getKind();
  OpBuilder b(op);
  Masking masking{b, op->getLoc(), mesh, origins};
  for (auto [i, lives] : llvm::enumerate(operands)) {
    SmallVector<unsigned> dims;
    for (auto [d, dim] : llvm::enumerate(rule.operands[i]))
      if (lives.placement.extents[d] != lives.shape[d] && !dim.empty() &&
          rule.factors[dim.front()].kind ==
              train::FactorRule::Kind::Reduce)
        dims.push_back(d);
    Value v = op->getOperand(i);
    // Indices that lie in padding belong to updates that change nothing. A
    // gather reads no padding, and slices at computed places take care of
    // theirs.
    if (dims.empty() ||
        isa<train::GatherOp, train::DynamicSliceOp,
            train::DynamicUpdateSliceOp>(op) ||
        (isa<train::ScatterOp>(op) && i == 1))
      continue;
    op->setOperand(i, masking.apply(v, dims, lives, identityOf(kind, v)));
  }
}

// Indices into a table of which this device has some rows: shifted to its first
// row, and which of them it has. `dims`: the table's dim of each component.
struct ShiftedIndices {
  Value indices;
  Value held; // i1, without the index vector; null if all are
};
ShiftedIndices shiftIndices(OpBuilder &b, Location loc, Value indices,
                            int64_t vectorDim, ArrayRef<int64_t> dims,
                            const Lives &table, ArrayRef<int64_t> windows,
                            bool clamp, const MeshAxes &mesh,
                            Origins &origins) {
  if (llvm::none_of(dims, [&](int64_t d) {
        return !table.placement.dims[d].empty();
      }))
    return {indices, {}};
  Type i32 = b.getI32Type();
  indices = train::convert(b, loc, indices, i32);
  auto type = train::tensorType(indices);
  bool isVector = vectorDim < type.getRank();
  SmallVector<Value> origin, last, extent;
  auto one = RankedTensorType::get({1}, i32);
  for (int64_t d : dims) {
    const AxisList &axes = table.placement.dims[d];
    int64_t local = table.placement.extents[d] / mesh.shards(axes);
    // A window over the whole dim begins at 0 on every device.
    bool whole = windows[d] == table.shape[d] && table.shape[d] > 1;
    origin.push_back(
        whole ? train::splat(b, loc, one, 0)
              : train::reshape(b, loc, origins.get(loc, axes, local), {1}));
    last.push_back(train::splat(
        b, loc, one, static_cast<double>(table.shape[d] - windows[d])));
    extent.push_back(train::splat(b, loc, one, static_cast<double>(local)));
  }
  auto spread = [&](SmallVector<Value> &parts) {
    Value v = parts.front();
    if (parts.size() > 1)
      v = train::ConcatenateOp::create(
          b, loc,
          RankedTensorType::get({static_cast<int64_t>(parts.size())}, i32),
          parts, 0);
    if (!isVector) {
      v = train::reshape(b, loc, v, {});
      return train::broadcast(b, loc, v, type.getShape(), {});
    }
    return train::broadcast(b, loc, v, type.getShape(), {vectorDim});
  };
  Value zero = train::splat(b, loc, type, 0);
  if (clamp)
    indices = train::ClampOp::create(b, loc, type, zero, indices, spread(last));
  indices = train::SubOp::create(b, loc, indices, spread(origin));
  Value held = train::AndOp::create(
      b, loc,
      train::compare(b, loc, indices, zero, train::CompareDirection::GE),
      train::compare(b, loc, indices, spread(extent),
                     train::CompareDirection::LT));
  if (isVector)
    held = train::reduce(b, loc, held, {vectorDim},
                         train::ReduceKind::logical_and);
  return {indices, held};
}

struct Localizer {
  OpBuilder b;
  Location loc;
  ArrayRef<Lives> operands, results;
  const MeshAxes &mesh;
  Origins &origins;

  void constant(train::ConstantOp constant) {
    RankedTensorType local =
        mesh.localType(train::tensorType(constant.getResult()),
                       results[0].placement);
    if (local == constant.getType())
      return;
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (dense && dense.isSplat()) {
      constant.setValueAttr(dense.resizeSplat(local));
      constant.getResult().setType(local);
      return;
    }
    b.setInsertionPointAfter(constant);
    Value part = sliceLocal(b, loc, constant.getResult(), results[0].placement,
                            mesh, origins);
    SmallPtrSet<Operation *, 4> made;
    for (Operation *op = part.getDefiningOp(); op != constant;
         op = op->getPrevNode())
      made.insert(op);
    part.getDefiningOp()->setDiscardableAttrs(
        constant->getDiscardableAttrDictionary());
    constant.getResult().replaceUsesWithIf(part, [&](OpOperand &use) {
      return !made.contains(use.getOwner());
    });
    constant->setAttr(
        shardingsAttrName,
        b.getArrayAttr({mesh.toAttr(Placement(results[0].shape),
                                    results[0].shape)}));
  }

  void gather(train::GatherOp gather) {
    const Lives &table = operands[0];
    SmallVector<int64_t> windows(gather.getSliceSizes());
    SmallVector<int64_t> sizes(
        localSizes(b, windows, gather.getOperand(), table).asArrayRef());
    for (int64_t d : gather.getOperandBatchingDims())
      sizes[d] = windows[d];
    for (int64_t d : gather.getCollapsedSliceDims())
      sizes[d] = windows[d];
    gather.setSliceSizesAttr(b.getDenseI64ArrayAttr(sizes));
    ShiftedIndices shifted = shiftIndices(
        b, loc, gather.getIndices(), gather.getIndexVectorDim(),
        gather.getStartIndexMap(), table, windows, /*clamp=*/true, mesh,
        origins);
    if (!shifted.held)
      return;
    gather.getIndicesMutable().assign(shifted.indices);
    b.setInsertionPointAfter(gather);
    // The result's dims that stand for those of the indices, in order.
    SmallVector<int64_t> batch;
    auto type = train::tensorType(gather.getResult());
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (!llvm::is_contained(gather.getOffsetDims(), d))
        batch.push_back(d);
    Value held =
        train::broadcast(b, loc, shifted.held, type.getShape(), batch);
    Value zero = train::splat(b, loc, type, 0);
    auto select = train::SelectOp::create(b, loc, type, held,
                                          gather.getResult(), zero);
    select->setDiscardableAttrs(gather->getDiscardableAttrDictionary());
    gather.getResult().replaceAllUsesExcept(select.getResult(), select);
  }

  void scatter(train::ScatterOp scatter) {
    const Lives &table = operands[0];
    SmallVector<int64_t> windows(table.shape.size(), 1);
    size_t next = 0;
    for (size_t d = 0; d < windows.size(); ++d)
      if (!llvm::is_contained(scatter.getInsertedWindowDims(),
                              static_cast<int64_t>(d)) &&
          !llvm::is_contained(scatter.getOperandBatchingDims(),
                              static_cast<int64_t>(d)))
        windows[d] = operands[2].shape[scatter.getUpdateWindowDims()[next++]];
    ShiftedIndices shifted = shiftIndices(
        b, loc, scatter.getIndices(), scatter.getIndexVectorDim(),
        scatter.getOperandDimsMap(), table, windows, scatter.getClampStarts(),
        mesh, origins);
    if (!shifted.held)
      return;
    // Updates outside of the shard are left out.
    scatter.getIndicesMutable().assign(shifted.indices);
    scatter.setClampStarts(false);
  }
};
} // namespace

double distribute::identityOf(train::ReduceKind kind, Value v) {
  Type element = train::tensorType(v).getElementType();
  bool isFloat = isa<FloatType>(element);
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  double infinity = std::numeric_limits<double>::infinity();
  double most = std::ldexp(1.0, static_cast<int>(isUnsigned ? width : width - 1));
  switch (kind) {
  case train::ReduceKind::multiply:
  case train::ReduceKind::logical_and:
    return width == 1 || kind == train::ReduceKind::multiply ? 1
           : isUnsigned                                      ? most - 1
                                                             : -1;
  case train::ReduceKind::maximum:
    return isFloat ? -infinity : isUnsigned ? 0 : -most;
  case train::ReduceKind::minimum:
    return isFloat ? infinity : most - 1;
  default:
    return 0;
  }
}

bool distribute::isPadded(const Lives &lives) {
  return ArrayRef<int64_t>(lives.placement.extents) !=
         ArrayRef<int64_t>(lives.shape);
}

void distribute::localize(Operation *op, const train::FactorRule *rule,
                          ArrayRef<Lives> operands, ArrayRef<Lives> results,
                          const MeshAxes &mesh, Origins &origins) {
  Localizer local{OpBuilder(op), op->getLoc(), operands, results, mesh,
                  origins};
  OpBuilder &b = local.b;
  if (auto constant = dyn_cast<train::ConstantOp>(op))
    return local.constant(constant);
  if (auto constraint = dyn_cast<train::ShardingConstraintOp>(op)) {
    constraint.getResult().replaceAllUsesWith(constraint.getOperand());
    constraint.erase();
    return;
  }
  if (makeRing(op, operands, results, mesh, origins))
    return;
  if (rule)
    maskPadding(op, *rule, operands, mesh, origins);
  for (auto [result, lives] : llvm::zip_equal(op->getResults(), results))
    result.setType(
        mesh.localType(train::tensorType(result), lives.placement));
  // Sharding the groups leaves fewer of them; their sizes stay.
  if (auto conv = dyn_cast<train::ConvolutionOp>(op)) {
    ArrayRef<int64_t> lhs = train::shapeOf(conv.getLhs()),
                      rhs = train::shapeOf(conv.getRhs());
    conv.setFeatureGroups(lhs[conv.getInputDims()[1]] /
                          rhs[conv.getKernelDims()[0]]);
    conv.setBatchGroups(lhs[conv.getInputDims()[0]] /
                        train::shapeOf(
                            conv.getResult())[conv.getOutputDims()[0]]);
  }
  // One op may move along one dim and pick along another.
  bool picks = isa<train::ArgReduceOp, train::DynamicSliceOp,
                   train::DynamicUpdateSliceOp>(op),
       done = rule &&
              localizeWindows(op, *rule, operands, results, mesh, origins);
  if (rule && picks)
    done |= localizePicks(op, *rule, operands, results, mesh, origins);
  if (done)
    return;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](train::IotaOp iota) {
        const AxisList &axes = results[0].placement.dims[iota.getDim()];
        if (!axes.empty())
          iota.getOriginMutable().assign(origins.get(
              op->getLoc(), axes,
              train::shapeOf(iota.getResult())[iota.getDim()]));
      })
      .Case([&](train::AttentionOp attention) {
        // A band needs the positions of the queries.
        unsigned dim = results[0].placement.dims.size() - 3;
        const AxisList &axes = results[0].placement.dims[dim];
        if (!axes.empty() && (attention.getBefore() || attention.getAfter()))
          attention.getQueryOriginMutable().assign(origins.get(
              op->getLoc(), axes, train::shapeOf(attention.getResult())[dim]));
      })
      .Case([&](train::AttentionGradientOp attention) {
        unsigned dim = operands[0].placement.dims.size() - 3;
        const AxisList &axes = operands[0].placement.dims[dim];
        if (!axes.empty() && (attention.getBefore() || attention.getAfter()))
          attention.getQueryOriginMutable().assign(origins.get(
              op->getLoc(), axes, train::shapeOf(attention.getQuery())[dim]));
      })
      // The other dims are whole in these ops, and start at 0 on every device.
      .Case([&](train::SliceOp slice) {
        slice.setLimitAttr(
            localSizes(b, slice.getLimit(), slice.getOperand(), operands[0]));
      })
      .Case([&](train::DynamicSliceOp slice) {
        slice.setSizesAttr(
            localSizes(b, slice.getSizes(), slice.getOperand(), operands[0]));
      })
      .Case([&](train::GatherOp gather) { local.gather(gather); })
      .Case([&](train::ScatterOp scatter) { local.scatter(scatter); });
}
