// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts reduce, reduce_window and scan.
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/DimParts.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Conversion.h"
#include "passes/Import/ReadRegion.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using train_kind = zcc::train::ReduceKind;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

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

static Value combine(OpBuilder &b, Location loc, train_kind kind, Value lhs,
                     Value rhs) {
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

// ---------------------------------------------------------------- reduce

/// Returns the dim along which `v` counts 0, 1, ...; nullopt if it does not.
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
    // The only dim whose extent is not 1 must stay the only one.
    if (dim &&
        llvm::count_if(shapeOf(v), [](int64_t n) { return n != 1; }) == 1 &&
        shapeOf(reshape.getOperand())[*dim] == tensorType(v).getNumElements())
      return llvm::find_if(shapeOf(v), [](int64_t n) { return n != 1; }) -
             shapeOf(v).begin();
  }
  return std::nullopt;
}

/// Converts a reduction of (values, iota) to the best value and its index.
/// Returns false if it is not such a reduction.
static bool convertArgReduce(Conversion &c, stablehlo::ReduceOp op) {
  if (op.getInputs().size() != 2 || op.getDimensions().size() != 1 ||
      !isa<IntegerType>(tensorType(op.getInputs()[1]).getElementType()))
    return false;
  OpBuilder &b = c.b;
  Location loc = op.getLoc();
  int64_t dim = op.getDimensions()[0];
  Value x = c.in(op.getInputs()[0]), indices = c.in(op.getInputs()[1]);
  if (getIotaDim(indices) != dim || !isZero(op.getInitValues()[1]))
    return false;
  Type element = tensorType(x).getElementType(),
       indexType = tensorType(indices).getElementType();
  for (bool maximum : {true, false}) {
    if (!isExtreme(op.getInitValues()[0], maximum ? -1 : +1) ||
        !isArgReduce(op.getBody(), element, indexType, maximum))
      continue;
    auto kind = train::ReduceKindAttr::get(
        b.getContext(), maximum ? train_kind::maximum : train_kind::minimum);
    if (!op.getResult(0).use_empty())
      c.map.map(op.getResult(0),
                train::reduce(b, loc, x, {dim}, kind.getValue()));
    c.map.map(op.getResult(1),
              train::ArgReduceOp::create(b, loc, op.getResult(1).getType(), x,
                                         b.getI64IntegerAttr(dim), kind));
    return true;
  }
  return false;
}

static LogicalResult convert(Conversion &c, stablehlo::ReduceOp op) {
  if (convertArgReduce(c, op))
    return success();
  OpBuilder &b = c.b;
  Location loc = op.getLoc();
  SmallVector<int64_t> dims(op.getDimensions()); // in any order
  llvm::sort(dims);
  for (unsigned k = 0; k < op.getInputs().size(); ++k) {
    std::optional<train_kind> kind = getReduceKind(op.getBody(), k);
    if (!kind || *kind == train_kind::replace)
      return refuse(op, "expected a reducer that adds, multiplies, takes the "
                        "maximum or minimum (or its index), or is "
                        "logical on i1");
    Value x = c.in(op.getInputs()[k]), init = c.in(op.getInitValues()[k]);
    x = train::convert(b, loc, x, tensorType(init).getElementType());
    Value result = train::reduce(b, loc, x, dims, *kind);
    if (!isIdentity(init, *kind))
      result = combine(b, loc, *kind, spread(c, loc, init, result), result);
    c.map.map(op.getResult(k), result);
  }
  return success();
}

namespace {
/// Makes log(exp(x0) + exp(x1) + ...) of each element and all before it. It is
/// the tree of JAX's associative_scan: pairs of neighbors are combined, a
/// running combination of the pairs gives the odd elements of the result, and
/// each even one combines the odd one before it with its own element.
class RunningLogSumExp : train::DimParts {
public:
  RunningLogSumExp(OpBuilder &b, Location loc, int64_t dim)
      : DimParts{b, loc, dim} {}

  Value build(Value x) {
    int64_t n = shapeOf(x)[dim], evens = (n + 1) / 2;
    if (n < 2)
      return x;
    Value odd = build(combine(part(x, 0, n - 1, 2), part(x, 1, n, 2)));
    Value even = part(x, 0, 1, 1);
    if (evens > 1)
      even = train::AddOp::create(
          b, loc, spread(even, 0, evens - 1, 0),
          spread(combine(part(odd, 0, evens - 1, 1), part(x, 2, n, 2)), 1, 0,
                 0));
    return train::AddOp::create(b, loc, spread(even, 0, n % 2 == 0, 1),
                                spread(odd, 1, n % 2, 1));
  }

private:
  /// Makes log(exp(x) + exp(y)). Equal operands get half of the cotangent each.
  Value combine(Value x, Value y) {
    Type type = x.getType();
    Value large = train::MaxOp::create(b, loc, x, y),
          difference = train::SubOp::create(
              b, loc, train::MinOp::create(b, loc, x, y), large);
    // It is NaN for equal infinities, and then no cotangent may pass it.
    Value isNaN = train::compare(b, loc, difference, difference,
                                 train::CompareDirection::NE);
    Value safe = train::SelectOp::create(
        b, loc, type, isNaN, train::splat(b, loc, type, 0), difference);
    Value rest = train::Log1pOp::create(
        b, loc, type, train::ExpOp::create(b, loc, type, safe));
    return train::SelectOp::create(b, loc, type, isNaN,
                                   train::AddOp::create(b, loc, x, y),
                                   train::AddOp::create(b, loc, large, rest));
  }
};
} // namespace

