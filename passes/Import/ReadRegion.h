// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognizes the region of a reduction or of a sort. It goes by the region's
// one op. For the index of a maximum and for comparators it evaluates the
// region on a few values that tell the cases apart.
#ifndef ZCC_PASSES_IMPORT_READREGION_H
#define ZCC_PASSES_IMPORT_READREGION_H

#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/Train.h"

namespace zcc {

/// Returns how a region combines its two arguments (f32, i32, ... scalars);
/// nullopt if train has no such reduction.
std::optional<train::ReduceKind> getReduceKind(mlir::Region &region);
/// Returns the same for result `k` of n, from arguments k and n + k.
std::optional<train::ReduceKind> getReduceKind(mlir::Region &region,
                                               unsigned k);

/// Returns true if the region combines its two arguments as JAX's logaddexp.
bool isLogAddExp(mlir::Region &region);

/// Returns true if the region reduces (value, index) pairs to the largest
/// (smallest) value at the least index, or to the first NaN if there is one.
bool isArgReduce(mlir::Region &region, mlir::Type element, mlir::Type indexType,
                 bool maximum);

/// An operand by which a comparator orders where all earlier keys are equal.
struct SortKey {
  unsigned operand;
  bool descending;
};
/// Returns the keys; empty if the comparator orders in another way.
llvm::SmallVector<SortKey> findSortKeys(stablehlo::SortOp op);

} // namespace zcc

#endif
