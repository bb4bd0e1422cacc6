// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each function of Batch handles the ops of one type; they follow the rules of
// jax.vmap.
#include "passes/Import/BatchOps.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/Train.h"
#include "passes/Import/ExpandOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zcc {
namespace {

using Dims = SmallVector<int64_t>;

/// Returns the dims, one later.
Dims later(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [](int64_t d) { return d + 1; });
}
/// Returns `first`, followed by `rest`.
Dims join(int64_t first, ArrayRef<int64_t> rest) {
  Dims all{first};
  all.append(rest.begin(), rest.end());
  return all;
}
ArrayRef<int64_t> extents(Value v) { return HloBuilder::shapeOf(v); }

/// Returns a copy of an op that reads what `map` says, which stays as it is: a
/// map would keep the blocks of the copy's regions.
Operation *cloneOnce(OpBuilder &b, Operation &op, const IRMapping &map) {
  IRMapping own;
  for (Value v : op.getOperands())
    own.map(v, map.lookupOrDefault(v));
  for (Region &region : op.getRegions())
    region.walk([&](Operation *inner) {
      for (Value v : inner->getOperands())
        if (!region.isAncestor(v.getParentRegion()))
          own.map(v, map.lookupOrDefault(v));
    });
  return b.clone(op, own);
}

/// Returns a value that is the same in all trips, with the dim of trips.
Value spread(HloBuilder hlo, Value v, int64_t trips) {
  ArrayRef<int64_t> shape = extents(v);
  return hlo.broadcast(
      v, join(trips, shape),
      later(llvm::to_vector(llvm::seq<int64_t>(0, shape.size()))));
}

/// Builds one op for all trips. `in` are the op's operands, `differs` says of
/// each whether it has the dim of trips. A function returns no values if the
/// op cannot be built.
struct Batch {
  OpBuilder &b;
  Operation *op;
  int64_t trips;
  const IRMapping &map;
  SmallVector<Value> in;
  SmallVector<bool> differs;
  const DenseSet<Value> &counters;

  using Values = SmallVector<Value>;
  HloBuilder hlo{b, op->getLoc()};

  Type typeForAll(Type one) const {
    auto type = cast<RankedTensorType>(one);
    return type.clone(join(trips, type.getShape()));
  }
  /// Returns operand `i` with the dim of trips.
  Value all(unsigned i) {
    return differs[i] ? in[i] : spread(hlo, in[i], trips);
  }
  Values allOperands() {
    Values values;
    for (unsigned i = 0; i < in.size(); ++i)
      values.push_back(all(i));
    return values;
  }
  /// Returns a copy of the op on `operands`, whose results have the dim of
  /// trips.
  Operation *copy(ValueRange operands) {
    Operation *copied = cloneOnce(b, *op, map);
    copied->setOperands(operands);
    for (Value result : copied->getResults())
      result.setType(typeForAll(result.getType()));
    return copied;
  }
  Values copied(ValueRange operands) {
    return llvm::to_vector_of<Value>(copy(operands)->getResults());
  }

