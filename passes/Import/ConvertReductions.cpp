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

namespace {
/// An operand by which a comparator orders, after those before it.
struct SortKey {
  unsigned operand;
  bool descending;
};

/// Finds the keys of a comparator by what it says of samples, and checks them:
/// whatever the operands hold, the first key that differs decides.
class SortKeys {
public:
  explicit SortKeys(stablehlo::SortOp op) : region(op.getComparator()) {
    for (Value v : op.getInputs()) {
      SmallVector<Attribute> all = getSamples(tensorType(v).getElementType());
      llvm::erase_if(all, isNaN);
      samples.push_back(all);
    }
  }

  /// Empty if the comparator orders in another way.
  SmallVector<SortKey> find() {
    // An operand decides over those that it overrules when they disagree.
    for (unsigned i = 0; i < samples.size(); ++i) {
      pairs.assign(samples.size(), {0, 0});
      pairs[i] = {0, 1};
      std::optional<bool> up = run();
      pairs[i] = {1, 0};
      std::optional<bool> down = run();
      if (!up || !down)
        return {};
      if (*up != *down)
        keys.push_back({i, *down});
    }
    auto overrules = [&](const SortKey &a, const SortKey &b) {
      pairs.assign(samples.size(), {0, 0});
      set(a, /*before=*/true);
      set(b, /*before=*/false);
      return run().value_or(false);
    };
    for (size_t i = 1; i < keys.size(); ++i)
      for (size_t k = i; k > 0 && overrules(keys[k], keys[k - 1]); --k)
        std::swap(keys[k], keys[k - 1]);
    return !keys.empty() && check() ? keys : SmallVector<SortKey>();
  }

private:
  Region &region;
  SmallVector<SmallVector<Attribute>> samples;      // ascending
  SmallVector<std::pair<unsigned, unsigned>> pairs; // of lhs and rhs, each
  SmallVector<SortKey> keys;

  void set(const SortKey &key, bool before) {
    bool swap = before == key.descending;
    pairs[key.operand] = {swap, !swap};
  }
  std::optional<bool> run() {
    SmallVector<Attribute> arguments;
    for (auto [list, pair] : llvm::zip(samples, pairs)) {
      arguments.push_back(list[pair.first]);
      arguments.push_back(list[pair.second]);
    }
    SmallVector<DenseElementsAttr> got = runRegion(region, arguments);
    if (got.size() != 1)
      return std::nullopt;
    return got[0].getSplatValue<bool>();
  }
  /// The comparator says of `pairs` what the keys say.
  bool agrees() {
    bool expected = false;
    for (const SortKey &key : keys) {
      auto [x, y] = pairs[key.operand];
      if (x != y) {
        expected = (x > y) == key.descending;
        break;
      }
    }
    return run() == expected;
  }
  /// All pairs of samples of one operand, with the others equal, or against it.
  bool check() {
    for (unsigned i = 0; i < samples.size(); ++i)
      for (unsigned x = 0; x < samples[i].size(); ++x)
        for (unsigned y = 0; y < samples[i].size(); ++y)
          for (std::pair<unsigned, unsigned> others :
               {std::pair(0u, 0u), std::pair(0u, 1u), std::pair(1u, 0u)})
            for (unsigned from = 0; from <= samples.size(); ++from) {
              pairs.assign(samples.size(), {0, 0});
              for (unsigned k = from; k < samples.size(); ++k)
                pairs[k] = others;
              pairs[i] = {x, y};
              if (!agrees())
                return false;
              if (others.first == others.second)
                break;
            }
    return true;
  }
};
} // namespace

/// By the last key first: every sort is stable, so that the order by the later
/// keys stays among equal earlier ones.
LogicalResult Converter::convertSort(stablehlo::SortOp op) {
  SmallVector<SortKey> keys = SortKeys(op).find();
  if (keys.empty())
    return refuse(op, "expected a comparator that orders by one operand after "
                      "the other, each ascending or descending");
  int64_t dim = op.getDimensionAttr() ? op.getDimensionAttr().getInt() : -1;
  if (dim < 0)
    dim += tensorType(op.getInputs()[0]).getRank();
  SmallVector<Value> values;
  for (Value v : op.getInputs())
    values.push_back(in(v));
  for (const SortKey &key : llvm::reverse(keys)) {
    std::swap(values[0], values[key.operand]); // train.sort's key is its first
    auto sort = train::SortOp::create(
        b, op.getLoc(), ValueRange(values).getTypes(), values,
        b.getI64IntegerAttr(dim), b.getBoolAttr(key.descending));
    values.assign(sort->result_begin(), sort->result_end());
    std::swap(values[0], values[key.operand]);
  }
  map.map(op.getResults(), values);
  return success();
}

// ---------------------------------------------------------------- scan

/// Running sums and their like: other bodies are loops, which JAX writes as
/// such.
LogicalResult Converter::convertScan(chlo::ScanOp op) {
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
  Value x = in(op.getInputs()[0]), init = in(op.getInits()[0]);
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
    running = combine(
        loc, *kind, train::broadcast(b, loc, init, shapeOf(x), dims), running);
  }
  map.map(op.getOutputs()[0], running);
  SmallVector<int64_t> start(tensorType(x).getRank(), 0), limit(shapeOf(x)),
      stride(start.size(), 1);
  if (!reverse)
    start[dim] = limit[dim] - 1;
  limit[dim] = start[dim] + 1;
  map.map(op.getCarries()[0],
          shapeOf(x)[dim] == 0
              ? init
              : train::reshape(
                    b, loc, train::slice(b, loc, running, start, limit, stride),
                    shapeOf(op.getCarries()[0])));
  return success();
}

} // namespace zcc
