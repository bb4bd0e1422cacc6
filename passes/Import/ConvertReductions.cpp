// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce, reduce_window and sort. A region is understood by its one op, or, for
// the index of a maximum and for comparators, by what it computes on a few
// values that tell the cases apart.
#include "passes/Import/ConstantFold.h"
#include "passes/Import/ConvertToTrain.h"

using namespace mlir;
using train_kind = zcc::train::ReduceKind;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

/// The kind of reduction that an op of two elements is.
static std::optional<train_kind> getKind(Operation *op) {
  bool pred = op->getNumResults() == 1 &&
              tensorType(op->getResult(0)).getElementType().isInteger(1);
  if (isa<stablehlo::AddOp>(op))
    return pred ? train_kind::logical_or : train_kind::add;
  if (isa<stablehlo::MulOp>(op))
    return pred ? train_kind::logical_and : train_kind::multiply;
  if (isa<stablehlo::MaxOp>(op))
    return pred ? train_kind::logical_or : train_kind::maximum;
  if (isa<stablehlo::MinOp>(op))
    return pred ? train_kind::logical_and : train_kind::minimum;
  if (pred && isa<stablehlo::AndOp>(op))
    return train_kind::logical_and;
  if (pred && isa<stablehlo::OrOp>(op))
    return train_kind::logical_or;
  if (pred && isa<stablehlo::XorOp>(op))
    return train_kind::logical_xor;
  return std::nullopt;
}

/// The kind if result `k` combines arguments k and n + k, by one op.
static std::optional<train_kind> getReduceKind(Region &region, unsigned k) {
  Block &block = region.front();
  unsigned n = block.getNumArguments() / 2;
  Value result = block.getTerminator()->getOperand(k),
        lhs = block.getArgument(k), rhs = block.getArgument(n + k);
  if (result == rhs)
    return train_kind::replace;
  Operation *op = result.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  Value x = op->getOperand(0), y = op->getOperand(1);
  if (!(x == lhs && y == rhs) && !(x == rhs && y == lhs))
    return std::nullopt;
  return getKind(op);
}

std::optional<train_kind> getReduceKind(Region &region) {
  return region.front().getNumArguments() == 2 ? getReduceKind(region, 0)
                                               : std::nullopt;
}

static bool isIdentity(Value v, train_kind kind) {
  Attribute a = getSplatAttr(v);
  if (!a)
    return false;
  auto f = dyn_cast<FloatAttr>(a);
  auto i = dyn_cast<IntegerAttr>(a);
  switch (kind) {
  case train_kind::add:
  case train_kind::logical_or:
  case train_kind::logical_xor:
    return f ? f.getValue().isZero() : i.getValue().isZero();
  case train_kind::multiply:
    return f ? f.getValueAsDouble() == 1 : i.getValue().isOne();
  case train_kind::logical_and:
    return i && i.getValue().isAllOnes();
  case train_kind::maximum:
    return isExtreme(a, -1);
  case train_kind::minimum:
    return isExtreme(a, +1);
  case train_kind::replace:
    return false;
  }
  return false;
}

Value Converter::combine(Location loc, train_kind kind, Value lhs, Value rhs) {
  Type t = lhs.getType();
  switch (kind) {
  case train_kind::add:
    return train::AddOp::create(b, loc, t, lhs, rhs);
  case train_kind::multiply:
    return train::MulOp::create(b, loc, t, lhs, rhs);
  case train_kind::maximum:
    return train::MaxOp::create(b, loc, t, lhs, rhs);
  case train_kind::minimum:
    return train::MinOp::create(b, loc, t, lhs, rhs);
  case train_kind::logical_and:
    return train::AndOp::create(b, loc, t, lhs, rhs);
  case train_kind::logical_or:
    return train::OrOp::create(b, loc, t, lhs, rhs);
  case train_kind::logical_xor:
    return train::XorOp::create(b, loc, t, lhs, rhs);
  case train_kind::replace:
    return rhs;
  }
  return rhs;
}

// ---------------------------------------------------------------- regions on
// sample values

