// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel function does, for the cost model: its products and their
// shapes, other arithmetic, the bytes that it reads and writes.
#ifndef ZCC_COMPILER_BACKEND_KERNELCOST_H
#define ZCC_COMPILER_BACKEND_KERNELCOST_H

#include "planning/CostModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc {

using planning::KernelCost;

/// Of one run of the kernel, as its ops say it: the same on all targets
/// (Target::getCost() may add to it).
KernelCost getKernelCost(mlir::func::FuncOp kernel);

} // namespace zcc

#endif
