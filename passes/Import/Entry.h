// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the function that import works on.
#ifndef ZCC_PASSES_IMPORT_ENTRY_H
#define ZCC_PASSES_IMPORT_ENTRY_H

#include "dialects/Train/AttributeNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace zcc {

/// Returns @main of a module that JAX printed, else @loss or @init of a graph;
/// null if there is none.
inline mlir::func::FuncOp findEntry(mlir::ModuleOp module) {
  for (llvm::StringRef name :
       {llvm::StringRef("main"), llvm::StringRef(lossFunctionName),
        llvm::StringRef(initFunctionName)})
    if (auto f = module.lookupSymbol<mlir::func::FuncOp>(name))
      return f;
  return {};
}

} // namespace zcc

#endif