/// What a region returns on these scalars; empty if it cannot be folded.
static SmallVector<DenseElementsAttr> runRegion(Region &region,
                                                ArrayRef<Attribute> arguments) {
  DenseMap<Value, DenseElementsAttr> values;
  Block &block = region.front();
  auto scalar = [](Attribute a) {
    return DenseElementsAttr::get(
        RankedTensorType::get({}, cast<TypedAttr>(a).getType()), a);
  };
  for (auto [arg, a] : llvm::zip(block.getArguments(), arguments))
    values[arg] = scalar(a);
  auto lookup = [&](Value v) {
    auto known = values.find(v);
    if (known != values.end())
      return known->second;
    Attribute splat = getSplatAttr(v);
    return splat ? scalar(splat) : DenseElementsAttr();
  };
  for (Operation &op : block.without_terminator()) {
    if (op.getNumResults() != 1)
      return {};
    if (DenseElementsAttr constant = getConstant(op.getResult(0))) {
      values[op.getResult(0)] = constant;
      continue;
    }
    SmallVector<DenseElementsAttr> operands;
    for (Value v : op.getOperands())
      operands.push_back(lookup(v));
    DenseElementsAttr result = foldOp(&op, operands);
    if (!result)
      return {};
    values[op.getResult(0)] = result;
  }
  SmallVector<DenseElementsAttr> results;
  for (Value v : block.getTerminator()->getOperands()) {
    results.push_back(lookup(v));
    if (!results.back())
      return {};
  }
  return results;
}

/// Values that tell comparisons apart, ascending: NaN (last) only for floats.
static SmallVector<Attribute> getSamples(Type element) {
  SmallVector<Attribute> samples;
  if (auto f = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &s = f.getFloatSemantics();
    for (const APFloat &x :
         {APFloat::getInf(s, true), -APFloat::getOne(s), APFloat::getZero(s),
          APFloat::getOne(s), APFloat::getInf(s), APFloat::getNaN(s)})
      samples.push_back(FloatAttr::get(f, x));
    return samples;
  }
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1)
    return {IntegerAttr::get(element, APInt(1, 0)),
            IntegerAttr::get(element, APInt(1, 1))};
  SmallVector<APInt> ints;
  if (!element.isUnsignedInteger())
    ints = {APInt::getSignedMinValue(width), APInt::getAllOnes(width)};
  ints.append({APInt(width, 0), APInt(width, 1), APInt(width, 2)});
  for (const APInt &x : ints)
    samples.push_back(IntegerAttr::get(element, x));
  return samples;
}

static bool isNaN(Attribute a) {
  auto f = dyn_cast<FloatAttr>(a);
  return f && f.getValue().isNaN();
}

/// Whether (value, index) pairs are reduced to the largest (smallest) value at
/// the least index, the first NaN if there is one.
static bool isArgReduce(Region &region, Type element, Type indexType,
                        bool maximum) {
  SmallVector<Attribute> samples = getSamples(element);
  auto index = [&](int64_t i) { return IntegerAttr::get(indexType, i); };
  for (auto [p, x] : llvm::enumerate(samples))
    for (auto [q, y] : llvm::enumerate(samples))
      for (auto [i, j] : {std::pair(3, 5), std::pair(5, 3)}) {
        if (isNaN(x) && isNaN(y) &&
            i > j) // JAX keeps the one on the left, which is the first
          continue;
        SmallVector<DenseElementsAttr> got =
            runRegion(region, {x, index(i), y, index(j)});
        if (got.size() != 2)
          return false;
        bool firstWins = isNaN(x) || isNaN(y)
                             ? (isNaN(x) && isNaN(y) ? i < j : isNaN(x))
                         : p == q ? i < j
                                  : (p > q) == maximum;
        if (got[1].getSplatValue<APInt>() !=
            static_cast<uint64_t>(firstWins ? i : j))
          return false;
        // The value may be either of two equal ones.
        Attribute value = got[0].getSplatValue<Attribute>();
        if (isNaN(firstWins ? x : y) ? !isNaN(value)
                                     : value != (firstWins ? x : y))
          return false;
      }
  return true;
}

// ---------------------------------------------------------------- reduce

