// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factor rules of elementwise ops, movement, reductions and updates. Those of
// products and of indexed access are in FactorRulesIndexed.cpp.
#include "dialects/Train/FactorRules.h"
#include <numeric>

using namespace mlir;
using namespace zcc::train;
using Kind = FactorRule::Kind;

// ---------------------------------------------------------------- elementwise

// `(i j, i j) -> (i j)`: every operand and result has the dims of the first
// result.
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

// Splits and merges dims from major to minor into common factors. Where the
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
  int64_t restFrom = 1, restTo = 1; // what is left of dims i - 1 and j - 1
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

// Dims of which `whole` holds pass; others must be whole on both sides.
template <typename Whole>
static std::pair<FactorRule::Tensor, FactorRule::Tensor>
passWhere(FactorRuleBuilder &b, ArrayRef<int64_t> from, ArrayRef<int64_t> to,
          Whole whole) {
  FactorRule::Tensor operand, result;
  for (size_t d = 0; d < from.size(); ++d) {
    if (whole(d)) {
      operand.push_back(b.dim(from[d]));
      result.push_back(operand.back());
    } else {
      operand.push_back(b.replicated(from[d]));
      result.push_back(b.replicated(to[d]));
    }
  }
  return {operand, result};
}

FactorRule SliceOp::getFactorRule() {
  FactorRuleBuilder b;
  ArrayRef<int64_t> from = shapeOf(getOperand());
  auto [operand, result] =
      passWhere(b, from, shapeOf(getResult()), [&](size_t d) {
        return getStart()[d] == 0 && getLimit()[d] == from[d] &&
               getStride()[d] == 1;
      });
  b.addOperand(operand);
  b.addResult(result);
  return b.take();
}

FactorRule PadOp::getFactorRule() {
  FactorRuleBuilder b;
  auto [operand, result] =
      passWhere(b, shapeOf(getOperand()), shapeOf(getResult()), [&](size_t d) {
        return getLow()[d] == 0 && getHigh()[d] == 0 && getInterior()[d] == 0;
      });
  b.addOperand(operand);
  b.addOperand({});
  b.addResult(result);
  return b.take();
}

FactorRule ConcatenateOp::getFactorRule() {
  FactorRuleBuilder b;
  FactorRule::Tensor result;
  for (auto [d, extent] : llvm::enumerate(shapeOf(getResult())))
    result.push_back(
        b.dim(extent, d == getDim() ? Kind::Replicate : Kind::Pass));
  for (Value input : getInputs()) {
    FactorRule::Tensor operand = result;
    operand[getDim()] = b.replicated(shapeOf(input)[getDim()]);
    b.addOperand(operand);
  }
  b.addResult(result);
  return b.take();
}

// One tensor shape throughout, of which the dims in `whole` must be whole.
static FactorRule alongDims(Operation *op, ArrayRef<int64_t> whole) {
  FactorRuleBuilder b;
  FactorRule::Tensor dims;
  for (auto [d, extent] : llvm::enumerate(shapeOf(op->getResult(0))))
    dims.push_back(
        b.dim(extent, llvm::is_contained(whole, static_cast<int64_t>(d))
                          ? Kind::Replicate
                          : Kind::Pass));
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    b.addOperand(dims);
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    b.addResult(dims);
  return b.take();
}

FactorRule ReverseOp::getFactorRule() { return alongDims(*this, getDims()); }

// ---------------------------------------------------------------- reductions

FactorRule ReduceOp::getFactorRule() {
  FactorRuleBuilder b;
  // Of values combined by "replace" only the last counts, which no order of
  // devices gives.
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

FactorRule ArgReduceOp::getFactorRule() {
  FactorRuleBuilder b;
  FactorRule::Tensor operand, result;
  for (auto [d, extent] : llvm::enumerate(shapeOf(getOperand()))) {
    bool along = static_cast<int64_t>(d) == static_cast<int64_t>(getDim());
    operand.push_back(b.dim(extent, along ? Kind::Replicate : Kind::Pass));
    if (!along)
      result.push_back(operand.back());
  }
  b.addOperand(operand);
  b.addResult(result);
  return b.take();
}

FactorRule CumulativeOp::getFactorRule() {
  return alongDims(*this, {static_cast<int64_t>(getDim())});
}
FactorRule SortOp::getFactorRule() {
  return alongDims(*this, {static_cast<int64_t>(getDim())});
}

FactorRule ReduceWindowOp::getFactorRule() {
  FactorRuleBuilder b;
  auto [operand, result] =
      passWhere(b, shapeOf(getOperand()), shapeOf(getResult()), [&](size_t d) {
        return getWindow()[d] == 1 && getStrides()[d] == 1 &&
               getBaseDilation()[d] == 1 && getPadLow()[d] == 0 &&
               getPadHigh()[d] == 0;
      });
  b.addOperand(operand);
  b.addResult(result);
  return b.take();
}

FactorRule SelectAndScatterOp::getFactorRule() {
  FactorRuleBuilder b;
  auto [operand, source] =
      passWhere(b, shapeOf(getOperand()), shapeOf(getSource()), [&](size_t d) {
        return getWindow()[d] == 1 && getStrides()[d] == 1 &&
               getPadLow()[d] == 0 && getPadHigh()[d] == 0;
      });
  b.addOperand(operand);
  b.addOperand(source);
  b.addResult(operand);
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

// `tensors` operands and all results are elementwise; hyper, scale and finite
// are whole.
static FactorRule update(Operation *op, unsigned tensors) {
  FactorRuleBuilder b;
  FactorRule::Tensor dims = b.tensor(shapeOf(op->getOperand(0)));
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    b.addOperand(i < tensors ? dims
                             : b.tensor(shapeOf(operand), Kind::Replicate));
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    b.addResult(dims);
  return b.take();
}

FactorRule AdamWOp::getFactorRule() { return update(*this, 4); }
FactorRule SgdOp::getFactorRule() { return update(*this, 3); }
