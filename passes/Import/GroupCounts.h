// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognizes how many rows have which key, and where the groups of rows begin
// and end once rows are sorted by it.
#ifndef ZCC_PASSES_IMPORT_GROUPCOUNTS_H
#define ZCC_PASSES_IMPORT_GROUPCOUNTS_H

#include "passes/Import/AxisTable.h"
#include "llvm/ADT/DenseMap.h"

namespace zcc {

/// The number constant + sum of coefficient * n[key], where n[key] is the
/// number of rows with that key. Terms are in ascending order of the key, and
/// no coefficient is 0.
struct RowCount {
  double constant = 0;
  llvm::SmallVector<std::pair<int64_t, double>, 2> terms;
};

/// Values that are sums of numbers of rows.
class GroupCounts {
public:
  /// `rows` keys have values in [0, keys). `inBatch` has them as counters in
  /// the order of the batch, `inOrder` sorted.
  GroupCounts(AxisEvaluator &inBatch, AxisEvaluator &inOrder, int64_t rows,
              int64_t keys)
      : inBatch(inBatch), inOrder(inOrder), rows(rows), keys(keys) {}

  /// Returns for each element of `v` the key at which it is the first row of
  /// the sorted rows: the number of rows with a smaller key. Returns nullopt if
  /// some element is another number, or not known.
  std::optional<llvm::SmallVector<int64_t>> findStarts(mlir::Value v);

private:
  using Counts = std::vector<RowCount>; // one for each element, row-major

  AxisEvaluator &inBatch, &inOrder;
  int64_t rows, keys;
  llvm::DenseMap<mlir::Value, std::shared_ptr<const Counts>> known; // or null

  std::shared_ptr<const Counts> find(mlir::Value v);
  std::shared_ptr<const Counts> compute(mlir::Value v);
  std::optional<Counts> countScattered(train::ScatterOp op,
                                       AxisEvaluator &evaluator);
  std::optional<Counts> countReduced(train::ReduceOp op,
                                     AxisEvaluator &evaluator);
  std::optional<Counts> addUp(mlir::Operation *op);
  std::optional<Counts> move(mlir::Operation *op);
};

} // namespace zcc

#endif
