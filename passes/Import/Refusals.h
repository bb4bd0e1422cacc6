// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Error messages for ops that cannot be used in training.
#ifndef ZCC_PASSES_IMPORT_REFUSALS_H
#define ZCC_PASSES_IMPORT_REFUSALS_H

#include "dialects/StableHLO/StableHLO.h"

namespace zcc {

/// Reports the error "'op' cannot be used in training" and `why` at the op,
/// with a note of what would help: `help`, or known help for ops of its kind.
/// Returns failure.
mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why = "",
                           llvm::StringRef help = "");

/// Returns a description of a call of a function outside of the text.
std::string describeCall(stablehlo::CustomCallOp call);

} // namespace zcc

#endif
