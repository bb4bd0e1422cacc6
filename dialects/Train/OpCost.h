// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The costs of all ops in one table. The unit is an addition; the machine says
// how long one takes (planning/CostModel.h). Plans, the simulator, fusion and
// the choice of residuals use it. getFlops() is something else: operations as
// people count them, with an exponential as one.
#ifndef ZCC_DIALECTS_TRAIN_OPCOST_H
#define ZCC_DIALECTS_TRAIN_OPCOST_H

#include "mlir/IR/Operation.h"
#include "planning/ProductKind.h"
#include "llvm/ADT/SmallVector.h"

namespace zcc::train {

// Returns "f32", "bf16", ...: the name of a type in machine descriptions.
llvm::StringRef getTypeName(mlir::Type element);

// Returns the number of additions that take as long as one element of the op's
// result, or of its operand if that is reduced. 0: the op moves elements, 1:
// plain arithmetic. It is not defined for products.
double getElementWeight(mlir::Operation *op);

// The additions of a function: the mean of an exponential, a logarithm and a
// hyperbolic tangent, which machines are measured by.
inline constexpr double functionWeight = 25;

// The cost of one execution.
struct OpCost {
  // `batch` products of m x k by k x n, and the share of them that is computed.
  struct Product {
    int64_t batch = 1, m = 1, n = 1, k = 1;
    llvm::StringRef type = "f32"; // of the operands
    double share = 1;
    planning::ProductKind kind = planning::ProductKind::Matrix;
  };
  double additions = 0, functions = 0; // besides products
  llvm::SmallVector<Product, 1> products;
};
OpCost getCost(mlir::Operation *op);

} // namespace zcc::train

#endif
