// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the work of a kernel function for the cost model: its products and
// their shapes, other arithmetic, and the bytes that it reads and writes.
#ifndef ZCC_COMPILER_BACKEND_KERNELCOST_H
#define ZCC_COMPILER_BACKEND_KERNELCOST_H

#include "planning/CostModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc {

using planning::KernelCost;

/// The bytes of memory that one run of a kernel reads and writes.
struct KernelBytes {
  double read = 0, written = 0;
};
KernelBytes getKernelBytes(mlir::func::FuncOp kernel);

/// Returns the work of one run of the kernel according to its ops. It is the
/// same on all targets (Target::getCost() may add to it).
KernelCost getKernelCost(mlir::func::FuncOp kernel);

} // namespace zcc

#endif
