// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target `cpu`: kernels by the forms of KernelForm.h, code by Codegen.h.
#ifndef ZCC_COMPILER_CPU_CPUBACKEND_H
#define ZCC_COMPILER_CPU_CPUBACKEND_H

#include "compiler/backend/Target.h"

namespace zcc {

class CpuBackend : public Target {
public:
  /// `cpu` is what code is generated for, a name that getCpuTarget() knows.
  explicit CpuBackend(std::string cpu = "native") : cpu(std::move(cpu)) {}

  llvm::StringRef getName() const override { return "cpu"; }
  std::string findLacking(mlir::Operation *op) const override;
  using exec::Backend::classify;
  std::optional<exec::KernelForm>
  classify(llvm::ArrayRef<mlir::Operation *> ops,
           llvm::ArrayRef<mlir::Value> outputs,
           std::string *why) const override;
  /// What kernels of the form `special` read.
  llvm::SmallVector<mlir::Value>
  getStoredValues(mlir::Operation *op) const override;
  llvm::SmallVector<mlir::Value>
  getComputedOperands(mlir::Operation *op) const override;

  std::string checkDevice() const override;
  mlir::FailureOr<CompiledKernels>
  compile(llvm::ArrayRef<mlir::func::FuncOp> kernels,
          unsigned threads) const override;
  KernelCost getCost(mlir::func::FuncOp kernel) const override; // Prologues.cpp

private:
  std::string cpu;
};

} // namespace zcc

#endif
