// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells which dims an op treats alike whatever the order of their elements.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_FREEFACTORS_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_FREEFACTORS_H

#include "dialects/Train/FactorRule.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallBitVector.h"

namespace zcc::distribute {

// Returns the factors whose elements may stand in any order, the same one in
// all operands and results: the op passes them, or sums over them.
// `knowsPlaces`: true if the op, an attention, is told which place each element
// of its sequence has.
llvm::SmallBitVector freeFactors(mlir::Operation *op,
                                 const train::FactorRule &rule,
                                 bool knowsPlaces = false);

} // namespace zcc::distribute

#endif
