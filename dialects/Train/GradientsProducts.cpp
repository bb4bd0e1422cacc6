// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Derivatives of products are products. They read operands of the forward op's
// (maybe narrow) type and accumulate into its result type. A conversion of
// their own rounds them to the operand's type; the gradients of master weights
// look through it.
#include "dialects/Train/Gradients.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zcc::train {

static Type elementTypeOf(Value v) { return tensorType(v).getElementType(); }

static Value convertTo(OpBuilder &b, Location loc, Value v, Type elementType) {
  return elementTypeOf(v) == elementType ? v : convert(b, loc, v, elementType);
}

// Returns the cotangent of the operand `self`. `g` is the result's cotangent.
// Free dims of self start at `selfAt` in it, and those of the other operand at
// `otherAt`. A product's result is [batching, free of lhs, free of rhs].
static Value dotGradient(OpBuilder &b, Location loc, Value g, Value self,
                         Value other, ArrayRef<int64_t> selfBatching,
                         ArrayRef<int64_t> otherBatching,
                         ArrayRef<int64_t> selfContracting,
                         ArrayRef<int64_t> otherContracting, bool selfIsLhs) {
  int64_t batching = selfBatching.size();
  auto freeDims = [](Value v, ArrayRef<int64_t> x, ArrayRef<int64_t> y) {
    SmallVector<int64_t> dims;
    for (int64_t i = 0, e = tensorType(v).getRank(); i < e; ++i)
      if (!llvm::is_contained(x, i) && !llvm::is_contained(y, i))
        dims.push_back(i);
    return dims;
  };
  SmallVector<int64_t> selfFree = freeDims(self, selfBatching, selfContracting);
  SmallVector<int64_t> otherFree =
      freeDims(other, otherBatching, otherContracting);
  int64_t otherAt = batching + (selfIsLhs ? selfFree.size() : 0);
  SmallVector<int64_t> gBatching =
      llvm::to_vector(llvm::seq<int64_t>(0, batching));
  SmallVector<int64_t> gContracting =
      llvm::to_vector(llvm::seq<int64_t>(otherAt, otherAt + otherFree.size()));

  Type wide = elementTypeOf(g);
  g = convertTo(b, loc, g, elementTypeOf(other));
  // Dims of the product in terms of self's: batching, then self's free and
  // contracted dims, those of the first operand first. The order of operands
  // makes the last dim of self the last of the product, if possible.
  // Self's contracted dims in the order of the other operand's dims.
  SmallVector<int64_t> contracted;
  SmallVector<int64_t> order(otherContracting);
  llvm::sort(order);
  for (int64_t dim : order)
    contracted.push_back(selfContracting[llvm::find(otherContracting, dim) -
                                         otherContracting.begin()]);
  int64_t rank = tensorType(self).getRank();
  bool freeLast = !selfFree.empty() && selfFree.back() == rank - 1;
  SmallVector<int64_t> dims(selfBatching);
  Value product;
  if (freeLast) {
    product = dotGeneral(b, loc, other, g, otherBatching, gBatching, otherFree,
                         gContracting, wide);
    dims.append(contracted);
    dims.append(selfFree);
  } else {
    product = dotGeneral(b, loc, g, other, gBatching, otherBatching,
                         gContracting, otherFree, wide);
    dims.append(selfFree);
    dims.append(contracted);
  }
  SmallVector<int64_t> permutation(rank);
  for (auto [i, dim] : llvm::enumerate(dims))
    permutation[dim] = i;
  if (!llvm::is_sorted(permutation))
    product = transpose(b, loc, product, permutation);
  return convertTo(b, loc, product, elementTypeOf(self));
}

void DotGeneralOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                 SmallVectorImpl<Value> &out) {
  out[0] = dotGradient(builder, getLoc(), gradients[0], getLhs(), getRhs(),
                       getLhsBatching(), getRhsBatching(), getLhsContracting(),
                       getRhsContracting(), /*selfIsLhs=*/true);
  out[1] = dotGradient(builder, getLoc(), gradients[0], getRhs(), getLhs(),
                       getRhsBatching(), getLhsBatching(), getRhsContracting(),
                       getLhsContracting(), /*selfIsLhs=*/false);
}

// ---------------------------------------------------------------- convolution

namespace {
// Extents of a convolution along one spatial dim, dilated.
struct Extents {
  int64_t input, kernel, output;
};
} // namespace

