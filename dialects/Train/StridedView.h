// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that a kernel reads in place through reshapes, transposes, slices
// and repetitions, and results that it writes to their places in a transpose or
// a concatenation: a buffer, and a stride for each dim.
#ifndef ZCC_DIALECTS_TRAIN_STRIDEDVIEW_H
#define ZCC_DIALECTS_TRAIN_STRIDEDVIEW_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace zcc::train {

struct StridedView {
  mlir::Value base;
  int64_t offset = 0;                    // in elements
  // One for each dim of the value; 0: repeated.
  llvm::SmallVector<int64_t, 6> strides;
};

/// Returns `value` as a view of the value from which movement makes it.
/// Movement for which `inside` is false is not followed: its result is in
/// memory. Returns nullopt if another op is in between, or if there are no
/// strides.
std::optional<StridedView>
getStridedView(mlir::Value value, llvm::function_ref<bool(mlir::Value)> inside);

/// Returns the value from which the reshapes before `value` make it; `value` if
/// there are none.
mlir::Value beforeReshapes(mlir::Value value);

/// A result of an op as a view of the value that it is a part of.
struct PlacedResult {
  unsigned number; // of the op's results
  StridedView view;
};

/// Returns the places in `output` of the results of `op`, if `output` is a
/// result or consists of results: reshapes, transposes and concatenations of
/// them for which `inside` is true. Each element of `output` is in one place.
/// Returns nullopt if another op is in between, or if there are no strides.
std::optional<llvm::SmallVector<PlacedResult>>
placeResults(mlir::Operation *op, mlir::Value output,
             llvm::function_ref<bool(mlir::Value)> inside);

} // namespace zcc::train

#endif
