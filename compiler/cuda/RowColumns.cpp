// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/RowColumns.h"
#include "compiler/codegen/ElementWalk.h"
#include "compiler/codegen/KernelForm.h"
#include "compiler/codegen/ReducePlan.h"
#include "dialects/TensorBytes.h"
#include "dialects/Train/OpCost.h"

using namespace mlir;

namespace zcc::cuda {
namespace {

// The blocks of 64 rows that occupy a device of a hundred multiprocessors and
// more, the columns that occupy a block of 512 threads, and the sums along
// columns that a thread holds in registers.
constexpr int64_t leastBlocks = 96, leastColumns = 512, mostSums = 64;
// The most reductions along rows, and the most bytes that the sums of a column
// have, so that they fit into shared memory.
constexpr size_t mostRows = 4, mostBytes = 24;

/// Returns the bytes of the sum of a column: sums in 16 bits are f32, and an
/// extremum has a mark for NaN.
size_t bytesOf(Operation *op) {
  auto reduce = cast<train::ReduceOp>(op);
  size_t bytes = std::max<int64_t>(
      4,
      getElementBytes(train::tensorType(reduce.getOperand()).getElementType()));
  return reduce.getKind() == train::ReduceKind::maximum ||
                 reduce.getKind() == train::ReduceKind::minimum
             ? 2 * bytes
             : bytes;
}

using codegen::ElementWalk;
using codegen::ReduceDomain;

class Finder {
public:
  Finder(ArrayRef<Operation *> ops, ArrayRef<Value> outputs)
      : ops(ops.begin(), ops.end()), outputs(outputs), context(&this->ops) {}

  std::optional<RowColumns> run() {
    if (!findReductions() || !findDomains() || !sortOutputs() || !walkAll())
      return std::nullopt;
    return form;
  }

private:
  bool findReductions() {
    for (Operation *op : ops) {
      if (!codegen::isReduction(op)) {
        if (!codegen::isLoopOp(op))
          return false;
        continue;
      }
      auto reduce = dyn_cast<train::ReduceOp>(op);
      if (!reduce || reduce.getKind() == train::ReduceKind::replace ||
          reduce.getDims().empty())
        return false;
      int64_t last = train::tensorType(reduce.getOperand()).getRank() - 1;
      bool isRow = codegen::reducedDims(op).back() == last;
      (isRow ? form.rows : form.columns).push_back(op);
    }
    size_t bytes = 0;
    for (Operation *op : form.columns)
      bytes += bytesOf(op);
    return !form.rows.empty() && form.rows.size() <= mostRows && bytes > 0 &&
           bytes <= mostBytes;
  }

  bool findDomains() {
    std::optional<ReduceDomain> byRow =
        codegen::getReduceDomain(context, form.rows);
    std::optional<ReduceDomain> byColumn =
        codegen::getReduceDomain(context, form.columns);
    if (!byRow || !byColumn || byRow->outerReduced->extent != 1 ||
        byColumn->kept->extent != 1)
      return false;
    form.rowCount = byRow->kept->extent;
    form.columnCount = byRow->last->extent;
    if (byColumn->outerReduced->extent != form.rowCount ||
        byColumn->last->extent != form.columnCount ||
        int64_t(llvm::divideCeil(form.rowCount, columnBlock)) < leastBlocks ||
        form.columnCount < leastColumns ||
        int64_t(llvm::divideCeil(form.columnCount, leastColumns) *
                form.columns.size()) > mostSums)
      return false;
    rows = *byRow;
    // The variables of both are the same.
    columns.column = true;
    columns.kept = rows.outerReduced;
    columns.outerReduced = rows.kept;
    columns.last = rows.last;
    columns.keptLinear = train::IndexExpr(rows.last);
    columns.fullLinear = rows.fullLinear;
    return llvm::all_of(form.columns, [&](Operation *op) {
      return context.linearize(columns.operandIndex(context, op),
                               train::shapeOf(op->getOperand(0))) ==
             rows.fullLinear;
    });
  }

