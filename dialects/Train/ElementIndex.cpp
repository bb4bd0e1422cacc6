// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does index arithmetic. Two facts make reshapes cancel: quotients are
// normalized (constants and divisible terms leave them, and quotients of
// quotients are joined), and the range of x - d (x div d) is known to be [0,
// d).
#include "dialects/Train/ElementIndex.h"

using namespace mlir;

namespace zcc::train {

IndexExpr::IndexExpr(const IndexVar *var, int64_t coefficient) : constant(0) {
  if (coefficient != 0)
    terms.push_back({var, coefficient});
}

IndexExpr IndexExpr::operator+(const IndexExpr &other) const {
  IndexExpr sum(constant + other.constant);
  const auto *a = terms.begin(), *b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    if (b == other.terms.end() ||
        (a != terms.end() && a->first->id < b->first->id)) {
      sum.terms.push_back(*a++);
    } else if (a == terms.end() || b->first->id < a->first->id) {
      sum.terms.push_back(*b++);
    } else {
      if (int64_t c = a->second + b->second)
        sum.terms.push_back({a->first, c});
      ++a, ++b;
    }
  }
  return sum;
}

IndexExpr IndexExpr::operator*(int64_t factor) const {
  IndexExpr product(constant * factor);
  if (factor != 0)
    for (auto [var, c] : terms)
      product.terms.push_back({var, c * factor});
  return product;
}

bool IndexExpr::operator<(const IndexExpr &other) const {
  if (constant != other.constant)
    return constant < other.constant;
  if (terms.size() != other.terms.size())
    return terms.size() < other.terms.size();
  for (auto [a, b] : llvm::zip(terms, other.terms)) {
    if (a.first != b.first)
      return a.first->id < b.first->id;
    if (a.second != b.second)
      return a.second < b.second;
  }
  return false;
}

int64_t IndexExpr::coefficientOf(const IndexVar *var) const {
  for (auto [v, c] : terms)
    if (v == var)
      return c;
  return 0;
}

// Removes pairs m x - m q (x div q) from `terms` and adds their range m [0, q -
// 1]. x is one variable, or an expression whose terms are all there.
static void takeRemainders(IndexExpr &expr, int64_t &low, int64_t &high) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [var, c] : expr.terms) {
      if (var->kind != IndexVar::Quotient)
        continue;
      // This looks for another quotient of the same expression by a divisor of
      // ours.
      for (auto [other, m] : expr.terms) {
        if (other->kind != IndexVar::Quotient || other == var ||
            var->divisor % other->divisor != 0 || !(other->of == var->of))
          continue;
        int64_t q = var->divisor / other->divisor;
        if (c != -m * q)
          continue;
        (m > 0 ? high : low) += m * (q - 1);
        IndexExpr pair = IndexExpr(other, m) + IndexExpr(var, c);
        expr = expr - pair;
        changed = true;
        break;
      }
      if (changed)
        break;
      // This looks for the expression itself.
      if (c % var->divisor != 0)
        continue;
      int64_t m = -c / var->divisor;
      bool all = !var->of.terms.empty();
      for (auto [inner, k] : var->of.terms)
        all &= expr.coefficientOf(inner) == m * k;
      if (!all)
        continue;
      (m > 0 ? high : low) += m * (var->divisor - 1);
      expr = expr - var->of * m - IndexExpr(var, c);
      changed = true;
      break;
    }
  }
}

std::pair<int64_t, int64_t> IndexExpr::range() const {
  int64_t low = 0, high = 0;
  IndexExpr rest = *this;
  if (terms.size() > 1)
    takeRemainders(rest, low, high);
  low += rest.constant, high += rest.constant;
  for (auto [var, c] : rest.terms) {
    int64_t ends[] = {c * var->low, c * (var->low + var->extent - 1)};
    low += std::min(ends[0], ends[1]);
    high += std::max(ends[0], ends[1]);
  }
  return {low, high};
}

const IndexVar *IndexContext::loopVar(int64_t extent) {
  vars.push_back({IndexVar::Loop,
                  unsigned(vars.size()),
                  std::max<int64_t>(extent, 1),
                  {},
                  0,
                  {},
                  {}});
  return &vars.back();
}

