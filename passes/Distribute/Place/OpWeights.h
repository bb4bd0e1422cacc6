// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an op costs beside its neighbors, as far as its kind alone says.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_OPWEIGHTS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_OPWEIGHTS_H

#include "mlir/IR/Operation.h"

namespace zcc::dist {

// Becomes part of the kernels beside it.
bool isFused(mlir::Operation *op);
// Is no kernel of its own, or costs nothing beside those that are.
bool isFree(mlir::Operation *op);
// Is worth no movement of its operands: fused, or nothing but movement itself.
bool isLight(mlir::Operation *op);

} // namespace zcc::dist

#endif
