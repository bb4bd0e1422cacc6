// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proof of order that zrun holds a file to, of the text of phase `planned`.
#ifndef ZCC_COMPILER_EMISSION_VERIFYORDER_H
#define ZCC_COMPILER_EMISSION_VERIFYORDER_H

#include "mlir/Pass/Pass.h"

namespace zcc {

/// zcc-verify-order: streams and events order all accesses to a byte of which
/// one writes, by address (runtime/format/OrderProof.h). Follows
/// zcc-verify-plan; errors are at the later step.
std::unique_ptr<mlir::Pass> createVerifyOrder();

} // namespace zcc

#endif
