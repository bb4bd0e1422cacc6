// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that a backend has an op's arithmetic.
#ifndef ZCC_PASSES_SCHEDULE_CHECKTARGET_H
#define ZCC_PASSES_SCHEDULE_CHECKTARGET_H

#include "dialects/Exec/Backend.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc {

class TargetChecker {
public:
  TargetChecker(const exec::Backend &backend, mlir::MLIRContext *context);

  /// Fails, with an error at the op, if the backend lacks an element type or
  /// the arithmetic of the op.
  mlir::LogicalResult check(mlir::Operation *op) const;

private:
  const exec::Backend &backend;
  llvm::SmallVector<mlir::Type> types;
  llvm::DenseSet<mlir::Type> known, stored;
};

} // namespace zcc

#endif
