// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the region of a reduction or of a sort does. It is understood by its one
// op, or, for the index of a maximum and for comparators, by what it computes
// on a few values that tell the cases apart.
#ifndef ZCC_PASSES_IMPORT_READREGION_H
#define ZCC_PASSES_IMPORT_READREGION_H

#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/Train.h"

namespace zcc {

/// The way in which a region combines its two arguments (f32, i32, ...
/// scalars), if it is one of train's.
std::optional<train::ReduceKind> getReduceKind(mlir::Region &region);
/// The same of result `k` of n and arguments k and n + k.
std::optional<train::ReduceKind> getReduceKind(mlir::Region &region,
                                               unsigned k);

/// Whether (value, index) pairs are reduced to the largest (smallest) value at
/// the least index, the first NaN if there is one.
bool isArgReduce(mlir::Region &region, mlir::Type element, mlir::Type indexType,
                 bool maximum);

/// An operand by which a comparator orders, after those before it.
struct SortKey {
  unsigned operand;
  bool descending;
};
/// Empty if the comparator orders in another way.
llvm::SmallVector<SortKey> findSortKeys(stablehlo::SortOp op);

} // namespace zcc

#endif
