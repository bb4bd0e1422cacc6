// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixtures of experts sort the rows of a batch by their expert, multiply each
// group of rows with its expert's matrices, and bring the rows back to their
// tokens. The order of the rows is then a detail: the result of a row depends
// on the row and its expert alone. But a sort needs the whole batch, and so
// would everything between the two permutations.
//
// This pass follows the sorted rows from the sort on. Each op that treats all
// rows alike, which its factor rule says, gets a copy that computes the same in
// the batch's order. A row belonged to a group by its place among the sorted
// rows, and belongs to it by its key now. If every path ends where the order no
// longer matters, the copies replace the sorted rows. Ends are gathers by the
// inverse permutation, scatters by the permutation, and sums over the rows. If
// a path ends elsewhere, nothing changes.
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Import/AxisTable.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Entry.h"
#include "passes/Import/GroupCounts.h"
#include "passes/Import/Import.h"

using namespace mlir;
using zcc::train::FactorRule;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
#define GEN_PASS_DEF_UNSORTROWS
#include "passes/Import/Passes.h.inc"

namespace {
/// A key with more values makes no groups.
constexpr int64_t maxKeys = 4096;

/// Returns n if all elements of the integers are known to be in [0, n).
std::optional<int64_t> findBound(Value v) {
  while (Operation *op = v.getDefiningOp()) {
    if (auto sort = dyn_cast<train::SortOp>(op)) {
      v = sort.getInputs()[cast<OpResult>(v).getResultNumber()];
    } else if (isa<train::ReshapeOp, train::TransposeOp, train::SliceOp,
                   train::BroadcastOp, train::StopGradientOp>(op)) {
      v = op->getOperand(0);
    } else if (auto convert = dyn_cast<train::ConvertOp>(op)) {
      auto type = dyn_cast<IntegerType>(tensorType(v).getElementType());
      if (!type || type.getWidth() < 32 || train::isFloat(convert.getOperand()))
        return std::nullopt;
      v = convert.getOperand();
    } else if (auto iota = dyn_cast<train::IotaOp>(op)) {
      if (iota.getOrigin())
        return std::nullopt;
      return shapeOf(v)[iota.getDim()];
    } else if (auto arg = dyn_cast<train::ArgReduceOp>(op)) {
      return shapeOf(arg.getOperand())[arg.getDim()];
    } else if (auto clamp = dyn_cast<train::ClampOp>(op)) {
      std::optional<double> low = train::getSplat(clamp.getLow()),
                            high = train::getSplat(clamp.getHigh());
      if (!low || !high || *low < 0 || *high < *low || *high > maxKeys)
        return std::nullopt;
      return int64_t(*high) + 1;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Returns the dim that is this factor alone; nullopt if there is none.
std::optional<int64_t> findDim(const FactorRule::Tensor &dims,
                               unsigned factor) {
  for (auto [d, factors] : llvm::enumerate(dims))
    if (llvm::is_contained(factors, factor))
      return factors.size() == 1 ? std::optional<int64_t>(d) : std::nullopt;
  return std::nullopt;
}

bool hasFactor(const FactorRule::Tensor &dims, unsigned factor) {
  return llvm::any_of(dims, [&](const FactorRule::Dim &factors) {
    return llvm::is_contained(factors, factor);
  });
}

/// Rows sorted by one key, and the values that replace them.
class Unsorter {
public:
  Unsorter(Value key, int64_t keys)
      : key(key), rows(shapeOf(key)[0]),
        numbers(AxisEvaluator::Axis::Number, keys),
        sortedNumbers(AxisEvaluator::Axis::Number, keys),
        positions(AxisEvaluator::Axis::Position, rows),
        counts(numbers, sortedNumbers, rows, keys) {
    numbers.addCounter(key);
  }

  /// Follows the rows through the ops of the block. Returns false, and leaves
  /// the block as it was, if their order matters somewhere.
  bool run(Block &block);

private:
  /// A value whose dim `dim` has the sorted rows; `value` has those rows in the
  /// batch's order.
  struct Rows {
    Value value;
    int64_t dim;
  };

  Value key;
  int64_t rows;
  AxisEvaluator numbers, sortedNumbers; // of the keys, and of the sorted keys
  AxisEvaluator positions;              // of the rows
  GroupCounts counts;
  llvm::MapVector<Value, Rows> sorted;
  /// Values that are computed of rows, but of none in particular, and the
  /// values that are to replace them.
  SmallVector<std::pair<Value, Value>> ends;
  DenseSet<Value> inverses; // computed from the inverse permutation
  SmallVector<Operation *> created;

  template <typename Op, typename... Args>
  Value make(OpBuilder &b, Location loc, Args &&...args) {
    auto op = Op::create(b, loc, std::forward<Args>(args)...);
    created.push_back(op);
    return op->getResult(0);
  }
  Operation *copy(OpBuilder &b, Operation *op, ArrayRef<Value> operands);

  bool visit(Operation *op);
  bool visitSort(train::SortOp op);
  bool visitGather(train::GatherOp op);
  bool visitScatter(train::ScatterOp op);
  bool visitAlike(Operation *op);
  bool visitInverse(Operation *op);
  void end(Operation *op, Value value) {
    ends.push_back({op->getResult(0), value});
  }

  bool isSortedByKey(Operation *op) {
    auto sort = dyn_cast<train::SortOp>(op);
    return sort && sort.getInputs()[0] == key && !sort.getDescending();
  }
  /// Returns true if `v` has the permutation along its only long dim: the row
  /// of the batch that is at each place of the sorted rows.
  bool isPermutation(Value v);
  bool countsRows(Value v, int64_t dim);
  bool isUniform(Value v, int64_t dim);
  Value asRows(OpBuilder &b, Value v, int64_t dim);
  Value asGroup(OpBuilder &b, train::CompareOp op, int64_t dim);
  Value asKeys(OpBuilder &b, Value v, Type element);
  Value repeated(OpBuilder &b, train::GatherOp op, Value operand,
                 Value indices);
  Value addedUp(OpBuilder &b, train::ScatterOp op, Value indices,
                Value updates);
  std::optional<int64_t> findRepeats(Value indices, int64_t vectorDim,
                                     int64_t extent);
};

Operation *Unsorter::copy(OpBuilder &b, Operation *op,
                          ArrayRef<Value> operands) {
  Operation *result = b.clone(*op);
  result->setOperands(operands);
  created.push_back(result);
  return result;
}

bool Unsorter::run(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  bool alike = llvm::all_of(ops, [&](Operation *op) { return visit(op); });
  if (!alike || ends.empty()) {
    for (Operation *op : llvm::reverse(created))
      op->erase();
    return false;
  }
  for (auto [from, to] : ends)
    from.replaceAllUsesWith(to);
  // Now no row needs the sort.
  for (const SmallVector<Operation *> &list : {created, ops})
    for (Operation *op : llvm::reverse(list))
      if (isOpTriviallyDead(op))
        op->erase();
  return true;
}

bool Unsorter::visit(Operation *op) {
  if (isSortedByKey(op)) {
    auto sort = cast<train::SortOp>(op);
    for (auto [in, out] : llvm::zip_equal(sort.getInputs(), sort.getSorted())) {
      if (sorted.contains(in) || inverses.contains(in))
        return false;
      sorted.insert({out, {in, 0}});
    }
    sortedNumbers.addCounter(sort.getSorted()[0]);
    return true;
  }
  bool hasRows = llvm::any_of(op->getOperands(),
                              [&](Value v) { return sorted.contains(v); }),
       hasInverse = llvm::any_of(op->getOperands(),
                                 [&](Value v) { return inverses.contains(v); });
  if (!hasRows && !hasInverse)
    return true;
  if (op->getNumRegions() != 0 || op->getNumResults() == 0)
    return false;
  if (auto sort = dyn_cast<train::SortOp>(op); sort && visitSort(sort))
    return true;
  if (auto gather = dyn_cast<train::GatherOp>(op);
      gather && visitGather(gather))
    return true;
  if (auto scatter = dyn_cast<train::ScatterOp>(op);
      scatter && visitScatter(scatter))
    return true;
  return hasInverse ? visitInverse(op) : visitAlike(op);
}

// ---------------------------------------------------------------- the order

bool Unsorter::countsRows(Value v, int64_t dim) {
  SmallVector<int64_t> at(shapeOf(v).size(), 0);
  if (shapeOf(v)[dim] != rows)
    return false;
  // Elements must not depend on other dims.
  for (auto [d, extent] : llvm::enumerate(shapeOf(v)))
    if (int64_t(d) != dim && extent != 1 && !isUniform(v, d))
      return false;
  at[dim] = AxisEvaluator::along;
  return countsUp(positions.evaluate(v, at), rows);
}

bool Unsorter::isPermutation(Value v) {
  auto it = sorted.find(v);
  return it != sorted.end() && countsRows(it->second.value, it->second.dim);
}

/// Sorting by the permutation brings rows back. Sorting 0, 1, ... so gives the
/// inverse permutation.
bool Unsorter::visitSort(train::SortOp op) {
  if (op.getDescending() || shapeOf(op.getInputs()[0]).size() != 1 ||
      !isPermutation(op.getInputs()[0]))
    return false;
  for (auto [in, out] : llvm::zip_equal(op.getInputs(), op.getSorted())) {
    if (auto it = sorted.find(in); it != sorted.end())
      ends.push_back({out, it->second.value});
    else if (countsRows(in, 0))
      inverses.insert(out);
    else if (!out.use_empty())
      return false;
  }
  return true;
}

/// Values that are computed from the inverse permutation are looked at where
/// they are used as indices.
bool Unsorter::visitInverse(Operation *op) {
  if (!op->hasTrait<train::ElementwiseOp>() &&
      !isa<train::ReshapeOp, train::BroadcastOp>(op))
    return false;
  if (llvm::any_of(op->getOperands(),
                   [&](Value v) { return sorted.contains(v); }))
    return false;
  inverses.insert(op->getResult(0));
  return true;
}

/// Returns n if the indices of the rows are 0 (n times), 1 (n times), ...,
/// extent - 1.
std::optional<int64_t> Unsorter::findRepeats(Value indices, int64_t vectorDim,
                                             int64_t extent) {
  ArrayRef<int64_t> shape = shapeOf(indices);
  if (shape.empty() || shape[0] != rows || extent == 0 || rows % extent != 0 ||
      vectorDim != 1 || tensorType(indices).getNumElements() != rows)
    return std::nullopt;
  SmallVector<int64_t, 2> at(shape.size(), 0);
  at[0] = AxisEvaluator::along;
  std::optional<AxisTable> table = positions.evaluate(indices, at);
  int64_t repeats = rows / extent;
  if (!table || int64_t(table->size()) != rows)
    return std::nullopt;
  for (int64_t i = 0; i < rows; ++i)
    if ((*table)[i] != double(i / repeats))
      return std::nullopt;
  return repeats;
}

/// Returns a gather of rows 0 (n times), 1 (n times), ... as copies, or null.
Value Unsorter::repeated(OpBuilder &b, train::GatherOp op, Value operand,
                         Value indices) {
  SmallVector<int64_t> shape(shapeOf(operand)), whole(shape);
  std::optional<int64_t> repeats =
      shape.empty() ? std::nullopt
                    : findRepeats(indices, op.getIndexVectorDim(), shape[0]);
  whole.front() = 1;
  if (!repeats || op.getCollapsedSliceDims() != ArrayRef<int64_t>{0} ||
      op.getStartIndexMap() != ArrayRef<int64_t>{0} ||
      llvm::is_contained(op.getOffsetDims(), 0) ||
      !op.getOperandBatchingDims().empty() ||
      op.getSliceSizes() != ArrayRef(whole))
    return {};
  if (*repeats == 1)
    return operand;
  SmallVector<int64_t> dims{0}, copies(shape);
  for (int64_t d = 1, e = shape.size(); d < e; ++d)
    dims.push_back(d + 1);
  copies.insert(copies.begin() + 1, *repeats);
  Value all = make<train::BroadcastOp>(
      b, op.getLoc(), tensorType(operand).clone(copies), operand, dims);
  return make<train::ReshapeOp>(b, op.getLoc(), op.getType(), all);
}

bool Unsorter::visitGather(train::GatherOp op) {
  OpBuilder b(op);
  auto of = sorted.find(op.getOperand()), by = sorted.find(op.getIndices());
  if (inverses.contains(op.getIndices()) && of != sorted.end()) {
    // The inverse permutation brings whole rows back.
    auto [value, dim] = of->second;
    ArrayRef<int64_t> shape = shapeOf(op.getOperand()),
                      at = shapeOf(op.getIndices());
    SmallVector<int64_t> sizes(shape), place(at.size(), 0);
    sizes[dim] = 1;
    bool whole = shape == shapeOf(op) && op.getIndexVectorDim() == 1 &&
                 op.getCollapsedSliceDims() == ArrayRef<int64_t>{dim} &&
                 op.getStartIndexMap() == ArrayRef<int64_t>{dim} &&
                 op.getSliceSizes() == ArrayRef(sizes) &&
                 !llvm::is_contained(op.getOffsetDims(), dim) && !at.empty() &&
                 at[0] == rows;
    if (!whole)
      return false;
    // The inverse's own elements are the axis here.
    AxisEvaluator elements(AxisEvaluator::Axis::Number, rows);
    for (Value v : inverses)
      if (Operation *source = v.getDefiningOp();
          isa<train::SortOp, train::ScatterOp>(source))
        elements.addCounter(v);
    place[0] = AxisEvaluator::along;
    if (!countsUp(elements.evaluate(op.getIndices(), place), rows))
      return false;
    end(op, value);
    return true;
  }
  if (by == sorted.end() || of != sorted.end() || by->second.dim != 0)
    return false;
  Value copies = repeated(b, op, op.getOperand(), by->second.value);
  if (!copies)
    return false;
  sorted.insert({op.getResult(), {copies, 0}});
  return true;
}

/// Returns a scatter of rows that are added to row 0 (n times), 1 (n times),
/// ... as a sum, or null.
Value Unsorter::addedUp(OpBuilder &b, train::ScatterOp op, Value indices,
                        Value updates) {
  SmallVector<int64_t> shape(shapeOf(op));
  std::optional<int64_t> repeats =
      shape.empty() ? std::nullopt
                    : findRepeats(indices, op.getIndexVectorDim(), shape[0]);
  if (!repeats || op.getInsertedWindowDims() != ArrayRef<int64_t>{0} ||
      op.getOperandDimsMap() != ArrayRef<int64_t>{0} ||
      llvm::is_contained(op.getUpdateWindowDims(), 0) ||
      !op.getOperandBatchingDims().empty() ||
      shapeOf(updates).drop_front() != ArrayRef(shape).drop_front())
    return {};
  Value sum = updates;
  if (*repeats != 1) {
    SmallVector<int64_t> parts(shape);
    parts.insert(parts.begin() + 1, *repeats);
    sum = make<train::ReshapeOp>(b, op.getLoc(),
                                 tensorType(updates).clone(parts), updates);
    sum = make<train::ReduceOp>(b, op.getLoc(), op.getType(), sum,
                                ArrayRef<int64_t>{1}, train::ReduceKind::add);
  }
  return train::getSplat(op.getOperand()) == 0.0
             ? sum
             : make<train::AddOp>(b, op.getLoc(), op.getType(), op.getOperand(),
                                  sum);
}

bool Unsorter::visitScatter(train::ScatterOp op) {
  OpBuilder b(op);
  auto by = sorted.find(op.getIndices()), of = sorted.find(op.getUpdates());
  if (by == sorted.end() || by->second.dim != 0 ||
      sorted.contains(op.getOperand()))
    return false;
  Value indices = by->second.value;
  if (op.getKind() == train::ReduceKind::replace) {
    // Every row is written once, at the place it came from.
    bool whole = findRepeats(indices, op.getIndexVectorDim(),
                             shapeOf(op).empty() ? 0 : shapeOf(op)[0]) == 1 &&
                 op.getInsertedWindowDims() == ArrayRef<int64_t>{0} &&
                 op.getOperandDimsMap() == ArrayRef<int64_t>{0} &&
                 op.getOperandBatchingDims().empty() &&
                 !llvm::is_contained(op.getUpdateWindowDims(), 0) &&
                 shapeOf(op.getUpdates()) == shapeOf(op);
    if (!whole)
      return false;
    if (of != sorted.end())
      end(op, of->second.value);
    else if (shapeOf(op).size() == 1 && countsRows(op.getUpdates(), 0))
      inverses.insert(op.getResult());
    else
      return false;
    return true;
  }
  if (op.getKind() != train::ReduceKind::add || of == sorted.end() ||
      of->second.dim != 0)
    return false;
  Value sum = addedUp(b, op, indices, of->second.value);
  if (!sum)
    return false;
  end(op, sum);
  return true;
}

// ---------------------------------------------------------------- rows alike

/// Copies an op that treats all rows alike.
bool Unsorter::visitAlike(Operation *op) {
  auto shardable = dyn_cast<train::ShardableOpInterface>(op);
  if (!shardable || isa<train::SortOp>(op))
    return false;
  FactorRule rule = shardable.getFactorRule();
  std::optional<unsigned> factor;
  for (auto [i, v] : llvm::enumerate(op->getOperands()))
    if (auto it = sorted.find(v); it != sorted.end()) {
      const FactorRule::Dim &dim = rule.operands[i][it->second.dim];
      if (dim.size() != 1 || (factor && *factor != dim.front()))
        return false;
      factor = dim.front();
    }
  const FactorRule::Factor &of = rule.factors[*factor];
  bool sums = of.kind == FactorRule::Kind::Reduce && !of.picked &&
              of.reduction != train::ReduceKind::replace;
  if (of.size != rows || rule.needsNeighbors(*factor) ||
      (!sums && of.kind != FactorRule::Kind::Pass))
    return false;
  OpBuilder b(op);
  SmallVector<Value> operands;
  for (auto [i, v] : llvm::enumerate(op->getOperands())) {
    auto it = sorted.find(v);
    if (it != sorted.end()) {
      if (findDim(rule.operands[i], *factor) != it->second.dim)
        return false;
      operands.push_back(it->second.value);
    } else if (hasFactor(rule.operands[i], *factor)) {
      std::optional<int64_t> dim = findDim(rule.operands[i], *factor);
      Value same = dim ? asRows(b, v, *dim) : Value();
      if (!same)
        return false;
      operands.push_back(same);
    } else {
      operands.push_back(v);
    }
  }
  Operation *same = copy(b, op, operands);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    if (!hasFactor(rule.results[i], *factor)) {
      if (!sums)
        return false;
      ends.push_back({result, same->getResult(i)});
      continue;
    }
    std::optional<int64_t> dim = findDim(rule.results[i], *factor);
    if (!dim)
      return false;
    sorted.insert({result, {same->getResult(i), *dim}});
  }
  return true;
}

bool Unsorter::isUniform(Value v, int64_t dim) {
  if (shapeOf(v)[dim] == 1 || train::getSplat(v))
    return true;
  Operation *op = v.getDefiningOp();
  if (!op)
    return false;
  if (auto iota = dyn_cast<train::IotaOp>(op))
    return int64_t(iota.getDim()) != dim;
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    for (auto [i, d] : llvm::enumerate(broadcast.getDims()))
      if (d == dim)
        return isUniform(broadcast.getOperand(), i);
    return true;
  }
  return op->hasTrait<train::ElementwiseOp>() &&
         llvm::all_of(op->getOperands(),
                      [&](Value x) { return isUniform(x, dim); });
}

/// `v` has a value for each place among the sorted rows, which depends on the
/// group that is there. Returns it for each row in the batch's order, or null.
Value Unsorter::asRows(OpBuilder &b, Value v, int64_t dim) {
  if (isUniform(v, dim))
    return v;
  Operation *op = v.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0)
    return {};
  if (auto compare = dyn_cast<train::CompareOp>(op))
    if (Value group = asGroup(b, compare, dim))
      return group;
  if (!op->hasTrait<train::ElementwiseOp>() &&
      !isa<train::BroadcastOp, train::ReshapeOp, train::TransposeOp>(op))
    return {};
  FactorRule rule = cast<train::ShardableOpInterface>(op).getFactorRule();
  if (rule.results[0][dim].size() != 1)
    return {};
  unsigned factor = rule.results[0][dim].front();
  SmallVector<Value> operands;
  for (auto [i, x] : llvm::enumerate(op->getOperands())) {
    std::optional<int64_t> from = findDim(rule.operands[i], factor);
    if (!from && hasFactor(rule.operands[i], factor))
      return {};
    Value same = x;
    if (auto it = sorted.find(x); it != sorted.end())
      same = from == it->second.dim ? it->second.value : Value();
    else if (from)
      same = asRows(b, x, *from);
    if (!same)
      return {};
    operands.push_back(same);
  }
  return copy(b, op, operands)->getResult(0);
}

/// If v has the first row of keys' groups, returns those keys; else null.
/// Other dims than v's own are repeated.
Value Unsorter::asKeys(OpBuilder &b, Value v, Type element) {
  if (auto broadcast = v.getDefiningOp<train::BroadcastOp>()) {
    Value of = asKeys(b, broadcast.getOperand(), element);
    return of ? make<train::BroadcastOp>(b, broadcast.getLoc(), v.getType(), of,
                                         broadcast.getDims())
              : Value();
  }
  std::optional<SmallVector<int64_t>> starts = counts.findStarts(v);
  if (!starts)
    return {};
  SmallVector<APInt> keys;
  for (int64_t key : *starts)
    keys.emplace_back(element.getIntOrFloatBitWidth(), key);
  return make<train::ConstantOp>(b, v.getLoc(),
                                 DenseElementsAttr::get(tensorType(v), keys));
}

/// A row is at or after the first of key k's group exactly if its key is not
/// less than k. Returns this comparison of keys, or null.
Value Unsorter::asGroup(OpBuilder &b, train::CompareOp op, int64_t dim) {
  using Direction = train::CompareDirection;
  bool rowFirst = countsRows(op.getLhs(), dim);
  Value row = rowFirst ? op.getLhs() : op.getRhs(),
        bound = rowFirst ? op.getRhs() : op.getLhs();
  Direction direction = op.getDirection();
  bool fits = rowFirst
                  ? direction == Direction::GE || direction == Direction::LT
                  : direction == Direction::LE || direction == Direction::GT;
  Type element = tensorType(row).getElementType();
  if (!fits || !isa<IntegerType>(element) || !countsRows(row, dim) ||
      !isUniform(bound, dim))
    return {};
  Value keys = asKeys(b, bound, element);
  if (!keys)
    return {};
  Value own = key;
  if (tensorType(key).getElementType() != element)
    own = make<train::ConvertOp>(b, op.getLoc(), tensorType(key).clone(element),
                                 key);
  if (own.getType() != row.getType())
    own = make<train::BroadcastOp>(b, op.getLoc(), row.getType(), own,
                                   ArrayRef<int64_t>{dim});
  return copy(b, op,
              rowFirst ? SmallVector<Value>{own, keys}
                       : SmallVector<Value>{keys, own})
      ->getResult(0);
}

struct UnsortRows : impl::UnsortRowsBase<UnsortRows> {
  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry)
      return;
    // Ops that a sort no longer serves are erased, and other keys may be among
    // them: keys are looked for anew each time.
    while (unsortByOneKey(entry.getBody().front()))
      ;
  }

private:
  /// Returns true if rows that one key sorts keep the batch's order from now
  /// on.
  static bool unsortByOneKey(Block &block) {
    llvm::SetVector<Value> keys;
    for (auto sort : block.getOps<train::SortOp>()) {
      Value key = sort.getInputs()[0];
      if (shapeOf(key).size() == 1 && !sort.getDescending() &&
          isa<IntegerType>(tensorType(key).getElementType()))
        keys.insert(key);
    }
    return llvm::any_of(keys, [&](Value key) {
      std::optional<int64_t> bound = findBound(key);
      return bound && *bound <= maxKeys && Unsorter(key, *bound).run(block);
    });
  }
};
} // namespace
} // namespace zcc
