// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_PASSES_TRAIN_DOTTRANSPOSES_H
#define ZCC_PASSES_TRAIN_DOTTRANSPOSES_H

#include "dialects/Train/Train.h"
#include <optional>

namespace zcc::train {

/// The operands of a product, and its dimension numbers, by side.
struct DotOperands {
  mlir::Value values[2];
  llvm::SmallVector<int64_t> batching[2], contracting[2];
};

/// Returns the operands of a product with the transposes that make them taken
/// into its dimension numbers, where the dims of the result keep their order;
/// nullopt if no transpose can be. `mayTake` says which transposes may go. The
/// order of the contracted index is that of the lists, which stays.
std::optional<DotOperands>
takeTransposes(DotGeneralOp op, llvm::function_ref<bool(TransposeOp)> mayTake);

} // namespace zcc::train

#endif
