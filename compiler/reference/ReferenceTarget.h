// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target `reference`: kernels are programs, which runtime/reference
// interprets. Any ops may form a kernel; all arithmetic is supported.
#ifndef ZCC_COMPILER_REFERENCE_REFERENCETARGET_H
#define ZCC_COMPILER_REFERENCE_REFERENCETARGET_H

#include "compiler/backend/Target.h"

namespace zcc {

class ReferenceTarget : public Target {
public:
  llvm::StringRef getName() const override { return "reference"; }
  using exec::Backend::classify;
  std::optional<exec::KernelForm>
  classify(llvm::ArrayRef<mlir::Operation *> ops,
           llvm::ArrayRef<mlir::Value> outputs,
           std::string *why) const override;
  mlir::FailureOr<CompiledKernels>
  compile(llvm::ArrayRef<mlir::func::FuncOp> kernels, unsigned threads,
          llvm::ArrayRef<LaunchBatch> batches = {}) const override;
};

} // namespace zcc

#endif
