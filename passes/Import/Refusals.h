// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refusals of ops: what is said of one that training has no use for.
#ifndef ZCC_PASSES_IMPORT_REFUSALS_H
#define ZCC_PASSES_IMPORT_REFUSALS_H

#include "dialects/StableHLO/StableHLO.h"

namespace zcc {

/// An error at the op, "'op' cannot be used in training" and why, with a note
/// of what would help: `help`, or what is known to for its kind.
mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why = "",
                           llvm::StringRef help = "");

/// What a call of a function outside of the text is.
std::string describeCall(stablehlo::CustomCallOp call);

} // namespace zcc

#endif