  Values build(stablehlo::SelectOp) {
    // A scalar decides for all elements.
    if (!differs[0] && extents(in[0]).empty())
      return copied({in[0], all(1), all(2)});
    Value pred = all(0);
    ArrayRef<int64_t> shape = extents(all(1));
    if (extents(pred).size() < shape.size())
      pred = hlo.broadcast(pred, shape, {0});
    return copied({pred, all(1), all(2)});
  }
  Values build(stablehlo::ClampOp) {
    Value x = all(1);
    auto limit = [&](unsigned i) {
      if (!differs[i] && extents(in[i]).empty())
        return in[i];
      Value v = all(i);
      return extents(v).size() < extents(x).size()
                 ? hlo.broadcast(v, extents(x), {0})
                 : v;
    };
    return copied({limit(0), x, limit(2)});
  }
  Values build(stablehlo::BroadcastInDimOp one) {
    auto type = cast<RankedTensorType>(typeForAll(one.getType()));
    return {hlo.broadcast(in[0], type.getShape(),
                          join(0, later(one.getBroadcastDimensions())))};
  }
  Values build(stablehlo::BroadcastOp one) {
    auto type = cast<RankedTensorType>(typeForAll(one.getType()));
    int64_t added = one.getBroadcastSizes().size();
    return {hlo.broadcast(
        in[0], type.getShape(),
        join(0, llvm::to_vector(llvm::seq(added + 1, type.getRank()))))};
  }
  Values build(stablehlo::ReshapeOp) { return copied(in); }
  Values build(stablehlo::BitcastConvertOp) { return copied(in); }
  Values build(chlo::TopKOp) { return copied(in); }
  Values build(stablehlo::TransposeOp one) {
    return {hlo.transpose(in[0], join(0, later(one.getPermutation())))};
  }
  Values build(stablehlo::SliceOp one) {
    return {stablehlo::SliceOp::create(
        b, op->getLoc(), typeForAll(one.getType()), in[0],
        join(0, one.getStartIndices()), join(trips, one.getLimitIndices()),
        join(1, one.getStrides()))};
  }
  Values build(stablehlo::ReverseOp one) {
    Operation *copied = copy(in);
    cast<stablehlo::ReverseOp>(copied).setDimensions(
        later(one.getDimensions()));
    return {copied->getResult(0)};
  }
  Values build(stablehlo::ConcatenateOp one) {
    Operation *copied = copy(allOperands());
    cast<stablehlo::ConcatenateOp>(copied).setDimension(one.getDimension() + 1);
    return {copied->getResult(0)};
  }
  Values build(stablehlo::PadOp one) {
    if (differs[1])
      return {};
    return {stablehlo::PadOp::create(
        b, op->getLoc(), typeForAll(one.getType()), in[0], in[1],
        join(0, one.getEdgePaddingLow()), join(0, one.getEdgePaddingHigh()),
        join(0, one.getInteriorPadding()))};
  }

  Values build(stablehlo::DynamicSliceOp one) {
    ArrayRef<int64_t> sizes = one.getSliceSizes();
    if (sizes.empty())
      return {all(0)};
    Values starts(llvm::drop_begin(in));
    bool same = llvm::none_of(llvm::drop_begin(differs),
                              [](bool differs) { return differs; });
    if (same) {
      starts.insert(starts.begin(), scalar(starts[0], 0));
      return {stablehlo::DynamicSliceOp::create(
          b, op->getLoc(), typeForAll(one.getType()), in[0], starts,
          join(trips, sizes))};
    }
    // Element i of the first dim in trip i: all of them, in order.
    ArrayRef<int64_t> shape = extents(in[0]);
    bool inOrder =
        !differs[0] && counters.contains(starts[0]) && sizes[0] == 1 &&
        shape[0] == trips &&
        llvm::none_of(llvm::drop_begin(differs, 2), [](bool d) { return d; });
    if (inOrder) {
      Value part = in[0];
      Dims kept(sizes);
      kept[0] = trips;
      if (ArrayRef<int64_t>(kept) != shape) {
        starts[0] = scalar(starts[0], 0);
        part = stablehlo::DynamicSliceOp::create(
            b, op->getLoc(), HloBuilder::typeOf(part).clone(kept), part, starts,
            kept);
      }
      return {hlo.reshape(part, join(trips, sizes))};
    }
    return {gatherSlices(one, sizes)};
  }

