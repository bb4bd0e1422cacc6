// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Import/ReadRegion.h"
#include "passes/Import/ConstantFold.h"

using namespace mlir;
using train_kind = zcc::train::ReduceKind;
using zcc::train::tensorType;

namespace zcc {

/// Returns the kind of reduction that an op of two elements computes.
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

std::optional<train_kind> getReduceKind(Region &region, unsigned k) {
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

/// Returns the operand of a T that computes the value; null if none does.
template <typename T> static Value operandOf(Value v) {
  auto op = v ? v.getDefiningOp<T>() : T();
  return op ? op->getOperand(0) : Value();
}

bool isLogAddExp(Region &region) {
  Block &block = region.front();
  if (block.getNumArguments() != 2)
    return false;
  Value x = block.getArgument(0), y = block.getArgument(1);
  auto takesBoth = [&](Operation *op) {
    return op && op->getNumOperands() == 2 &&
           ((op->getOperand(0) == x && op->getOperand(1) == y) ||
            (op->getOperand(0) == y && op->getOperand(1) == x));
  };
  // It is max(x, y) + log1p(exp(-|x - y|)); or x + y if x - y is NaN.
  auto select =
      block.getTerminator()->getOperand(0).getDefiningOp<stablehlo::SelectOp>();
  if (!select ||
      !takesBoth(select.getOnTrue().getDefiningOp<stablehlo::AddOp>()))
    return false;
  auto isNaN = select.getPred().getDefiningOp<stablehlo::CompareOp>();
  auto sum = select.getOnFalse().getDefiningOp<stablehlo::AddOp>();
  if (!isNaN || !sum ||
      isNaN.getComparisonDirection() != stablehlo::ComparisonDirection::NE ||
      isNaN.getLhs() != isNaN.getRhs() ||
      !takesBoth(isNaN.getLhs().getDefiningOp<stablehlo::SubtractOp>()) ||
      !takesBoth(sum.getLhs().getDefiningOp<stablehlo::MaxOp>()))
    return false;
  Value difference = operandOf<stablehlo::AbsOp>(
      operandOf<stablehlo::NegOp>(operandOf<stablehlo::ExpOp>(
          operandOf<stablehlo::Log1pOp>(sum.getRhs()))));
  return difference == isNaN.getLhs();
}

// ---------------------------------------------------------------- regions on
// sample values

/// Returns the results of a region for these scalars; empty if it cannot be
/// folded.
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

/// Returns values that tell comparisons apart, ascending; only floats have NaN
/// (last).
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

bool isArgReduce(Region &region, Type element, Type indexType, bool maximum) {
  SmallVector<Attribute> samples = getSamples(element);
  auto index = [&](int64_t i) { return IntegerAttr::get(indexType, i); };
  for (auto [p, x] : llvm::enumerate(samples))
    for (auto [q, y] : llvm::enumerate(samples))
      for (auto [i, j] : {std::pair(3, 5), std::pair(5, 3)}) {
        // JAX keeps the left one of two NaNs, which is the first.
        if (isNaN(x) && isNaN(y) && i > j)
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
        // The value may be either one if they are equal.
        Attribute value = got[0].getSplatValue<Attribute>();
        if (isNaN(firstWins ? x : y) ? !isNaN(value)
                                     : value != (firstWins ? x : y))
          return false;
      }
  return true;
}

// ---------------------------------------------------------------- comparators

namespace {
/// Finds the keys of a comparator by evaluating it on samples, and checks them:
/// whatever the operands hold, the first key that differs must decide.
class SortKeys {
public:
  explicit SortKeys(stablehlo::SortOp op) : region(op.getComparator()) {
    for (Value v : op.getInputs()) {
      SmallVector<Attribute> all = getSamples(tensorType(v).getElementType());
      llvm::erase_if(all, isNaN);
      samples.push_back(all);
    }
  }

  /// Returns the keys; empty if the comparator orders in another way.
  SmallVector<SortKey> find() {
    // If operands disagree, an earlier key decides over later ones.
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
  // Sample numbers of lhs and rhs for each operand.
  SmallVector<std::pair<unsigned, unsigned>> pairs;
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
  /// Returns true if the comparator orders `pairs` as the keys do.
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
  /// Checks all pairs of samples of one operand, with the others equal or in
  /// the opposite order.
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

SmallVector<SortKey> findSortKeys(stablehlo::SortOp op) {
  return SortKeys(op).find();
}

} // namespace zcc
