// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms are known in two spellings: ones added at the places of the keys,
// and truth values summed over the rows. Values that follow from them by sums,
// and by moving elements, are known as sums of the histogram's entries. So any
// spelling of a cumulative sum, and of the difference of neighbors, is known.
#include "passes/Import/GroupCounts.h"
#include "dialects/Train/ElementIndex.h"
#include "passes/Import/ConstantFold.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

// A vector of groups, or a square of them that is summed.
static constexpr int64_t maxElements = 1 << 18;

static void accumulate(RowCount &to, const RowCount &from, double factor) {
  to.constant += factor * from.constant;
  SmallVector<std::pair<int64_t, double>, 2> merged;
  auto x = to.terms.begin(), xe = to.terms.end();
  auto y = from.terms.begin(), ye = from.terms.end();
  while (x != xe || y != ye) {
    if (y == ye || (x != xe && x->first < y->first)) {
      merged.push_back(*x++);
      continue;
    }
    double sum = factor * y->second;
    if (x != xe && x->first == y->first)
      sum += x++->second;
    if (sum != 0)
      merged.push_back({y->first, sum});
    ++y;
  }
  to.terms = std::move(merged);
}

std::optional<SmallVector<int64_t>> GroupCounts::findStarts(Value v) {
  std::shared_ptr<const Counts> counts = find(v);
  if (!counts)
    return std::nullopt;
  SmallVector<int64_t> starts;
  for (const RowCount &count : *counts) {
    if (count.constant != 0)
      return std::nullopt;
    for (auto [i, term] : llvm::enumerate(count.terms))
      if (term.first != int64_t(i) || term.second != 1)
        return std::nullopt;
    starts.push_back(count.terms.size());
  }
  return starts;
}

std::shared_ptr<const GroupCounts::Counts> GroupCounts::find(Value v) {
  if (auto it = known.find(v); it != known.end())
    return it->second;
  std::shared_ptr<const Counts> counts = compute(v);
  known[v] = counts;
  return counts;
}

std::shared_ptr<const GroupCounts::Counts> GroupCounts::compute(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      tensorType(v).getNumElements() > maxElements)
    return nullptr;
  // Floats count exactly as far as their digits go.
  if (auto type = dyn_cast<FloatType>(tensorType(v).getElementType()))
    if (rows >= int64_t(1) << std::min(type.getFPMantissaWidth(), 62u))
      return nullptr;
  std::optional<Counts> counts;
  // Keys in the batch's order do not stand beside sorted ones.
  for (AxisEvaluator *evaluator : {&inBatch, &inOrder}) {
    if (counts)
      break;
    if (auto scatter = dyn_cast<train::ScatterOp>(op))
      counts = countScattered(scatter, *evaluator);
    else if (auto reduce = dyn_cast<train::ReduceOp>(op))
      counts = countReduced(reduce, *evaluator);
  }
  if (!counts)
    counts = train::IndexContext::isMovement(op) ? move(op) : addUp(op);
  return counts ? std::make_shared<const Counts>(std::move(*counts)) : nullptr;
}

/// Reads zeros with a number added for each row, at the place of its key.
std::optional<GroupCounts::Counts>
GroupCounts::countScattered(train::ScatterOp op, AxisEvaluator &evaluator) {
  ArrayRef<int64_t> at = shapeOf(op.getIndices());
  int64_t extent = shapeOf(op).empty() ? 0 : shapeOf(op)[0];
  bool plain =
      op.getKind() == train::ReduceKind::add && !op.getClampStarts() &&
      shapeOf(op).size() == 1 && shapeOf(op.getUpdates()).size() == 1 &&
      op.getUpdateWindowDims().empty() && op.getOperandBatchingDims().empty() &&
      op.getOperandDimsMap().size() == 1 && !at.empty() && at[0] == rows &&
      op.getIndexVectorDim() == 1 && train::getSplat(op.getOperand()) == 0.0;
  if (!plain)
    return std::nullopt;
  SmallVector<int64_t, 2> place(at.size(), 0);
  place[0] = AxisEvaluator::along;
  std::optional<AxisTable> places = evaluator.evaluate(op.getIndices(), place);
  std::optional<AxisTable> added =
      evaluator.evaluate(op.getUpdates(), AxisEvaluator::along);
  if (!places || !added)
    return std::nullopt;
  Counts counts(extent);
  for (int64_t key = 0; key < keys; ++key) {
    double to = (*places)[places->size() == 1 ? 0 : key],
           number = (*added)[added->size() == 1 ? 0 : key];
    if (to >= 0 && to < double(extent) && number != 0)
      counts[int64_t(to)].terms.push_back({key, number});
  }
  return counts;
}

/// Reads a sum over the rows of a number for each key.
std::optional<GroupCounts::Counts>
GroupCounts::countReduced(train::ReduceOp op, AxisEvaluator &evaluator) {
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  int64_t reduced = 1;
  for (int64_t d : op.getDims())
    reduced *= shape[d];
  if (op.getKind() != train::ReduceKind::add || reduced != rows)
    return std::nullopt;
  int64_t elements = tensorType(op).getNumElements();
  Counts counts(elements);
  for (int64_t i = 0; i < elements; ++i) {
    SmallVector<int64_t> at(shape.size());
    int64_t rest = i;
    for (int64_t d = shape.size() - 1; d >= 0; --d) {
      if (llvm::is_contained(op.getDims(), d)) {
        at[d] = AxisEvaluator::along;
        continue;
      }
      at[d] = rest % shape[d];
      rest /= shape[d];
    }
    std::optional<AxisTable> numbers = evaluator.evaluate(op.getOperand(), at);
    if (!numbers)
      return std::nullopt;
    for (int64_t key = 0; key < keys; ++key)
      if (double number = (*numbers)[numbers->size() == 1 ? 0 : key];
          number != 0)
        counts[i].terms.push_back({key, number});
  }
  return counts;
}

