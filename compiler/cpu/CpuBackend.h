// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target `cpu`: code by Codegen.h.
#ifndef ZCC_COMPILER_CPU_CPUBACKEND_H
#define ZCC_COMPILER_CPU_CPUBACKEND_H

#include "compiler/codegen/GeneratedTarget.h"

namespace zcc {

class CpuBackend : public GeneratedTarget {
public:
  /// `cpu` is what code is generated for, a name that getCpuTarget() knows.
  explicit CpuBackend(std::string cpu = "native") : cpu(std::move(cpu)) {}

  llvm::StringRef getName() const override { return "cpu"; }
  std::string checkDevice() const override;
  mlir::FailureOr<CompiledKernels>
  compile(llvm::ArrayRef<mlir::func::FuncOp> kernels, unsigned threads,
          llvm::ArrayRef<KernelBatch> batches = {}) const override;
  KernelCost getCost(mlir::func::FuncOp kernel) const override; // Prologues.cpp

private:
  std::string cpu;
};

} // namespace zcc

#endif
