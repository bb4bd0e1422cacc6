// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factor rules of elementwise ops, movement, reductions and updates. Those of
// products and of indexed access are in FactorRulesIndexed.cpp, those of ops
// that move along dims in FactorRulesWindows.cpp.
#include "dialects/Train/FactorRules.h"
#include <numeric>

using namespace mlir;
using namespace zcc::train;
using Kind = FactorRule::Kind;

// ---------------------------------------------------------------- elementwise

// The rule is `(i j, i j) -> (i j)`: every operand and result has the dims of
// the first result.
static FactorRule elementwise(Operation *op) {
  FactorRuleBuilder b;
  FactorRule::Tensor dims = b.tensor(shapeOf(op->getResult(0)));
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    b.addOperand(dims);
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    b.addResult(dims);
  return b.take();
}

#define ELEMENTWISE(Op)                                                        \
  FactorRule Op::getFactorRule() { return elementwise(*this); }
ELEMENTWISE(AbsOp)
ELEMENTWISE(NegOp)
ELEMENTWISE(SignOp)
ELEMENTWISE(ExpOp)
ELEMENTWISE(Expm1Op)
ELEMENTWISE(LogOp)
ELEMENTWISE(Log1pOp)
ELEMENTWISE(TanhOp)
ELEMENTWISE(LogisticOp)
ELEMENTWISE(SqrtOp)
ELEMENTWISE(RsqrtOp)
ELEMENTWISE(CbrtOp)
ELEMENTWISE(SinOp)
ELEMENTWISE(CosOp)
ELEMENTWISE(TanOp)
ELEMENTWISE(ErfOp)
ELEMENTWISE(ErfcOp)
ELEMENTWISE(ErfInvOp)
ELEMENTWISE(FloorOp)
ELEMENTWISE(CeilOp)
ELEMENTWISE(RoundAfzOp)
ELEMENTWISE(RoundEvenOp)
ELEMENTWISE(NotOp)
ELEMENTWISE(PopcntOp)
ELEMENTWISE(ClzOp)
ELEMENTWISE(IsFiniteOp)
ELEMENTWISE(AddOp)
ELEMENTWISE(SubOp)
ELEMENTWISE(MulOp)
ELEMENTWISE(DivOp)
ELEMENTWISE(MaxOp)
ELEMENTWISE(MinOp)
ELEMENTWISE(PowOp)
ELEMENTWISE(RemOp)
ELEMENTWISE(Atan2Op)
ELEMENTWISE(AndOp)
ELEMENTWISE(OrOp)
ELEMENTWISE(XorOp)
ELEMENTWISE(ShlOp)
ELEMENTWISE(ShrlOp)
ELEMENTWISE(ShraOp)
ELEMENTWISE(CompareOp)
ELEMENTWISE(SelectOp)
ELEMENTWISE(ClampOp)
ELEMENTWISE(ConvertOp)
ELEMENTWISE(BitcastOp)
ELEMENTWISE(StopGradientOp)
ELEMENTWISE(ShardingConstraintOp)
#undef ELEMENTWISE

// ---------------------------------------------------------------- sources and
// movement

FactorRule ConstantOp::getFactorRule() { return elementwise(*this); }

FactorRule IotaOp::getFactorRule() {
  FactorRuleBuilder b;
  if (getOrigin())
    b.addOperand({});
  b.addResult(b.tensor(shapeOf(getResult())));
  return b.take();
}

FactorRule BroadcastOp::getFactorRule() {
  FactorRuleBuilder b;
  ArrayRef<int64_t> from = shapeOf(getOperand()), to = shapeOf(getResult());
  FactorRule::Tensor result = b.tensor(to), operand(from.size());
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (from[i] != 1)
      operand[i] = result[dim];
  b.addOperand(operand);
  b.addResult(result);
  return b.take();
}

// Splits and merges dims from major to minor into common factors. If the
// extents have no common divisor left, all dims up to the next place where both
// sides have consumed equally many elements must be whole.
FactorRule ReshapeOp::getFactorRule() {
  FactorRuleBuilder b;
  ArrayRef<int64_t> from = shapeOf(getOperand()), to = shapeOf(getResult());
  FactorRule::Tensor operand(from.size()), result(to.size());
  if (llvm::is_contained(from, 0)) {
    b.addOperand(b.tensor(from, Kind::Replicate));
    b.addResult(b.tensor(to, Kind::Replicate));
    return b.take();
  }
  size_t i = 0, j = 0;
  int64_t restFrom = 1, restTo = 1; // the rest of dims i - 1 and j - 1
  auto fill = [](int64_t &rest, size_t &next, ArrayRef<int64_t> shape) {
    while (rest == 1 && next < shape.size())
      rest = shape[next++];
  };
  while (true) {
    fill(restFrom, i, from);
    fill(restTo, j, to);
    if (restFrom == 1 || restTo == 1)
      break;
    int64_t common = std::gcd(restFrom, restTo);
    if (common != 1) {
      FactorRule::Dim factor = b.dim(common);
      operand[i - 1].append(factor);
      result[j - 1].append(factor);
      restFrom /= common;
      restTo /= common;
      // [6, 4] to [4, 6] has the factor 2 in front; then 3, 4 and 2, 6 have
      // none.
      if (restFrom == 1 || restTo == 1)
        continue;
    }
    // Consume whole dims until the products agree.
    int64_t doneFrom = restFrom, doneTo = restTo;
    operand[i - 1].append(b.replicated(restFrom));
    result[j - 1].append(b.replicated(restTo));
    while (doneFrom != doneTo) {
      if (doneFrom < doneTo) {
        doneFrom *= from[i];
        operand[i].append(b.replicated(from[i]));
        ++i;
      } else {
        doneTo *= to[j];
        result[j].append(b.replicated(to[j]));
        ++j;
      }
    }
    restFrom = restTo = 1;
  }
  b.addOperand(operand);
  b.addResult(result);
  return b.take();
}

