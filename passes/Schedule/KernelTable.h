// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds the kernels of a module, one for each structure: groups of ops that are
// equal but for locations and discardable attributes share a func.func.
#ifndef ZCC_PASSES_SCHEDULE_KERNELTABLE_H
#define ZCC_PASSES_SCHEDULE_KERNELTABLE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Schedule/Grouping.h"
#include <map>

namespace zcc {

class KernelTable {
public:
  KernelTable(mlir::ModuleOp module, const exec::Backend &backend)
      : module(module), backend(backend) {}

  struct Entry {
    mlir::func::FuncOp kernel;
    llvm::SmallVector<mlir::Value> inputs; // in the order of its arguments
  };
  /// Returns the kernel that computes `body` in that form. Makes it if it is
  /// new.
  Entry get(const KernelBody &body, const exec::KernelForm &form);

private:
  mlir::func::FuncOp make(const KernelBody &body, const exec::KernelForm &form,
                          llvm::ArrayRef<mlir::Value> inputs);

  mlir::ModuleOp module;
  const exec::Backend &backend;
  // Keys are lists of uniqued pointers and numbers. They only serve lookups;
  // nothing depends on their order.
  std::map<std::vector<uintptr_t>, mlir::func::FuncOp> kernels;
};

/// Returns the op that gives a kernel its name: the product or other root of
/// its form, else the last op.
mlir::Operation *mainOp(const KernelBody &body);

} // namespace zcc

#endif
