// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ops cost: the one table. Additions are the unit; how long one takes is
// the machine's affair (planning/CostModel.h). Read by plans, the
// simulator, fusion and the choice of residuals. getFlops() is something else:
// operations as people count them, an exponential one.
#ifndef ZCC_DIALECTS_TRAIN_OPCOST_H
#define ZCC_DIALECTS_TRAIN_OPCOST_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace zcc::train {

// "f32", "bf16", ...: as machine descriptions call a type.
llvm::StringRef getTypeName(mlir::Type element);

// Additions that take as long as an element of the op: of its result, or of its
// operand where that is reduced. 0: moves elements, 1: plain arithmetic. Not
// defined for products.
double getElementWeight(mlir::Operation *op);

// Additions to a function: the mean of an exponential, a logarithm and a
// hyperbolic tangent, which is what machines are measured by.
inline constexpr double functionWeight = 25;

// One execution.
struct OpCost {
  // `batch` products of m x k by k x n, and which share of them is computed.
  struct Product {
    int64_t batch = 1, m = 1, n = 1, k = 1;
    llvm::StringRef type = "f32"; // of the operands
    double share = 1;
  };
  double additions = 0, functions = 0; // besides products
  llvm::SmallVector<Product, 1> products;
};
OpCost getCost(mlir::Operation *op);

} // namespace zcc::train

#endif
