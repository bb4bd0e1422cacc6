// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands einsum, torch's index_select and products of ragged groups.
#include "dialects/StableHLO/Einsum.h"
#include "passes/Import/ExpandOps.h"
#include "passes/Import/Refusals.h"

using namespace mlir;

namespace zcc {

namespace {
/// A value and the label of each of its dims.
struct Labeled {
  Value value;
  SmallVector<int64_t> labels;

  bool has(int64_t label) const { return llvm::is_contained(labels, label); }
  int64_t at(int64_t label) const {
    return llvm::find(labels, label) - labels.begin();
  }
  /// Removes the dims with these labels, which are summed over (or of extent
  /// 1).
  void drop(HloBuilder &h, function_ref<bool(int64_t)> which, bool isSum) {
    SmallVector<int64_t> dims, shape, kept;
    for (auto [i, label] : llvm::enumerate(labels)) {
      if (which(label)) {
        dims.push_back(i);
      } else {
        kept.push_back(label);
        shape.push_back(HloBuilder::shapeOf(value)[i]);
      }
    }
    value = isSum ? h.sum(value, dims) : h.reshape(value, shape);
    labels = kept;
  }
};
} // namespace

Expansion expandEinsum(Operation *op, StringRef config, OpBuilder &b) {
  HloBuilder h{b, op->getLoc()};
  SmallVector<int64_t> ranks;
  for (Value v : op->getOperands())
    ranks.push_back(HloBuilder::shapeOf(v).size());
  stablehlo::Einsum einsum;
  (void)stablehlo::parseEinsum(config, ranks, einsum); // the op was verified
  DenseMap<int64_t, int64_t> extents;
  SmallVector<Labeled, 2> terms;
  for (auto [v, labels] : llvm::zip(op->getOperands(), einsum.operands)) {
    terms.push_back({v, labels});
    for (auto [i, label] : llvm::enumerate(labels)) {
      if (llvm::is_contained(ArrayRef(labels).take_front(i), label))
        return refuse(
            op, "expected each label of an operand once in \"" + config + "\"",
            "take the diagonal before it (jnp.diagonal)");
      int64_t &extent = extents[label];
      extent = std::max(extent, HloBuilder::shapeOf(v)[i]);
    }
  }
  auto inResult = [&](int64_t label) {
    return llvm::is_contained(einsum.result, label);
  };
  for (auto [k, term] : llvm::enumerate(terms)) {
    // An extent of 1 fits any extent of the other operand.
    Value v = term.value;
    SmallVector<int64_t> labels = term.labels;
    term.drop(
        h,
        [&](int64_t label) {
          return HloBuilder::shapeOf(
                     v)[llvm::find(labels, label) - labels.begin()] !=
                 extents[label];
        },
        /*isSum=*/false);
    const Labeled *other = terms.size() > 1 ? &terms[1 - k] : nullptr;
    term.drop(
        h,
        [&](int64_t label) {
          return !inResult(label) && !(other && other->has(label));
        },
        /*isSum=*/true);
  }
  Labeled result = terms[0];
  Type element = HloBuilder::typeOf(op->getResult(0)).getElementType();
  if (terms.size() == 2) {
    const Labeled &lhs = terms[0], &rhs = terms[1];
    SmallVector<int64_t> lhsBatch, rhsBatch, lhsSum, rhsSum;
    Labeled product;
    for (int64_t label : lhs.labels)
      if (rhs.has(label)) {
        (inResult(label) ? lhsBatch : lhsSum).push_back(lhs.at(label));
        (inResult(label) ? rhsBatch : rhsSum).push_back(rhs.at(label));
        if (inResult(label))
          product.labels.push_back(label);
      }
    for (const Labeled *side : {&lhs, &rhs})
      for (int64_t label : side->labels)
        if (!(lhs.has(label) && rhs.has(label)))
          product.labels.push_back(label);
    SmallVector<int64_t> shape;
    for (int64_t label : product.labels)
      shape.push_back(extents[label]);
    product.value = stablehlo::DotGeneralOp::create(
        b, op->getLoc(), RankedTensorType::get(shape, element), lhs.value,
        rhs.value,
        stablehlo::DotDimensionNumbersAttr::get(b.getContext(), lhsBatch,
                                                rhsBatch, lhsSum, rhsSum),
        ArrayAttr(), stablehlo::DotAlgorithmAttr());
    result = product;
  } else if (HloBuilder::typeOf(result.value).getElementType() != element) {
    result.value = stablehlo::ConvertOp::create(
        b, op->getLoc(), HloBuilder::typeOf(result.value).clone(element),
        result.value);
  }
  SmallVector<int64_t> permutation;
  for (int64_t label : einsum.result)
    permutation.push_back(result.at(label));
  return SmallVector<Value>{h.transpose(result.value, permutation)};
}

/// Makes a gather of whole rows along `dim`, with batching dims in front.
Expansion expandIndexSelect(stablehlo::TorchIndexSelectOp op, OpBuilder &b) {
  int64_t dim = op.getDimAttr().getInt(),
          batch = op.getBatchDimsAttr().getInt();
  ArrayRef<int64_t> from = HloBuilder::shapeOf(op.getOperand());
  int64_t indexRank = HloBuilder::shapeOf(op.getIndex()).size(),
          rank = HloBuilder::shapeOf(op.getResult()).size();
  SmallVector<int64_t> batching = llvm::to_vector(llvm::seq<int64_t>(0, batch)),
                       offset, sizes(from);
  for (int64_t d = batch; d < rank; ++d)
    if (d < dim || d >= dim + indexRank - batch)
      offset.push_back(d);
  for (int64_t d = 0; d < batch; ++d)
    sizes[d] = 1;
  sizes[dim] = 1;
  return SmallVector<Value>{stablehlo::GatherOp::create(
      b, op.getLoc(), op.getType(), op.getOperand(), op.getIndex(),
      stablehlo::GatherDimensionNumbersAttr::get(
          b.getContext(), offset, {dim}, batching, batching, {dim}, indexRank),
      b.getDenseI64ArrayAttr(sizes), BoolAttr())};
}

/// Group g's rows of lhs come after those of the groups before it. The
/// expansion is one product of lhs, masked for each group, with all of rhs,
/// contracted over the groups, too. Rows beyond the last group give 0.
Expansion expandRaggedDot(chlo::RaggedDotOp op, OpBuilder &b) {
  HloBuilder h{b, op.getLoc()};
  chlo::RaggedDotDimensionNumbersAttr dims = op.getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> lhs = HloBuilder::shapeOf(op.getLhs());
  bool basic = lhs.size() == 2 &&
               HloBuilder::shapeOf(op.getRhs()).size() == 3 &&
               HloBuilder::shapeOf(op.getGroupSizes()).size() == 1 &&
               dims.getLhsBatching().empty() &&
               dims.getLhsRagged() == ArrayRef<int64_t>{0} &&
               dims.getLhsContracting() == ArrayRef<int64_t>{1} &&
               dims.getRhsGroup() == ArrayRef<int64_t>{0} &&
               dims.getRhsContracting() == ArrayRef<int64_t>{1};
  if (!basic)
    return refuse(op,
                  "expected rows in groups, each times its own matrix "
                  "(jax.lax.ragged_dot)",
                  "write it as jax.lax.ragged_dot(rows, matrices, sizes) of "
                  "[rows, k], [groups, k, n] and [groups], transposed before "
                  "or after, or as a product of one-hot rows");
  Value sizes = op.getGroupSizes();
  int64_t groups = HloBuilder::shapeOf(sizes)[0], rows = lhs[0];
  Type element = HloBuilder::typeOf(sizes).getElementType();
  auto compare = [&](Value x, Value y,
                     stablehlo::ComparisonDirection direction) -> Value {
    return stablehlo::CompareOp::create(
        b, op.getLoc(), HloBuilder::typeOf(x).clone(b.getI1Type()), x, y,
        stablehlo::ComparisonDirectionAttr::get(b.getContext(), direction),
        stablehlo::ComparisonTypeAttr());
  };
  using Direction = stablehlo::ComparisonDirection;
  // end[g] is the sum of sizes[0..g].
  SmallVector<int64_t> square{groups, groups}, grid{groups, rows};
  Value upTo = compare(h.iota(square, element, 1), h.iota(square, element, 0),
                       Direction::LE);
  Value spread = h.broadcast(sizes, square, {1});
  Value counted = stablehlo::SelectOp::create(b, op.getLoc(), spread.getType(),
                                              upTo, spread, h.splat(spread, 0));
  Value end = h.sum(counted, {1}), start = h.sub(end, sizes);
  Value row = h.iota(grid, element, 1);
  Value inGroup = h.binary<stablehlo::AndOp>(
      compare(row, h.broadcast(start, grid, {0}), Direction::GE),
      compare(row, h.broadcast(end, grid, {0}), Direction::LT));
  SmallVector<int64_t> cube{groups, rows, lhs[1]};
  Value all = h.broadcast(op.getLhs(), cube, {1, 2});
  Value masked = stablehlo::SelectOp::create(b, op.getLoc(), all.getType(),
                                             h.broadcast(inGroup, cube, {0, 1}),
                                             all, h.splat(all, 0));
  return SmallVector<Value>{stablehlo::DotGeneralOp::create(
      b, op.getLoc(), op.getType(), masked, op.getRhs(),
      stablehlo::DotDimensionNumbersAttr::get(b.getContext(), {}, {}, {0, 2},
                                              {0, 1}),
      ArrayAttr(), stablehlo::DotAlgorithmAttr())};
}

} // namespace zcc
