// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits a batching dim of a product into the dims that were merged into it
// (the heads of torch.bmm). Then batches and heads are visible, shard
// separately, and are read in place. Reshapes of the operands and of the result
// tell how the dim splits. The pass follows an operand's element at index i of
// the dim to its source, whose index is a quotient of i by the inner extent.
// Elementwise ops lie on the way, also with other operands: a mask by window,
// which is added to scores, splits the batch into images and windows.
#include "dialects/Train/ElementIndex.h"
#include "dialects/Train/Gradients.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"
#include "passes/Import/ScoreTerm.h"
#include <set>

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexContext;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;
using zcc::train::shapeOf;

namespace zcc {
#define GEN_PASS_DEF_SPLITBATCHES
#include "passes/Import/Passes.h.inc"

namespace {

/// The inner extents at which a dim splits.
using Divisors = std::set<int64_t>;

/// Finds divisors of dim `dim` of a value from its reshapes and those of all
/// values of the same shape that it is computed from, element by element.
void findInOperand(Value from, int64_t dim, Divisors &divisors) {
  IndexContext context;
  ElementIndex start;
  const IndexVar *batch = nullptr;
  for (auto [d, extent] : llvm::enumerate(shapeOf(from))) {
    const IndexVar *var = context.loopVar(extent);
    if (int64_t(d) == dim)
      batch = var;
    start.push_back(extent == 1 ? IndexExpr(0) : IndexExpr(var));
  }
  SmallVector<ScoreTerm, 4> open{{from, start}};
  SmallPtrSet<Operation *, 16> seen;
  while (!open.empty() && seen.size() < 32) {
    ScoreTerm term = open.pop_back_val();
    Operation *op = term.value.getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (op->hasTrait<train::ElementwiseOp>()) {
      for (Value operand : op->getOperands())
        if (shapeOf(operand) == shapeOf(term.value) &&
            !train::getSplat(operand))
          open.push_back({operand, term.index});
      continue;
    }
    if (!isView(op))
      continue;
    auto sources = context.sources(op, term.index);
    open.push_back({sources[0].value, sources[0].index});
    for (const IndexExpr &e : sources[0].index)
      for (auto [var, coefficient] : e.terms)
        if (var->kind == IndexVar::Quotient && asVariable(var->of) == batch)
          divisors.insert(var->divisor);
  }
}

/// Finds divisors of dim `dim` of a value, and of values of the same shape that
/// are computed from it, from their reshapes and from their other operands.
void findInUsers(Value from, int64_t dim, Divisors &divisors) {
  ArrayRef<int64_t> shape = shapeOf(from);
  int64_t extent = shape[dim], outer = 1;
  for (int64_t size : shape.take_front(dim))
    outer *= size;
  SmallVector<Value> open{from};
  SmallPtrSet<Operation *, 16> seen;
  while (!open.empty() && seen.size() < 16) {
    Value v = open.pop_back_val();
    for (Operation *user : v.getUsers()) {
      if (!seen.insert(user).second)
        continue;
      if (auto reshape = dyn_cast<train::ReshapeOp>(user)) {
        int64_t before = 1;
        for (int64_t size : shapeOf(reshape)) {
          before *= size;
          if (before > outer && outer * extent % before == 0)
            divisors.insert(outer * extent / before);
        }
      } else if (user->hasTrait<train::ElementwiseOp>() &&
                 shapeOf(user->getResult(0)) == shape) {
        open.push_back(user->getResult(0));
        for (Value operand : user->getOperands())
          if (operand != v && shapeOf(operand) == shape)
            findInOperand(operand, dim, divisors);
      }
    }
  }
}

/// Returns the extents that the dim splits into; only one if no reshape tells,
/// or if the reshapes disagree.
SmallVector<int64_t> splitExtent(int64_t extent, const Divisors &divisors) {
  SmallVector<int64_t> out;
  int64_t outer = extent;
  for (int64_t divisor : llvm::reverse(divisors)) {
    if (divisor <= 1)
      continue;
    if (outer % divisor != 0)
      return {extent};
    out.push_back(outer / divisor);
    outer = divisor;
  }
  out.push_back(outer);
  return out;
}

/// Returns `v` with each dim split into `parts`. It moves through transposes,
/// so that the reshape meets the one that merged the dims.
Value split(OpBuilder &b, Location loc, Value v,
            ArrayRef<SmallVector<int64_t>> parts) {
  SmallVector<int64_t> shape;
  for (ArrayRef<int64_t> part : parts)
    shape.append(part.begin(), part.end());
  if (auto reshape = v.getDefiningOp<train::ReshapeOp>())
    return train::reshape(b, loc, reshape.getOperand(), shape);
  auto transpose = v.getDefiningOp<train::TransposeOp>();
  if (!transpose)
    return train::reshape(b, loc, v, shape);
  SmallVector<SmallVector<int64_t>> before(parts.size());
  for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
    before[from] = parts[to];
  SmallVector<int64_t> starts, permutation;
  int64_t next = 0;
  for (ArrayRef<int64_t> part : before) {
    starts.push_back(next);
    next += part.size();
  }
  for (int64_t from : transpose.getPermutation())
    for (size_t i = 0; i < before[from].size(); ++i)
      permutation.push_back(starts[from] + i);
  return train::transpose(b, loc, split(b, loc, transpose.getOperand(), before),
                          permutation);
}

struct Side {
  Value value;
  SmallVector<int64_t> batching, contracting;