static LogicalResult convert(Conversion &c, stablehlo::ReduceWindowOp op) {
  OpBuilder &b = c.b;
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
    Value x = c.in(op.getInputs()[k]);
    // A window over all elements up to each one is a running sum or maximum.
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
    // A dim of extent 1 has nothing to run along.
    bool isLogSumExp = cumulative && n == 1 && isLogAddExp(op.getBody());
    // Both begin from -inf.
    std::optional<train_kind> kind =
        isLogSumExp ? train_kind::maximum : getReduceKind(op.getBody(), k);
    if (!kind || *kind == train_kind::replace)
      return refuse(op, "expected a reducer that adds, multiplies or takes the "
                        "maximum or minimum");
    if (!isIdentity(op.getInitValues()[k], *kind) &&
        !isIdentity(c.in(op.getInitValues()[k]), *kind))
      return refuse(
          op, "expected the identity of the reducer as the initial value");
    auto kindAttr = train::ReduceKindAttr::get(b.getContext(), *kind);
    if (isLogSumExp) {
      auto ordered = [&](Value v) -> Value {
        return low[*dim] == 0 ? train::ReverseOp::create(b, loc, v, *dim) : v;
      };
      c.map.map(op.getResult(k),
                dim ? ordered(RunningLogSumExp(b, loc, *dim).build(ordered(x)))
                    : x);
      continue;
    }
    if (cumulative && dim) {
      c.map.map(op.getResult(k),
                train::CumulativeOp::create(b, loc, x.getType(), x,
                                            b.getI64IntegerAttr(*dim), kindAttr,
                                            b.getBoolAttr(low[*dim] == 0)));
      continue;
    }
    c.map.map(op.getResult(k), train::ReduceWindowOp::create(
                                   b, loc, op.getResult(k).getType(), x, window,
                                   strides, base, dilation, low, high, *kind));
  }
  return success();
}

// ---------------------------------------------------------------- scan

/// Converts running reductions. Other scans are loops, which JAX writes as
/// loops.
static LogicalResult convert(Conversion &c, chlo::ScanOp op) {
  OpBuilder &b = c.b;
  Location loc = op.getLoc();
  Block &body = op.getBody().front();
  std::optional<train_kind> kind;
  if (op.getInputs().size() == 1 && op.getInits().size() == 1 &&
      op.getOutputs().size() == 1 &&
      body.getTerminator()->getOperand(0) ==
          body.getTerminator()->getOperand(1))
    kind = getReduceKind(op.getBody());
  if (!kind || *kind == train_kind::replace)
    return refuse(op, "expected a running sum, product, maximum or minimum");
  Value x = c.in(op.getInputs()[0]), init = c.in(op.getInits()[0]);
  int64_t dim = op.getDimensionAttr().getInt();
  bool reverse = op.getIsReverse().value_or(false);
  Value running = train::CumulativeOp::create(
      b, loc, x.getType(), x, b.getI64IntegerAttr(dim),
      train::ReduceKindAttr::get(b.getContext(), *kind),
      b.getBoolAttr(reverse));
  if (!isIdentity(op.getInits()[0], *kind) && !isIdentity(init, *kind)) {
    SmallVector<int64_t> dims;
    for (int64_t d = 0, n = tensorType(x).getRank(); d < n; ++d)
      if (d != dim)
        dims.push_back(d);
    running =
        combine(b, loc, *kind, train::broadcast(b, loc, init, shapeOf(x), dims),
                running);
  }
  c.map.map(op.getOutputs()[0], running);
  SmallVector<int64_t> start(tensorType(x).getRank(), 0), limit(shapeOf(x)),
      stride(start.size(), 1);
  if (!reverse)
    start[dim] = limit[dim] - 1;
  limit[dim] = start[dim] + 1;
  c.map.map(
      op.getCarries()[0],
      shapeOf(x)[dim] == 0
          ? init
          : train::reshape(b, loc,
                           train::slice(b, loc, running, start, limit, stride),
                           shapeOf(op.getCarries()[0])));
  return success();
}

Converted convertReduction(Conversion &c, Operation *op) {
  return llvm::TypeSwitch<Operation *, Converted>(op)
      .Case<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, chlo::ScanOp>(
          [&](auto o) -> Converted { return convert(c, o); })
      .Case<stablehlo::SelectAndScatterOp>([&](auto o) -> Converted {
        return refuse(o, "it is the derivative of a reduce_window, which zcc "
                         "makes itself and does not differentiate again");
      })
      .Default([](Operation *) -> Converted { return std::nullopt; });
}

} // namespace zcc
