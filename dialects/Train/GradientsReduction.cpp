// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Derivatives of reductions, running and windowed reductions, and sort. Equal
// extrema share the cotangent equally, except in windows, where the first one
// gets it (StableHLO's select_and_scatter). Products take the product of the
// others, never a quotient, so that zeros are right.
#include "dialects/Train/DimParts.h"
#include "dialects/Train/Gradients.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zcc::train {

static SmallVector<int64_t> allBut(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(dims, i))
      others.push_back(i);
  return others;
}

// Moves the elements by `by` along `dim` (to lower indices if negative). `fill`
// takes the places that become free.
static Value shift(OpBuilder &b, Location loc, Value v, int64_t dim, int64_t by,
                   double fill) {
  auto type = tensorType(v);
  SmallVector<int64_t> low(type.getRank(), 0), high(type.getRank(), 0),
      interior(type.getRank(), 0);
  low[dim] = by;
  high[dim] = -by;
  Value value =
      splat(b, loc, RankedTensorType::get({}, type.getElementType()), fill);
  return PadOp::create(b, loc, type, v, value, low, high, interior);
}

static Value cumulative(OpBuilder &b, Location loc, Value v, int64_t dim,
                        ReduceKind kind, bool reverse) {
  return CumulativeOp::create(b, loc, v.getType(), v, dim, kind, reverse);
}

// Returns the product of all other elements along the last dim, by running
// products from both ends.
static Value productOfOthers(OpBuilder &b, Location loc, Value v) {
  int64_t dim = tensorType(v).getRank() - 1;
  Value before = cumulative(b, loc, shift(b, loc, v, dim, 1, 1), dim,
                            ReduceKind::multiply, false);
  Value after = cumulative(b, loc, shift(b, loc, v, dim, -1, 1), dim,
                           ReduceKind::multiply, true);
  return MulOp::create(b, loc, before, after);
}

void ReduceOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                             SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Arithmetic m{builder, loc};
  Value x = getOperand();
  int64_t rank = tensorType(x).getRank();
  SmallVector<int64_t> kept = allBut(rank, getDims());
  auto spread = [&](Value v) {
    return broadcast(builder, loc, v, shapeOf(x), kept);
  };
  switch (getKind()) {
  case ReduceKind::add:
    out[0] = spread(gradients[0]);
    return;
  case ReduceKind::maximum:
  case ReduceKind::minimum: {
    Value best = m.cmp(x, CompareDirection::EQ, spread(getResult()));
    Value count =
        reduce(builder, loc,
               convert(builder, loc, best, tensorType(x).getElementType()),
               getDims(), ReduceKind::add);
    out[0] = m.select(best, spread(m.div(gradients[0], count)), m.zero(x));
    return;
  }
  case ReduceKind::multiply: {
    // This transposes to [kept..., all reduced] and back.
    SmallVector<int64_t> permutation(kept), shape, inverse(rank);
    llvm::append_range(permutation, getDims());
    int64_t reduced = 1;
    for (int64_t dim : kept)
      shape.push_back(shapeOf(x)[dim]);
    for (int64_t dim : getDims())
      reduced *= shapeOf(x)[dim];
    shape.push_back(reduced);
    for (auto [i, dim] : llvm::enumerate(permutation))
      inverse[dim] = i;
    Value ordered = transpose(builder, loc, x, permutation);
    Value others =
        productOfOthers(builder, loc, reshape(builder, loc, ordered, shape));
    others = transpose(
        builder, loc, reshape(builder, loc, others, shapeOf(ordered)), inverse);
    out[0] = m.mul(spread(gradients[0]), others);
    return;
  }
  default:
    return;
  }
}

// ---------------------------------------------------------------- running

namespace {
/// Differentiates a running product or extremum along `dim`. It is the tree of
/// JAX's associative_scan, so that ties share as JAX's do: pairs of neighbors
/// are combined, a running combination of the pairs gives the odd elements of
/// the result, and each even one combines the odd one before it with its own
/// operand. (A quotient of running products would be wrong at zeros.)
class RunningGradient : DimParts {
public:
  RunningGradient(OpBuilder &b, Location loc, int64_t dim, ReduceKind kind)
      : DimParts{b, loc, dim}, m{b, loc}, kind(kind) {}