  /// Reads each trip's slice from its place, which is kept within the operand.
  Value gatherSlices(stablehlo::DynamicSliceOp one, ArrayRef<int64_t> sizes) {
    bool own = differs[0]; // each trip reads an operand of its own
    ArrayRef<int64_t> shape = extents(in[0]).drop_front(own);
    Values entries;
    Dims indexed, collapsed, offset, windows(sizes);
    int64_t kept = 1;
    for (auto [d, size] : llvm::enumerate(sizes)) {
      if (size == 1)
        collapsed.push_back(d + own);
      else
        offset.push_back(kept++);
      if (size == shape[d])
        continue;
      Value start = all(d + 1);
      auto type = cast<IntegerType>(HloBuilder::typeOf(start).getElementType());
      if (unsigned bits = type.getWidth() - !type.isUnsigned();
          bits < 63 && (shape[d] - size) >> bits != 0) // it lacks the limit
        start = stablehlo::ConvertOp::create(
            b, op->getLoc(),
            HloBuilder::typeOf(start).clone(b.getIntegerType(64)), start);
      start = stablehlo::ClampOp::create(b, op->getLoc(), start.getType(),
                                         scalar(start, 0), start,
                                         scalar(start, shape[d] - size));
      entries.push_back(hlo.reshape(start, {trips, 1}));
      indexed.push_back(d + own);
    }
    if (entries.empty())
      return all(0);
    Value indices = entries.front();
    if (entries.size() > 1)
      indices = stablehlo::ConcatenateOp::create(
          b, op->getLoc(),
          HloBuilder::typeOf(indices).clone(
              {trips, static_cast<int64_t>(entries.size())}),
          entries, 1);
    if (own)
      windows = join(1, windows);
    Dims batching;
    if (own)
      batching.push_back(0);
    auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
        b.getContext(), offset, collapsed, batching, batching, indexed,
        /*indexVectorDim=*/1);
    Dims gathered{trips};
    for (int64_t size : sizes)
      if (size != 1)
        gathered.push_back(size);
    Value all = stablehlo::GatherOp::create(
        b, op->getLoc(), HloBuilder::typeOf(in[0]).clone(gathered), in[0],
        indices, numbers, windows, /*indices_are_sorted=*/false);
    return hlo.reshape(all, join(trips, sizes));
  }
  /// Returns a scalar of the element type of `like`.
  Value scalar(Value like, int64_t value) {
    auto type =
        RankedTensorType::get({}, HloBuilder::typeOf(like).getElementType());
    Attribute number = b.getIntegerAttr(type.getElementType(), value);
    return stablehlo::ConstantOp::create(b, op->getLoc(),
                                         DenseElementsAttr::get(type, number));
  }

  Values build(stablehlo::DynamicUpdateSliceOp) {
    if (in.size() == 2) // of a scalar
      return {all(1)};
    for (bool start : llvm::drop_begin(differs, 2))
      if (start)
        return {};
    Values operands{all(0), all(1), scalar(in[2], 0)};
    operands.append(in.begin() + 2, in.end());
    return copied(operands);
  }

  Values build(stablehlo::DotGeneralOp one) {
    auto numbers = one.getDotDimensionNumbers();
    ArrayRef<int64_t> lhsBatching = numbers.getLhsBatching(),
                      rhsBatching = numbers.getRhsBatching();
    Dims lb(lhsBatching), rb(rhsBatching), lc(numbers.getLhsContracting()),
        rc(numbers.getRhsContracting());
    if (differs[0])
      lb = later(lb), lc = later(lc);
    if (differs[1])
      rb = later(rb), rc = later(rc);
    // The dim of trips stands before the other free dims of the result.
    int64_t at = 0;
    if (differs[0] && differs[1]) {
      lb = join(0, lb);
      rb = join(0, rb);
    } else {
      at = lb.size();
      if (differs[1])
        at += extents(in[0]).size() - lb.size() - lc.size();
    }
    Dims shape(cast<RankedTensorType>(one.getType()).getShape());
    shape.insert(shape.begin() + at, trips);
    Operation *copied = copy(in);
    auto dot = cast<stablehlo::DotGeneralOp>(copied);
    dot.setDotDimensionNumbersAttr(stablehlo::DotDimensionNumbersAttr::get(
        b.getContext(), lb, rb, lc, rc));
    dot.getResult().setType(cast<RankedTensorType>(one.getType()).clone(shape));
    Dims order{at};
    for (int64_t d = 0, e = shape.size(); d < e; ++d)
      if (d != at)
        order.push_back(d);
    return {at == 0 ? dot.getResult() : hlo.transpose(dot.getResult(), order)};
  }

  Values build(stablehlo::GatherOp one) {
    auto n = one.getDimensionNumbers();
    Dims offset = later(n.getOffsetDims()),
         collapsed(n.getCollapsedSliceDims()),
         operandBatching(n.getOperandBatchingDims()),
         indicesBatching(n.getStartIndicesBatchingDims()),
         indexed(n.getStartIndexMap()), sizes(one.getSliceSizes());
    int64_t vectorDim = n.getIndexVectorDim();
    if (differs[0]) {
      collapsed = later(collapsed);
      operandBatching = later(operandBatching);
      indexed = later(indexed);
    }
    if (differs[1]) {
      indicesBatching = later(indicesBatching);
      ++vectorDim;
    }
    if (differs[0] && differs[1]) {
      operandBatching = join(0, operandBatching);
      indicesBatching = join(0, indicesBatching);
      sizes = join(1, sizes);
    } else if (differs[0]) {
      offset = join(0, offset);
      sizes = join(trips, sizes);
    }
    Operation *copied = copy(in);
    auto gather = cast<stablehlo::GatherOp>(copied);
    gather.setDimensionNumbersAttr(stablehlo::GatherDimensionNumbersAttr::get(
        b.getContext(), offset, collapsed, operandBatching, indicesBatching,
        indexed, vectorDim));
    gather.setSliceSizes(sizes);
    return {gather.getResult()};
  }

  Values build(stablehlo::ScatterOp one) {
    auto n = one.getScatterDimensionNumbers();
    unsigned inputs = one.getInputs().size();
    bool ownPlaces = differs[inputs];
    Values operands;
    for (unsigned i = 0; i < in.size(); ++i)
      operands.push_back(i == inputs ? in[i] : all(i));
    Dims window = later(n.getUpdateWindowDims()),
         inputBatching = later(n.getInputBatchingDims()),
         indicesBatching(n.getScatterIndicesBatchingDims());
    if (ownPlaces) {
      inputBatching = join(0, inputBatching);
      indicesBatching = join(0, later(indicesBatching));
    } else {
      window = join(0, window);
    }
    Operation *copied = copy(operands);
    cast<stablehlo::ScatterOp>(copied).setScatterDimensionNumbersAttr(
        stablehlo::ScatterDimensionNumbersAttr::get(
            b.getContext(), window, later(n.getInsertedWindowDims()),
            inputBatching, indicesBatching,
            later(n.getScatterDimsToOperandDims()),
            n.getIndexVectorDim() + ownPlaces));
    return llvm::to_vector_of<Value>(copied->getResults());
  }

  /// Returns the operands of a reduction, or none if where it starts differs
  /// among trips.
  Values reduced() {
    Values operands;
    unsigned inputs = in.size() / 2;
    for (unsigned i = 0; i < in.size(); ++i) {
      if (i >= inputs && differs[i])
        return {};
      operands.push_back(i < inputs ? all(i) : in[i]);
    }
    return operands;
  }
  Values build(stablehlo::ReduceOp one) {
    Values operands = reduced();
    if (operands.empty())
      return {};
    Operation *copied = copy(operands);
    cast<stablehlo::ReduceOp>(copied).setDimensions(later(one.getDimensions()));
    return llvm::to_vector_of<Value>(copied->getResults());
  }
  Values build(stablehlo::ReduceWindowOp one) {
    Values operands = reduced();
    if (operands.empty())
      return {};
    auto copied = cast<stablehlo::ReduceWindowOp>(copy(operands));
    copied.setWindowDimensions(join(1, one.getWindowDimensions()));
    if (auto strides = one.getWindowStrides())
      copied.setWindowStrides(join(1, *strides));
    if (auto dilations = one.getBaseDilations())
      copied.setBaseDilations(join(1, *dilations));
    if (auto dilations = one.getWindowDilations())
      copied.setWindowDilations(join(1, *dilations));
    if (auto padding = one.getPadding()) {
      Dims edges{0, 0};
      llvm::append_range(edges, padding->getValues<int64_t>());
      copied.setPaddingAttr(DenseIntElementsAttr::get(
          RankedTensorType::get({static_cast<int64_t>(edges.size()) / 2, 2},
                                b.getI64Type()),
          edges));
    }
    return llvm::to_vector_of<Value>(copied->getResults());
  }
  Values build(stablehlo::SortOp one) {
    auto copied = cast<stablehlo::SortOp>(copy(allOperands()));
    // A dim that is counted from the end stays so.
    int64_t dim = one.getDimension();
    copied.setDimension(dim < 0 ? dim : dim + 1);
    return llvm::to_vector_of<Value>(copied->getResults());
  }

  /// The trips become a part of the batch, which the dim before it is.
  Values build(stablehlo::ConvolutionOp one) {
    if (differs[1] || one.getBatchGroupCount() != 1)
      return {};
    int64_t from = one.getDimensionNumbers().getInput()[0],
            to = one.getDimensionNumbers().getOutput()[0];
    auto type = cast<RankedTensorType>(one.getType());
    // The dim of trips moves right before that of the batch.
    Dims order, merged(extents(in[0]).drop_front()), shape(type.getShape());
    for (int64_t d = 1, e = extents(in[0]).size(); d < e; ++d) {
      if (d == from + 1)
        order.push_back(0);
      order.push_back(d);
    }
    merged[from] *= trips;
    Value lhs = hlo.reshape(hlo.transpose(in[0], order), merged);
    Operation *copied = copy({lhs, in[1]});
    shape[to] *= trips;
    copied->getResult(0).setType(type.clone(shape));
    shape[to] /= trips;
    shape.insert(shape.begin() + to, trips);
    Dims back{to};
    for (int64_t d = 0, e = shape.size(); d < e; ++d)
      if (d != to)
        back.push_back(d);
    return {hlo.transpose(hlo.reshape(copied->getResult(0), shape), back)};
  }

  Values build(stablehlo::CustomCallOp one) {
    if (one.getCallTargetName() != "zcc.stop_gradient")
      return {};
    return copied(in);
  }
  Values build(train::CustomDerivativeOp) { return copied(allOperands()); }

  /// Returns true if each element of the results depends on the same element
  /// of the operands.
  bool isElementwise() const {
    return isa<stablehlo::StableHLODialect, chlo::CHLODialect>(
               op->getDialect()) &&
           op->getNumRegions() == 0 &&
           (op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
            op->hasTrait<OpTrait::SameOperandsAndResultType>());
  }

  template <typename Op, typename... Ops> Values dispatch() {
    if (auto one = dyn_cast<Op>(op))
      return build(one);
    if constexpr (sizeof...(Ops) > 0)
      return dispatch<Ops...>();
    else
      return isElementwise() ? copied(allOperands()) : Values{};
  }
  Values buildAny() {
    return dispatch<
        stablehlo::SelectOp, stablehlo::ClampOp, stablehlo::BroadcastInDimOp,
        stablehlo::BroadcastOp, stablehlo::ReshapeOp,
        stablehlo::BitcastConvertOp, chlo::TopKOp, stablehlo::TransposeOp,
        stablehlo::SliceOp, stablehlo::ReverseOp, stablehlo::ConcatenateOp,
        stablehlo::PadOp, stablehlo::DynamicSliceOp,
        stablehlo::DynamicUpdateSliceOp, stablehlo::DotGeneralOp,
        stablehlo::GatherOp, stablehlo::ScatterOp, stablehlo::ReduceOp,
        stablehlo::ReduceWindowOp, stablehlo::SortOp, stablehlo::ConvolutionOp,
        stablehlo::CustomCallOp, train::CustomDerivativeOp>();
  }
};
} // namespace

