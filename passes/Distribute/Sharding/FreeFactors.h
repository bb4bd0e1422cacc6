// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells which dims an op treats alike whatever the order of their elements.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_FREEFACTORS_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_FREEFACTORS_H

#include "dialects/Train/FactorRule.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SmallBitVector.h"

namespace zcc::distribute {

// Returns the factors whose elements may stand in any order, the same one in
// all operands and results: the op passes them, or sums over them.
// `knowsPlaces`: true if the op, an attention, is told which place each element
// of its sequence has.
llvm::SmallBitVector freeFactors(mlir::Operation *op,
                                 const train::FactorRule &rule,
                                 bool knowsPlaces = false);

// The dims of an op's operands and results that it ties to dims of other
// values: it takes their elements in any order, the same one in all of them.
struct DimTies {
  // No dim is tied.
  explicit DimTies(mlir::Operation *op);
  // Ties the dims that have one factor, a free one. Ops of the update tie
  // nothing, because state keeps its order.
  void tieFreeFactors(mlir::Operation *op, bool knowsPlaces = false);
  // Joins the classes of dims that are tied to each other. `idOf` numbers dims.
  // `passesOn`: true if the op passes on its first operand, dim by dim;
  // otherwise dims with the same factor are tied.
  void join(mlir::Operation *op, bool passesOn,
            llvm::function_ref<unsigned(mlir::Value, unsigned)> idOf,
            llvm::IntEqClasses &classes) const;

  llvm::SmallVector<llvm::SmallBitVector> operands, results;
};

} // namespace zcc::distribute

#endif
