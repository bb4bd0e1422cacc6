// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel function does, for the cost model: its products and their
// shapes, other arithmetic, the bytes that it reads and writes.
#ifndef ZCC_COMPILER_BACKEND_KERNELCOST_H
#define ZCC_COMPILER_BACKEND_KERNELCOST_H

#include "compiler/planning/CostModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc {

struct KernelCost {
  llvm::SmallVector<planning::ProductWork, 1> products;
  planning::KernelWork work;
  double threads = 0; // that run it at once, at most; 0: as many as there are
};

/// Of one run of the kernel, as its ops say it: the same on all targets
/// (Target::getCost() may add to it).
KernelCost getKernelCost(mlir::func::FuncOp kernel);

planning::KernelTime getTime(const planning::CostModel &model,
                             const KernelCost &cost);

} // namespace zcc

#endif