LogicalResult OpBatcher::add(Operation &op) {
  // The cotangent of a value that differs among trips does, too.
  bool any = false;
  if (isa<train::CotangentOp>(op))
    for (Operation *user : op.getUsers())
      if (auto derivative = dyn_cast<train::CustomDerivativeOp>(user))
        for (ValueRange values :
             {derivative.getValues(), derivative.getInputs()})
          any |= llvm::any_of(values, [&](Value v) { return differs(v); });
  // A region's values are not looked at one by one.
  for (Region &region : op.getRegions()) {
    WalkResult reads = region.walk([&](Operation *inner) {
      return llvm::any_of(inner->getOperands(),
                          [&](Value v) { return differs(v); })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (reads.wasInterrupted())
      return failure();
  }
  SmallVector<Value> operands;
  SmallVector<bool> differing;
  for (Value v : op.getOperands()) {
    operands.push_back(in(v));
    differing.push_back(differs(v));
    any |= differing.back();
  }
  if (!any) {
    Operation *copied = cloneOnce(b, op, map);
    map.map(op.getResults(), copied->getResults());
    return success();
  }
  Batch batch{b, &op, trips, map, operands, differing, counters};
  SmallVector<Value> results =
      isa<train::CotangentOp>(op) ? batch.copied({}) : batch.buildAny();
  if (results.empty())
    return failure();
  for (auto [one, all] : llvm::zip_equal(op.getResults(), results))
    set(one, all);
  return success();
}

Value OpBatcher::all(Value one) {
  Value v = in(one);
  return batched.contains(v) ? v : spread(HloBuilder{b, v.getLoc()}, v, trips);
}

} // namespace zcc