  static int64_t count(Value value) {
    return train::tensorType(value).getNumElements();
  }
  /// Returns true if the value depends on a reduction along columns.
  bool isOfColumns(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !ops.contains(op))
      return false;
    auto [at, isNew] = ofColumns.try_emplace(op, false);
    if (!isNew)
      return at->second;
    bool is = llvm::is_contained(form.columns, op) ||
              llvm::any_of(op->getOperands(),
                           [&](Value operand) { return isOfColumns(operand); });
    return ofColumns[op] = is;
  }

  bool sortOutputs() {
    for (auto [i, value] : llvm::enumerate(outputs)) {
      int64_t own = count(value);
      if (isOfColumns(value)) {
        if (own != form.columnCount)
          return false;
        form.columnOutputs.push_back(i);
      } else if (own == form.rowCount * form.columnCount) {
        form.fullOutputs.push_back(i);
      } else if (own == form.rowCount) {
        form.rowOutputs.push_back(i);
      } else {
        return false;
      }
    }
    return true;
  }

  /// Follows values back to inputs, where reductions of `known` are given at
  /// the position `at`, and others are not.
  ElementWalk startWalk(ArrayRef<Operation *> known,
                        const train::IndexExpr &at) {
    return ElementWalk(
        context,
        [this, known, at](Value v, const train::ElementIndex &index) {
          Operation *op = v.getDefiningOp();
          if (!op || !ops.contains(op))
            return ElementWalk::Step::Leaf;
          if (!codegen::isReduction(op))
            return ElementWalk::Step::Descend;
          return llvm::is_contained(known, op) &&
                         context.linearize(index, train::shapeOf(v)) == at
                     ? ElementWalk::Step::Leaf
                     : ElementWalk::Step::Illegal;
        },
        8 * ops.size() + 64);
  }
  bool visitOperands(ElementWalk &walk, ArrayRef<Operation *> reductions,
                     const ReduceDomain &domain) {
    return llvm::all_of(reductions, [&](Operation *op) {
      walk.work += static_cast<double>(form.rowCount * form.columnCount) *
                   train::getElementWeight(op);
      return walk.visit(op->getOperand(0), domain.operandIndex(context, op));
    });
  }
  bool visitOutputs(ElementWalk &walk, ArrayRef<unsigned> numbers,
                    const train::IndexExpr &linear) {
    return llvm::all_of(numbers, [&](unsigned i) {
      Value v = outputs[i];
      return walk.visit(v, context.delinearize(linear, train::shapeOf(v)));
    });
  }

  /// As in kernels of rows alone, a value that several passes compute counts
  /// once.
  bool walkAll() {
    ElementWalk elements = startWalk(form.rows, rows.keptLinear),
                sums = startWalk(form.columns, columns.keptLinear);
    if (!visitOperands(elements, form.rows, rows) ||
        !visitOutputs(elements, form.rowOutputs, rows.keptLinear) ||
        !visitOperands(elements, form.columns, columns) ||
        !visitOutputs(elements, form.fullOutputs, rows.fullLinear) ||
        !visitOutputs(sums, form.columnOutputs, columns.keptLinear))
      return false;
    form.work = elements.work + sums.work;
    return true;
  }

  llvm::SetVector<Operation *> ops;
  ArrayRef<Value> outputs;
  train::IndexContext context;
  RowColumns form;
  ReduceDomain rows, columns;
  llvm::DenseMap<Operation *, bool> ofColumns;
};

} // namespace

std::optional<RowColumns> findRowColumns(ArrayRef<Operation *> ops,
                                         ArrayRef<Value> outputs) {
  // Most sets of ops have no two reductions.
  if (outputs.empty() || llvm::count_if(ops, codegen::isReduction) < 2)
    return std::nullopt;
  return Finder(ops, outputs).run();
}

std::optional<RowColumns> findRowColumns(func::FuncOp kernel) {
  std::optional<codegen::KernelBody> body = codegen::getKernelBody(kernel);
  return body ? findRowColumns(body->ops, body->outputs) : std::nullopt;
}

} // namespace zcc::cuda
