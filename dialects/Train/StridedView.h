// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that a kernel reads in place through reshapes, transposes, slices
// and repetitions: a buffer, and a stride for each dim.
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

} // namespace zcc::train

#endif
