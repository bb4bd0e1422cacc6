// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rough costs of ops that follow from their kind alone.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_OPWEIGHTS_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_OPWEIGHTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace zcc::distribute {

// Returns true if the op becomes part of the kernels beside it.
bool isFused(mlir::Operation *op);
// Returns true if the op is no kernel of its own, or costs nothing beside the
// kernels that are.
bool isFree(mlir::Operation *op);
// Returns true if the op is not worth moving its operands: it is fused, or only
// moves data itself.
bool isLight(mlir::Operation *op);

// Returns the bytes that the kernel of `op` reads and writes outside of itself:
// neither values that cost nothing to read, nor values between ops that become
// one kernel. The functions give the bytes of operand i and of result i.
double outsideBytes(mlir::Operation *op,
                    llvm::function_ref<double(unsigned)> operandBytes,
                    llvm::function_ref<double(unsigned)> resultBytes);

} // namespace zcc::distribute

#endif