  Side(Value value, ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting)
      : value(value), batching(batching), contracting(contracting) {}

  void split(OpBuilder &b, Location loc,
             ArrayRef<SmallVector<int64_t>> batches) {
    SmallVector<SmallVector<int64_t>> parts;
    for (int64_t extent : shapeOf(value))
      parts.push_back({extent});
    for (auto [d, batch] : llvm::zip_equal(batching, batches))
      parts[d] = batch;
    SmallVector<int64_t> starts;
    int64_t next = 0;
    for (ArrayRef<int64_t> part : parts) {
      starts.push_back(next);
      next += part.size();
    }
    SmallVector<int64_t> newBatching;
    for (auto [d, batch] : llvm::zip_equal(batching, batches))
      for (size_t i = 0; i < batch.size(); ++i)
        newBatching.push_back(starts[d] + i);
    value = zcc::split(b, loc, value, parts);
    batching = newBatching;
    for (int64_t &d : contracting)
      d = starts[d];
  }
};

void splitBatches(train::DotGeneralOp dot) {
  Side lhs(dot.getLhs(), dot.getLhsBatching(), dot.getLhsContracting()),
      rhs(dot.getRhs(), dot.getRhsBatching(), dot.getRhsContracting());
  SmallVector<SmallVector<int64_t>> batches;
  bool any = false;
  for (auto [x, y] : llvm::zip_equal(lhs.batching, rhs.batching)) {
    int64_t extent = shapeOf(lhs.value)[x];
    Divisors divisors;
    findInOperand(lhs.value, x, divisors);
    findInOperand(rhs.value, y, divisors);
    findInUsers(dot, batches.size(), divisors);
    batches.push_back(splitExtent(extent, divisors));
    any |= batches.back().size() > 1;
  }
  if (!any)
    return;
  OpBuilder b(dot);
  Location loc = dot.getLoc();
  lhs.split(b, loc, batches);
  rhs.split(b, loc, batches);
  Value product = train::dotGeneral(
      b, loc, lhs.value, rhs.value, lhs.batching, rhs.batching, lhs.contracting,
      rhs.contracting, train::tensorType(dot).getElementType());
  for (Operation *user : llvm::make_early_inc_range(dot->getUsers()))
    if (isa<train::ReshapeOp>(user)) {
      if (user->getResult(0).getType() == product.getType())
        user->getResult(0).replaceAllUsesWith(product);
      user->setOperand(0, product);
    }
  if (!dot.getResult().use_empty())
    dot.getResult().replaceAllUsesWith(
        train::reshape(b, loc, product, shapeOf(dot)));
  dot.erase();
}

struct SplitBatches : zcc::impl::SplitBatchesBase<SplitBatches> {
  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry || !llvm::hasSingleElement(entry.getBody()))
      return;
    Block &block = entry.getBody().front();
    SmallVector<train::DotGeneralOp> products(
        block.getOps<train::DotGeneralOp>());
    for (train::DotGeneralOp product : products)
      splitBatches(product);
    // These views merged the dims.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};

} // namespace
} // namespace zcc