static int64_t floorDiv(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

IndexExpr IndexContext::quotient(const IndexExpr &expr, int64_t divisor) {
  if (divisor == 1)
    return expr;
  auto [low, high] = expr.range();
  if (floorDiv(low, divisor) == floorDiv(high, divisor))
    return IndexExpr(floorDiv(low, divisor));
  // Terms that divide evenly leave the quotient; so does the constant's
  // multiple.
  IndexExpr whole, rest;
  for (auto [var, c] : expr.terms)
    (c % divisor == 0 ? whole : rest) =
        (c % divisor == 0 ? whole : rest) +
        IndexExpr(var, c % divisor == 0 ? c / divisor : c);
  int64_t k = floorDiv(expr.constant, divisor);
  whole.constant += k;
  rest.constant = expr.constant - k * divisor;
  if (whole != IndexExpr(0))
    return whole + quotient(rest, divisor);
  // The identity is (y + x div a) div b = (a y + x) div ab.
  for (auto [inner, c] : rest.terms)
    if (inner->kind == IndexVar::Quotient && c == 1)
      return quotient((rest - IndexExpr(inner)) * inner->divisor + inner->of,
                      inner->divisor * divisor);
  // The quotient (g x + r) div (g d), with 0 <= r < g, is x div d.
  SmallVector<int64_t> factors;
  for (auto [var, c] : rest.terms)
    factors.push_back(std::gcd(divisor, c));
  llvm::sort(factors, std::greater<int64_t>());
  for (int64_t g : factors) {
    if (g == 1)
      break;
    IndexExpr reduced(rest.constant / g), small(rest.constant % g);
    for (auto [var, c] : rest.terms)
      if (c % g == 0)
        reduced = reduced + IndexExpr(var, c / g);
      else
        small = small + IndexExpr(var, c);
    auto [smallLow, smallHigh] = small.range();
    if (smallLow >= 0 && smallHigh < g)
      return quotient(reduced, divisor / g);
  }
  auto [position, isNew] = quotients.try_emplace({rest, divisor}, nullptr);
  if (isNew) {
    auto [restLow, restHigh] = rest.range();
    int64_t first = floorDiv(restLow, divisor);
    vars.push_back({IndexVar::Quotient,
                    unsigned(vars.size()),
                    floorDiv(restHigh, divisor) - first + 1,
                    rest,
                    divisor,
                    {},
                    {},
                    first});
    position->second = &vars.back();
  }
  return IndexExpr(position->second);
}

IndexExpr IndexContext::linearize(const ElementIndex &index,
                                  ArrayRef<int64_t> shape) {
  IndexExpr linear;
  for (auto [i, extent] : llvm::zip(index, shape))
    linear = linear * extent + i;
  return linear;
}

ElementIndex IndexContext::delinearize(const IndexExpr &linear,
                                       ArrayRef<int64_t> shape) {
  ElementIndex index(shape.size());
  int64_t stride = 1;
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    bool outermost =
        llvm::all_of(shape.take_front(d), [](int64_t e) { return e == 1; });
    if (shape[d] == 1)
      index[d] = IndexExpr(0);
    else if (outermost)
      index[d] = quotient(linear, stride);
    else
      index[d] = remainder(quotient(linear, stride), shape[d]);
    stride *= std::max<int64_t>(shape[d], 1);
  }
  return index;
}

IndexExpr IndexContext::element(Value value, const ElementIndex &index,
                                int64_t extent) {
  if (extent <= 1)
    return IndexExpr(0);
  if (std::optional<IndexExpr> affine = affineElement(value, index, 0)) {
    auto [low, high] = affine->range();
    if (low >= 0 && high < extent)
      return *affine;
    if (affine->isConstant())
      return std::clamp<int64_t>(affine->constant, 0, extent - 1);
  }
  std::vector<IndexExpr> key(index.begin(), index.end());
  auto [position, isNew] = elements.try_emplace(
      {value.getAsOpaquePointer(), std::move(key), extent}, nullptr);
  if (isNew) {
    vars.push_back({IndexVar::Element,
                    unsigned(vars.size()),
                    extent,
                    {},
                    0,
                    value,
                    index});
    position->second = &vars.back();
  }
  return IndexExpr(position->second);
}

