// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proves the order of accesses in the text of phase `planned`, like zrun does
// for an executable.
#ifndef ZCC_COMPILER_EMISSION_VERIFYORDER_H
#define ZCC_COMPILER_EMISSION_VERIFYORDER_H

#include "mlir/Pass/Pass.h"

namespace zcc {

/// The pass zcc-verify-order checks that streams and events order every two
/// accesses to the same byte of which one is a write
/// (runtime/format/OrderProof.h). It follows zcc-verify-plan; errors are
/// reported at the later step.
std::unique_ptr<mlir::Pass> createVerifyOrder();

} // namespace zcc

#endif