/// The dim along which `v` counts 0, 1, ..., if it does.
static std::optional<int64_t> getIotaDim(Value v) {
  Operation *op = v.getDefiningOp();
  if (auto iota = dyn_cast_or_null<train::IotaOp>(op))
    return iota.getDim();
  if (auto broadcast = dyn_cast_or_null<train::BroadcastOp>(op)) {
    std::optional<int64_t> dim = getIotaDim(broadcast.getOperand());
    if (dim && shapeOf(broadcast.getOperand())[*dim] ==
                   shapeOf(v)[broadcast.getDims()[*dim]])
      return broadcast.getDims()[*dim];
  }
  if (auto reshape = dyn_cast_or_null<train::ReshapeOp>(op)) {
    std::optional<int64_t> dim = getIotaDim(reshape.getOperand());
    // The only dim that is not 1 stays the only one.
    if (dim &&
        llvm::count_if(shapeOf(v), [](int64_t n) { return n != 1; }) == 1 &&
        shapeOf(reshape.getOperand())[*dim] == tensorType(v).getNumElements())
      return llvm::find_if(shapeOf(v), [](int64_t n) { return n != 1; }) -
             shapeOf(v).begin();
  }
  return std::nullopt;
}

LogicalResult Converter::convertReduce(stablehlo::ReduceOp op) {
  Location loc = op.getLoc();
  unsigned n = op.getInputs().size();
  // (values, iota) reduced to the best value and its index
  if (n == 2 && op.getDimensions().size() == 1 &&
      isa<IntegerType>(tensorType(op.getInputs()[1]).getElementType())) {
    int64_t dim = op.getDimensions()[0];
    Value x = in(op.getInputs()[0]), indices = in(op.getInputs()[1]);
    Type element = tensorType(x).getElementType(),
         indexType = tensorType(indices).getElementType();
    if (getIotaDim(indices) == dim && isZero(op.getInitValues()[1]))
      for (bool maximum : {true, false})
        if (isExtreme(op.getInitValues()[0], maximum ? -1 : +1) &&
            isArgReduce(op.getBody(), element, indexType, maximum)) {
          auto kind = train::ReduceKindAttr::get(b.getContext(),
                                                 maximum ? train_kind::maximum
                                                         : train_kind::minimum);
          if (!op.getResult(0).use_empty())
            map.map(op.getResult(0),
                    train::reduce(b, loc, x, {dim}, kind.getValue()));
          map.map(op.getResult(1), train::ArgReduceOp::create(
                                       b, loc, op.getResult(1).getType(), x,
                                       b.getI64IntegerAttr(dim), kind));
          return success();
        }
  }
  for (unsigned k = 0; k < n; ++k) {
    std::optional<train_kind> kind = getReduceKind(op.getBody(), k);
    if (!kind || *kind == train_kind::replace)
      return refuse(op, "expected a reducer that adds, multiplies, takes the "
                        "maximum or minimum (or its index), or is "
                        "logical on i1");
    Value x = in(op.getInputs()[k]), init = in(op.getInitValues()[k]);
    x = train::convert(b, loc, x, tensorType(init).getElementType());
    Value result = train::reduce(b, loc, x, op.getDimensions(), *kind);
    if (!isIdentity(init, *kind))
      result = combine(loc, *kind, spread(loc, init, result), result);
    map.map(op.getResult(k), result);
  }
  return success();
}