/// Returns nullopt if the type cannot hold all values of `e`, which would then
/// wrap around.
static std::optional<IndexExpr> fitting(IntegerType type,
                                        std::optional<IndexExpr> e) {
  if (!e)
    return e;
  auto [low, high] = e->range();
  unsigned bits = std::min(type.getWidth(), 62u);
  bool isUnsigned = type.isUnsigned();
  int64_t top = isUnsigned ? int64_t(1) << bits : int64_t(1) << (bits - 1);
  if (low < (isUnsigned ? 0 : -top) || high >= top)
    return std::nullopt;
  return e;
}

/// Returns the element at row-major position `linear`, if it is one number.
static std::optional<IndexExpr> constantElement(train::ConstantOp op,
                                                IntegerType type,
                                                const IndexExpr &linear) {
  auto dense = dyn_cast<DenseIntElementsAttr>(op.getValue());
  if (!dense || type.getWidth() > 64)
    return std::nullopt;
  auto toInt = [&](const APInt &v) {
    return IndexExpr(type.isUnsigned() ? int64_t(v.getZExtValue())
                                       : v.getSExtValue());
  };
  if (dense.isSplat())
    return toInt(dense.getSplatValue<APInt>());
  if (linear.isConstant() && linear.constant >= 0 &&
      linear.constant < dense.getNumElements())
    return toInt(*(dense.value_begin<APInt>() + linear.constant));
  return std::nullopt;
}

/// Returns a + b, a - b, or, if one of them is a number, a * b.
static std::optional<IndexExpr> combine(Operation *op,
                                        const std::optional<IndexExpr> &a,
                                        const std::optional<IndexExpr> &b) {
  if (!a || !b)
    return std::nullopt;
  if (isa<train::AddOp>(op))
    return *a + *b;
  if (isa<train::SubOp>(op))
    return *a - *b;
  if (b->isConstant())
    return *a * b->constant;
  if (a->isConstant())
    return *b * a->constant;
  return std::nullopt;
}

std::optional<IndexExpr> IndexContext::affineElement(Value value,
                                                     const ElementIndex &index,
                                                     unsigned depth) {
  Operation *op = value.getDefiningOp();
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  if (!op || !knows(op) || !integer || depth > 12)
    return std::nullopt;
  auto recurse = [&](Value v, const ElementIndex &i) {
    return affineElement(v, i, depth + 1);
  };
  if (auto constant = dyn_cast<train::ConstantOp>(op))
    return fitting(integer,
                   constantElement(constant, integer,
                                   linearize(index, train::shapeOf(value))));
  if (auto iota = dyn_cast<train::IotaOp>(op)) {
    if (iota.getOrigin())
      return std::nullopt;
    return fitting(integer, index[iota.getDim()]);
  }
  if (auto convert = dyn_cast<train::ConvertOp>(op)) {
    if (!isa<IntegerType>(
            train::tensorType(convert.getOperand()).getElementType()))
      return std::nullopt;
    return fitting(integer, recurse(convert.getOperand(), index));
  }
  if (isa<train::AddOp, train::SubOp, train::MulOp>(op)) {
    std::optional<IndexExpr> a = recurse(op->getOperand(0), index),
                             b = recurse(op->getOperand(1), index);
    return fitting(integer, combine(op, a, b));
  }
  if (auto select = dyn_cast<train::SelectOp>(op)) {
    // This is the usual treatment of negative indices: i < 0 ? i + n : i.
    auto compare = select.getPred().getDefiningOp<train::CompareOp>();
    if (!compare || !knows(compare) ||
        compare.getDirection() != train::CompareDirection::LT)
      return std::nullopt;
    auto a = recurse(compare.getLhs(), index),
         b = recurse(compare.getRhs(), index);
    if (!a || !b)
      return std::nullopt;
    auto [low, high] = (*a - *b).range();
    if (low >= 0)
      return recurse(select.getOnFalse(), index);
    if (high < 0)
      return recurse(select.getOnTrue(), index);
    return std::nullopt;
  }
  if (isMovement(op)) {
    auto from = sources(op, index);
    if (from.size() == 1)
      return fitting(integer, recurse(from[0].value, from[0].index));
  }
  return std::nullopt;
}

bool dependsOn(const IndexExpr &expr, const IndexVar *var) {
  for (auto [v, c] : expr.terms) {
    if (v == var)
      return true;
    if (v->kind == IndexVar::Quotient && dependsOn(v->of, var))
      return true;
    if (v->kind == IndexVar::Element)
      for (const IndexExpr &e : v->index)
        if (dependsOn(e, var))
          return true;
  }
  return false;
}

} // namespace zcc::train