  /// Returns the cotangent of x, of that of y, which is x combined with all
  /// elements before.
  Value build(Value x, Value y, Value g) {
    int64_t n = shapeOf(x)[dim], evens = (n + 1) / 2, odds = n / 2;
    if (n < 2)
      return g;
    Value even = part(x, 0, n, 2), odd = part(x, 1, n, 2),
          pairs = part(y, 1, n, 2), ofPairs = part(g, 1, n, 2);
    Value evenGradient = part(g, 0, n, 2);
    if (evens > 1) {
      auto [before, own] =
          pullback(part(pairs, 0, evens - 1, 1), part(even, 1, evens, 1),
                   part(evenGradient, 1, evens, 1));
      ofPairs = m.add(ofPairs, spread(before, 0, odds - (evens - 1), 0));
      evenGradient = m.add(spread(part(evenGradient, 0, 1, 1), 0, evens - 1, 0),
                           spread(own, 1, 0, 0));
    }
    Value first = part(even, 0, odds, 1);
    auto [left, right] =
        pullback(first, odd, build(combine(first, odd), pairs, ofPairs));
    evenGradient = m.add(evenGradient, spread(left, 0, evens - odds, 0));
    return m.add(spread(evenGradient, 0, n % 2 == 0, 1),
                 spread(right, 1, n % 2, 1));
  }

private:
  Value combine(Value x, Value y) {
    if (kind == ReduceKind::multiply)
      return m.mul(x, y);
    if (kind == ReduceKind::maximum)
      return MaxOp::create(m.b, m.loc, x, y);
    return MinOp::create(m.b, m.loc, x, y);
  }

  /// Returns the cotangents of x and y, of that of their combination.
  std::pair<Value, Value> pullback(Value x, Value y, Value g) {
    if (kind == ReduceKind::multiply)
      return {m.mul(g, y), m.mul(g, x)};
    auto wins = kind == ReduceKind::maximum ? CompareDirection::GT
                                            : CompareDirection::LT;
    Value tied = m.select(m.cmp(x, CompareDirection::EQ, y), m.scaled(g, 0.5),
                          m.zero(g));
    return {m.select(m.cmp(x, wins, y), g, tied),
            m.select(m.cmp(y, wins, x), g, tied)};
  }

  Arithmetic m;
  ReduceKind kind;
};
} // namespace

void CumulativeOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                 SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  int64_t dim = getDim();
  if (getKind() == ReduceKind::add) {
    out[0] = cumulative(builder, loc, gradients[0], dim, ReduceKind::add,
                        !getReverse());
    return;
  }
  auto ordered = [&](Value v) -> Value {
    return getReverse() ? ReverseOp::create(builder, loc, v, dim) : v;
  };
  out[0] = ordered(RunningGradient(builder, loc, dim, getKind())
                       .build(ordered(getOperand()), ordered(getResult()),
                              ordered(gradients[0])));
}

// ---------------------------------------------------------------- windows

// Handles the general case, window element by window element. Each window
// element reads a strided slice of the padded operand, of the result's shape.
// Its cotangent is padded back to its place.
static Value windowGradientByElements(ReduceWindowOp op, OpBuilder &b,
                                      Value g) {
  Location loc = op.getLoc();
  Arithmetic m{b, loc};
  Value x = op.getOperand();
  auto type = tensorType(x);
  int64_t rank = type.getRank();
  Type element = type.getElementType(),
       scalar = RankedTensorType::get({}, element);
  SmallVector<int64_t> interior, shape, stride(op.getStrides());
  for (int64_t i = 0; i < rank; ++i) {
    interior.push_back(op.getBaseDilation()[i] - 1);
    shape.push_back(dilated(type.getShape()[i], op.getBaseDilation()[i]) +
                    op.getPadLow()[i] + op.getPadHigh()[i]);
  }
  auto paddedType = RankedTensorType::get(shape, element);
  auto padded = PadOp::create(b, loc, paddedType, x,
                              splat(b, loc, scalar, identityOf(op.getKind())),
                              op.getPadLow(), op.getPadHigh(), interior);
  // These are the places that each window element is read from, row-major.
  SmallVector<SmallVector<int64_t>> starts;
  SmallVector<int64_t> at(rank, 0);
  while (true) {
    SmallVector<int64_t> start;
    for (int64_t i = 0; i < rank; ++i)
      start.push_back(at[i] * op.getWindowDilation()[i]);
    starts.push_back(start);
    int64_t i = rank - 1;
    while (i >= 0 && ++at[i] == op.getWindow()[i])
      at[i--] = 0;
    if (i < 0)
      break;
  }
  SmallVector<Value> parts, flows;
  for (ArrayRef<int64_t> start : starts) {
    SmallVector<int64_t> limit;
    for (int64_t i = 0; i < rank; ++i)
      limit.push_back(start[i] + dilated(shapeOf(g)[i], stride[i]));
    parts.push_back(slice(b, loc, padded, start, limit, stride));
  }
  if (op.getKind() == ReduceKind::multiply) {
    SmallVector<Value> after(parts.size());
    Value product = m.constant(g, 1);
    for (size_t i = parts.size(); i-- > 0;) {
      after[i] = product;
      product = m.mul(parts[i], product);
    }
    product = g;
    for (size_t i = 0; i < parts.size(); ++i) {
      flows.push_back(m.mul(product, after[i]));
      product = m.mul(product, parts[i]);
    }
  } else {
    Value left = g; // the cotangent that no earlier element took
    for (Value part : parts) {
      Value best = m.cmp(part, CompareDirection::EQ, op.getResult());
      flows.push_back(m.select(best, left, m.zero(g)));
      left = m.select(best, m.zero(g), left);
    }
  }
  Value sum;
  for (auto [start, flow] : llvm::zip(starts, flows)) {
    SmallVector<int64_t> high, gaps;
    for (int64_t i = 0; i < rank; ++i) {
      high.push_back(shape[i] - start[i] - dilated(shapeOf(g)[i], stride[i]));
      gaps.push_back(stride[i] - 1);
    }
    Value placed = PadOp::create(b, loc, paddedType, flow,
                                 splat(b, loc, scalar, 0), start, high, gaps);
    sum = sum ? m.add(sum, placed) : placed;
  }
  // The derivative of the padding takes out the operand's elements.
  SmallVector<Value> operandGradients(2);
  padded.buildGradient(b, sum, operandGradients);
  return operandGradients[0];
}

void ReduceWindowOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value g = gradients[0], x = getOperand();
  auto isOne = [](int64_t n) { return n == 1; };
  auto isNegative = [](int64_t n) { return n < 0; };
  int64_t rank = tensorType(x).getRank();
  if (getKind() == ReduceKind::add) {
    // This sums the mirrored window over the cotangent, spread by the strides.
    SmallVector<int64_t> low, high, zeros(rank, 0), ones(rank, 1),
        spread(getStrides());
    for (int64_t i = 0; i < rank; ++i) {
      int64_t window = dilated(getWindow()[i], getWindowDilation()[i]);
      low.push_back(window - getPadLow()[i] - 1);
      high.push_back(dilated(shapeOf(x)[i], getBaseDilation()[i]) + window - 1 -
                     dilated(shapeOf(g)[i], spread[i]) - low[i]);
    }
    if (llvm::any_of(low, isNegative) || llvm::any_of(high, isNegative)) {
      SmallVector<int64_t> shape, interior;
      for (int64_t i = 0; i < rank; ++i) {
        interior.push_back(spread[i] - 1);
        shape.push_back(low[i] + high[i] + dilated(shapeOf(g)[i], spread[i]));
      }
      Type element = tensorType(g).getElementType();
      Value zero = splat(builder, loc, RankedTensorType::get({}, element), 0);
      g = PadOp::create(builder, loc, RankedTensorType::get(shape, element), g,
                        zero, low, high, interior);
      low = high = zeros;
      spread = ones;
    }
    out[0] = ReduceWindowOp::create(
        builder, loc, x.getType(), g, getWindow(), getBaseDilation(), spread,
        getWindowDilation(), low, high, ReduceKind::add);
    return;
  }
  bool extremum =
      getKind() == ReduceKind::maximum || getKind() == ReduceKind::minimum;
  bool plain = llvm::all_of(getBaseDilation(), isOne) &&
               llvm::all_of(getWindowDilation(), isOne) &&
               llvm::none_of(getPadLow(), isNegative) &&
               llvm::none_of(getPadHigh(), isNegative);
  if (extremum && plain)
    out[0] = SelectAndScatterOp::create(builder, loc, x.getType(), x, g,
                                        getWindow(), getStrides(), getPadLow(),
                                        getPadHigh(), getKind());
  else if (extremum || getKind() == ReduceKind::multiply)
    out[0] = windowGradientByElements(*this, builder, g);
}

// ---------------------------------------------------------------- sort

// Sorts the first operand together with the index, which gives the permutation.
// Sorting cotangents by the permutation puts them back, without scatter.
void SortOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                           SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value key = getInputs()[0];
  auto indexType = RankedTensorType::get(shapeOf(key), builder.getI32Type());
  Value index = IotaOp::create(builder, loc, indexType, Value(), getDim());
  auto forward =
      SortOp::create(builder, loc, TypeRange{key.getType(), Type(indexType)},
                     ValueRange{key, index}, getDim(), getDescending());
  SmallVector<Value> operands{forward.getSorted()[1]};
  SmallVector<Type> types{indexType};
  for (Value g : gradients)
    if (g) {
      operands.push_back(g);
      types.push_back(g.getType());
    }
  auto back = SortOp::create(builder, loc, types, operands, getDim(), false);
  unsigned next = 1;
  for (auto [i, g] : llvm::enumerate(gradients))
    if (g)
      out[i] = back.getSorted()[next++];
}

} // namespace zcc::train
