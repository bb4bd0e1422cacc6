// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of a kernel with reductions. A reduction whose operand depends on
// another one needs another pass over the row (or the columns): pass p reduces
// operands that depend on reductions of earlier passes only, and stores outputs
// as soon as they are known. Values that a later pass needs again are computed
// again.
#ifndef ZCC_COMPILER_CODEGEN_REDUCEPLAN_H
#define ZCC_COMPILER_CODEGEN_REDUCEPLAN_H

#include "compiler/codegen/KernelForm.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace zcc {

// The number of elements in a block of a column sum (see train.reduce).
inline constexpr int64_t columnBlock = 64;

class ReducePlan {
public:
  explicit ReducePlan(mlir::func::FuncOp func);
  // Plans these reductions and outputs alone: the results of other reductions
  // are given.
  ReducePlan(mlir::func::FuncOp func,
             llvm::ArrayRef<mlir::Operation *> reductions,
             llvm::ArrayRef<unsigned> outputs);

  struct Pass {
    llvm::SmallVector<mlir::Operation *> reductions;
    llvm::SmallVector<unsigned> outputs; // outputs of the full shape
    llvm::SmallVector<mlir::Value> keep; // computed here, read by later passes
  };

  train::IndexContext context;
  codegen::ReduceDomain domain;
  llvm::SmallVector<mlir::Operation *> reductions;
  llvm::SmallVector<mlir::Value> results;  // returned by the function
  llvm::SmallVector<unsigned> keptOutputs; // results of the reduced shape
  llvm::SmallVector<Pass> passes;

  // Returns the values that each pass computes.
  llvm::SmallVector<llvm::SetVector<mlir::Value>> reachedByPass();

private:
  void plan(llvm::ArrayRef<unsigned> outputs);
  unsigned levelOf(mlir::Value v);
  void reach(mlir::Value v, llvm::SetVector<mlir::Value> &seen);
  llvm::DenseMap<mlir::Value, unsigned> levels;
};

} // namespace zcc

#endif