LogicalResult Converter::convertReduceWindow(stablehlo::ReduceWindowOp op) {
  Location loc = op.getLoc();
  int64_t rank = tensorType(op.getInputs()[0]).getRank();
  auto list = [&](std::optional<ArrayRef<int64_t>> given) {
    return given ? SmallVector<int64_t>(*given) : SmallVector<int64_t>(rank, 1);
  };
  SmallVector<int64_t> window(op.getWindowDimensions()),
      strides = list(op.getWindowStrides()), base = list(op.getBaseDilations()),
      dilation = list(op.getWindowDilations()), low(rank, 0), high(rank, 0);
  if (op.getPadding())
    for (auto [i, x] : llvm::enumerate(op.getPadding()->getValues<int64_t>()))
      (i % 2 ? high : low)[i / 2] = x;
  bool simple = llvm::all_of(strides, [](int64_t x) { return x == 1; }) &&
                llvm::all_of(base, [](int64_t x) { return x == 1; }) &&
                llvm::all_of(dilation, [](int64_t x) { return x == 1; });
  for (unsigned k = 0, n = op.getInputs().size(); k < n; ++k) {
    std::optional<train_kind> kind = getReduceKind(op.getBody(), k);
    if (!kind || *kind == train_kind::replace)
      return refuse(op, "expected a reducer that adds, multiplies or takes the "
                        "maximum or minimum");
    if (!isIdentity(op.getInitValues()[k], *kind) &&
        !isIdentity(in(op.getInitValues()[k]), *kind))
      return refuse(
          op, "expected the identity of the reducer as the initial value");
    Value x = in(op.getInputs()[k]);
    auto kindAttr = train::ReduceKindAttr::get(b.getContext(), *kind);
    // A window over all elements up to each: a running sum or maximum.
    std::optional<int64_t> dim;
    bool cumulative = simple;
    for (int64_t d = 0; d < rank; ++d) {
      int64_t extent = shapeOf(x)[d];
      bool whole = window[d] == extent && low[d] + high[d] == extent - 1 &&
                   (low[d] == 0 || high[d] == 0) && extent > 1;
      if (whole && !dim)
        dim = d;
      else
        cumulative &= window[d] == 1 && low[d] == 0 && high[d] == 0;
    }
    if (cumulative && dim) {
      map.map(op.getResult(k),
              train::CumulativeOp::create(b, loc, x.getType(), x,
                                          b.getI64IntegerAttr(*dim), kindAttr,
                                          b.getBoolAttr(low[*dim] == 0)));
      continue;
    }
    map.map(op.getResult(k), train::ReduceWindowOp::create(
                                 b, loc, op.getResult(k).getType(), x, window,
                                 strides, base, dilation, low, high, *kind));
  }
  return success();
}

// ---------------------------------------------------------------- sort

/// Descending or ascending if the comparator orders by the first operand alone,
/// NaN last.
static std::optional<bool> getSortOrder(stablehlo::SortOp op) {
  SmallVector<SmallVector<Attribute>> samples;
  for (Value v : op.getInputs())
    samples.push_back(getSamples(tensorType(v).getElementType()));
  std::optional<bool> descending;
  for (auto [p, x] : llvm::enumerate(samples[0]))
    for (auto [q, y] : llvm::enumerate(samples[0]))
      for (int swapped : {0, 1}) { // the other operands must not matter
        SmallVector<Attribute> arguments = {x, y};
        for (ArrayRef<Attribute> other : ArrayRef(samples).drop_front()) {
          arguments.push_back(other[swapped]);
          arguments.push_back(other[1 - swapped]);
        }
        SmallVector<DenseElementsAttr> got =
            runRegion(op.getComparator(), arguments);
        if (got.size() != 1)
          return std::nullopt;
        bool before = got[0].getSplatValue<bool>();
        if (isNaN(x) || isNaN(y)) {
          // Where NaN goes is left to train.sort unless the comparator says
          // otherwise: ascending puts it last.
          if (isNaN(x) && before && descending == false)
            return std::nullopt;
          continue;
        }
        if (p == q) {
          if (before)
            return std::nullopt;
          continue;
        }
        bool down = before == (p > q);
        if (before && descending && *descending != down)
          return std::nullopt;
        if (!descending)
          descending = down;
        if (before != (*descending ? p > q : p < q))
          return std::nullopt;
      }
  return descending;
}

LogicalResult Converter::convertSort(stablehlo::SortOp op) {
  std::optional<bool> descending = getSortOrder(op);
  if (!descending)
    return refuse(op, "expected a comparator that orders by the first operand, "
                      "ascending or descending");
  int64_t dim = op.getDimensionAttr() ? op.getDimensionAttr().getInt() : -1;
  if (dim < 0)
    dim += tensorType(op.getInputs()[0]).getRank();
  SmallVector<Value> inputs;
  for (Value v : op.getInputs())
    inputs.push_back(in(v));
  auto sort = train::SortOp::create(b, op.getLoc(), op.getResultTypes(), inputs,
                                    b.getI64IntegerAttr(dim),
                                    b.getBoolAttr(*descending));
  map.map(op.getResults(), sort.getResults());
  return success();
}

} // namespace zcc