// Turns [..., groups * n, ...] at `from` and [..., m, ...] at `to` into n and
// groups * m: the groups move to `to`, as its major part.
static Value moveGroups(OpBuilder &b, Location loc, Value v, int64_t groups,
                        int64_t from, int64_t to) {
  SmallVector<int64_t> shape(shapeOf(v)), split(shape), permutation;
  split[from] /= groups;
  split.insert(split.begin() + from, groups);
  shape[from] /= groups;
  shape[to] *= groups;
  // After the split, dim d of v is d, or d + 1 from `from` on, and the groups
  // are dim `from`.
  for (int64_t d = 0, e = shape.size(); d < e; ++d) {
    if (d == to)
      permutation.push_back(from);
    permutation.push_back(d >= from ? d + 1 : d);
  }
  return reshape(
      b, loc, transpose(b, loc, reshape(b, loc, v, split), permutation), shape);
}

static SmallVector<int64_t> swapFirstTwo(ArrayRef<int64_t> dims) {
  SmallVector<int64_t> swapped(dims);
  std::swap(swapped[0], swapped[1]);
  return swapped;
}

void ConvolutionOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                  SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value lhs = getLhs(), rhs = getRhs();
  Type wide = elementTypeOf(gradients[0]);
  Value g = convertTo(builder, loc, gradients[0], elementTypeOf(lhs));
  size_t spatial = getStrides().size();
  SmallVector<Extents> extents;
  for (size_t i = 0; i < spatial; ++i)
    extents.push_back(
        {dilated(shapeOf(lhs)[getInputDims()[i + 2]], getLhsDilation()[i]),
         dilated(shapeOf(rhs)[getKernelDims()[i + 2]], getRhsDilation()[i]),
         dilated(shapeOf(g)[getOutputDims()[i + 2]], getStrides()[i])});

  // The input's gradient is the cotangent, dilated by the strides, convolved
  // with the mirrored kernel, whose features are exchanged.
  {
    int64_t groups = std::max(getFeatureGroups(), getBatchGroups());
    Value kernel = rhs;
    if (groups > 1)
      kernel = moveGroups(builder, loc, kernel, groups, getKernelDims()[1],
                          getKernelDims()[0]);
    SmallVector<int64_t> low, high;
    SmallVector<bool> mirrored;
    for (auto [i, e] : llvm::enumerate(extents)) {
      low.push_back(e.kernel - getPadLow()[i] - 1);
      high.push_back(e.input + e.kernel - 1 - e.output - low[i]);
      mirrored.push_back(!getReversal()[i]);
    }
    SmallVector<int64_t> shape(shapeOf(lhs));
    if (getBatchGroups() > 1) {
      shape[getInputDims()[0]] /= groups;
      shape[getInputDims()[1]] *= groups;
    }
    Value product = ConvolutionOp::create(
        builder, loc, RankedTensorType::get(shape, wide), g, kernel,
        getLhsDilation(), low, high, getStrides(), getRhsDilation(), mirrored,
        getOutputDims(), swapFirstTwo(getKernelDims()), getInputDims(), groups,
        1);
    if (getBatchGroups() > 1)
      product = moveGroups(builder, loc, product, groups, getInputDims()[1],
                           getInputDims()[0]);
    out[0] = convertTo(builder, loc, product, elementTypeOf(lhs));
  }

  // The kernel's gradient is the input convolved with the cotangent as kernel;
  // batch and features exchange their roles.
  {
    SmallVector<int64_t> high, reversed;
    SmallVector<bool> plain(spatial, false);
    for (auto [i, e] : llvm::enumerate(extents)) {
      high.push_back(e.output - e.input + e.kernel - getPadLow()[i] - 1);
      if (getReversal()[i])
        reversed.push_back(getKernelDims()[i + 2]);
    }
    Value product = ConvolutionOp::create(
        builder, loc, RankedTensorType::get(shapeOf(rhs), wide), lhs, g,
        getRhsDilation(), getPadLow(), high, getLhsDilation(), getStrides(),
        plain, swapFirstTwo(getInputDims()), getOutputDims(), getKernelDims(),
        getBatchGroups(), getFeatureGroups());
    if (!reversed.empty())
      product = ReverseOp::create(builder, loc, product, reversed);
    out[1] = convertTo(builder, loc, product, elementTypeOf(rhs));
  }
}

} // namespace zcc::train