std::optional<GroupCounts::Counts> GroupCounts::move(Operation *op) {
  Value v = op->getResult(0);
  ArrayRef<int64_t> shape = shapeOf(v);
  Counts counts(tensorType(v).getNumElements());
  train::IndexContext context;
  for (auto [i, count] : llvm::enumerate(counts)) {
    train::ElementIndex at =
        context.delinearize(train::IndexExpr(int64_t(i)), shape);
    auto sources = context.sources(op, at);
    if (sources.empty() || !sources[0].conditions.empty())
      return std::nullopt;
    train::IndexExpr from =
        context.linearize(sources[0].index, shapeOf(sources[0].value));
    std::shared_ptr<const Counts> source = find(sources[0].value);
    if (!source || !from.isConstant())
      return std::nullopt;
    count = (*source)[from.constant];
  }
  return counts;
}

std::optional<GroupCounts::Counts> GroupCounts::addUp(Operation *op) {
  Value v = op->getResult(0);
  ArrayRef<int64_t> shape = shapeOf(v);
  int64_t elements = tensorType(v).getNumElements();
  Counts counts(elements);
  auto operand = [&](unsigned i) { return find(op->getOperand(i)); };
  auto strides = [](ArrayRef<int64_t> extents) {
    SmallVector<int64_t> result(extents.size(), 1);
    for (int64_t d = int64_t(extents.size()) - 2; d >= 0; --d)
      result[d] = result[d + 1] * extents[d + 1];
    return result;
  };
  if (isa<train::AddOp, train::SubOp>(op)) {
    auto x = operand(0), y = operand(1);
    if (!x || !y)
      return std::nullopt;
    for (int64_t i = 0; i < elements; ++i) {
      counts[i] = (*x)[i];
      accumulate(counts[i], (*y)[i], isa<train::AddOp>(op) ? 1 : -1);
    }
    return counts;
  }
  if (auto select = dyn_cast<train::SelectOp>(op)) {
    auto pred = operand(0), x = operand(1), y = operand(2);
    if (!pred || !x || !y)
      return std::nullopt;
    for (int64_t i = 0; i < elements; ++i) {
      if (!(*pred)[i].terms.empty())
        return std::nullopt;
      counts[i] = (*pred)[i].constant != 0 ? (*x)[i] : (*y)[i];
    }
    return counts;
  }
  if (isa<train::ConvertOp, train::StopGradientOp>(op)) {
    auto x = operand(0);
    auto type = dyn_cast<IntegerType>(tensorType(v).getElementType());
    if (!x || (type && type.getWidth() < 32))
      return std::nullopt;
    return *x;
  }
  if (auto reduce = dyn_cast<train::ReduceOp>(op)) {
    auto x = operand(0);
    if (!x || reduce.getKind() != train::ReduceKind::add)
      return std::nullopt;
    ArrayRef<int64_t> from = shapeOf(reduce.getOperand());
    SmallVector<int64_t> to(from.size(), 0), steps = strides(from);
    int64_t step = elements;
    for (auto [d, extent] : llvm::enumerate(from))
      if (!llvm::is_contained(reduce.getDims(), int64_t(d)))
        to[d] = step /= extent;
    for (auto [i, count] : llvm::enumerate(*x)) {
      int64_t target = 0;
      for (auto [d, extent] : llvm::enumerate(from))
        target += int64_t(i) / steps[d] % extent * to[d];
      accumulate(counts[target], count, 1);
    }
    return counts;
  }
  if (auto cumulative = dyn_cast<train::CumulativeOp>(op)) {
    auto x = operand(0);
    if (!x || cumulative.getKind() != train::ReduceKind::add)
      return std::nullopt;
    int64_t dim = cumulative.getDim(), step = strides(shape)[dim];
    for (int64_t k = 0; k < elements; ++k) {
      int64_t i = cumulative.getReverse() ? elements - 1 - k : k,
              position = i / step % shape[dim];
      counts[i] = (*x)[i];
      if (position != (cumulative.getReverse() ? shape[dim] - 1 : 0))
        accumulate(counts[i],
                   counts[cumulative.getReverse() ? i + step : i - step], 1);
    }
    return counts;
  }
  if (auto windows = dyn_cast<train::ReduceWindowOp>(op)) {
    auto x = operand(0);
    if (!x || windows.getKind() != train::ReduceKind::add ||
        shape.size() != 1 || windows.getBaseDilation()[0] != 1)
      return std::nullopt;
    for (int64_t i = 0; i < elements; ++i)
      for (int64_t k = 0; k < windows.getWindow()[0]; ++k) {
        int64_t from = i * windows.getStrides()[0] +
                       k * windows.getWindowDilation()[0] -
                       windows.getPadLow()[0];
        if (from >= 0 && from < int64_t(x->size()))
          accumulate(counts[i], (*x)[from], 1);
      }
    return counts;
  }
  // Constants do not depend on the keys.
  SmallVector<int64_t> steps = strides(shape);
  for (int64_t i = 0; i < elements; ++i) {
    SmallVector<int64_t> at;
    for (auto [d, extent] : llvm::enumerate(shape))
      at.push_back(i / steps[d] % extent);
    std::optional<AxisTable> number = inBatch.evaluate(v, at);
    if (!number || number->size() != 1)
      return std::nullopt;
    counts[i].constant = (*number)[0];
  }
  return counts;
}

} // namespace zcc
