// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rough costs of ops that follow from their kind alone.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_OPWEIGHTS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_OPWEIGHTS_H

#include "mlir/IR/Operation.h"

namespace zcc::dist {

// Returns true if the op becomes part of the kernels beside it.
bool isFused(mlir::Operation *op);
// Returns true if the op is no kernel of its own, or costs nothing beside the
// kernels that are.
bool isFree(mlir::Operation *op);
// Returns true if the op is not worth moving its operands: it is fused, or only
// moves data itself.
bool isLight(mlir::Operation *op);

} // namespace zcc::dist

#endif
