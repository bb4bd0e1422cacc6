// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target whose kernels are generated according to the forms of KernelForm.h.
#ifndef ZCC_COMPILER_CODEGEN_GENERATEDTARGET_H
#define ZCC_COMPILER_CODEGEN_GENERATEDTARGET_H

#include "compiler/backend/Target.h"

namespace zcc {

class GeneratedTarget : public Target {
public:
  std::string findLacking(mlir::Operation *op) const override;
  using exec::Backend::classify;
  std::optional<exec::KernelForm>
  classify(llvm::ArrayRef<mlir::Operation *> ops,
           llvm::ArrayRef<mlir::Value> outputs,
           std::string *why) const override;
  /// Returns the values that a kernel of the form `special` reads from memory.
  llvm::SmallVector<mlir::Value>
  getStoredValues(mlir::Operation *op) const override;
  llvm::SmallVector<mlir::Value>
  getComputedOperands(mlir::Operation *op) const override;
};

} // namespace zcc

#endif