FactorRule TransposeOp::getFactorRule() {
  FactorRuleBuilder b;
  FactorRule::Tensor operand = b.tensor(shapeOf(getOperand())), result;
  for (int64_t dim : getPermutation())
    result.push_back(operand[dim]);
  b.addOperand(operand);
  b.addResult(result);
  return b.take();
}

// ---------------------------------------------------------------- reductions

FactorRule ReduceOp::getFactorRule() {
  FactorRuleBuilder b;
  // If values are combined by "replace", only the last one counts, and devices
  // have no such order.
  Kind kind = getKind() == ReduceKind::replace ? Kind::Replicate : Kind::Reduce;
  FactorRule::Tensor operand, result;
  for (auto [d, extent] : llvm::enumerate(shapeOf(getOperand()))) {
    if (llvm::is_contained(getDims(), static_cast<int64_t>(d))) {
      operand.push_back(b.dim(extent, kind, getKind()));
    } else {
      operand.push_back(b.dim(extent));
      result.push_back(operand.back());
    }
  }
  b.addOperand(operand);
  b.addResult(result);
  return b.take();
}

// A device that does not have the best element gives an index beyond all
// others. So the minimum of the indices is the first of equal elements.
FactorRule ArgReduceOp::getFactorRule() {
  FactorRuleBuilder b;
  FactorRule::Tensor operand, result;
  for (auto [d, extent] : llvm::enumerate(shapeOf(getOperand()))) {
    bool along = static_cast<int64_t>(d) == static_cast<int64_t>(getDim());
    operand.push_back(along
                          ? b.picked(extent, Kind::Reduce, ReduceKind::minimum)
                          : b.dim(extent));
    if (!along)
      result.push_back(operand.back());
  }
  b.addOperand(operand);
  b.addResult(result);
  return b.take();
}

// The place of an element depends on all others.
FactorRule SortOp::getFactorRule() {
  FactorRuleBuilder b;
  FactorRule::Tensor dims;
  for (auto [d, extent] : llvm::enumerate(shapeOf(getSorted().front())))
    dims.push_back(b.dim(extent, d == getDim() ? Kind::Replicate : Kind::Pass));
  for (size_t i = 0; i < getInputs().size(); ++i) {
    b.addOperand(dims);
    b.addResult(dims);
  }
  return b.take();
}

// The blocks' sums are an intermediate form, made after partitioning.
FactorRule SumOfSquaresOp::getFactorRule() {
  FactorRuleBuilder b;
  bool whole = tensorType(getResult()).getRank() == 0;
  FactorRule::Tensor operand;
  for (int64_t extent : shapeOf(getOperand()))
    operand.push_back(
        b.dim(extent, whole ? Kind::Reduce : Kind::Replicate, ReduceKind::add));
  b.addOperand(operand);
  b.addResult(b.tensor(shapeOf(getResult()), Kind::Replicate));
  return b.take();
}

// ---------------------------------------------------------------- the update

// Parameter, slots, gradient and all results are elementwise; hyper, scale and
// finite are whole.
FactorRule UpdateOp::getFactorRule() {
  FactorRuleBuilder b;
  FactorRule::Tensor dims = b.tensor(shapeOf(getParameter()));
  unsigned tensors = 2 + getSlots().size();
  for (auto [i, operand] : llvm::enumerate(getOperands()))
    b.addOperand(i < tensors ? dims
                             : b.tensor(shapeOf(operand), Kind::Replicate));
  for (unsigned i = 0; i < getNumResults(); ++i)
    b.addResult(dims);
  return b.take();
}

FactorRule zcc::train::wholeRule(Operation *op) {
  FactorRuleBuilder b;
  for (Value v : op->getOperands())
    b.addOperand(b.tensor(shapeOf(v), Kind::Replicate));
  for (Value v : op->getResults())
    b.addResult(b.tensor(shapeOf(v), Kind::Replicate));
  return b.take();
}
