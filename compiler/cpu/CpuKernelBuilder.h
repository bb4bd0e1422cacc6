// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds kernels for CPU cores: a call does a range of items one after the
// other, several lanes at a time (Codegen.h documents the calling convention).
#ifndef ZCC_COMPILER_CPU_CPUKERNELBUILDER_H
#define ZCC_COMPILER_CPU_CPUKERNELBUILDER_H

#include "compiler/codegen/KernelBuilder.h"
#include "compiler/cpu/Codegen.h"

namespace zcc {

class CpuKernelBuilder : public KernelBuilder {
public:
  CpuKernelBuilder(llvm::Module &module, mlir::func::FuncOp func,
                   const CpuLevel &target, const CodegenOptions &options);

  const CpuLevel &target;
  const CodegenOptions &options;

  void forEachItem(llvm::function_ref<void(llvm::Value *)> body) override {
    loop(begin, end, 1, body);
  }
  llvm::Value *scratch(uint64_t bytes) override;
  unsigned vectorBytes() const override { return target.vectorBytes; }
  llvm::Value *gather(const TensorBuffer &buffer, llvm::Value *offsets,
                      llvm::Value *mask = nullptr) override;

private:
  llvm::Value *hidden(llvm::Value *v) override;
  llvm::Value *begin, *end; // i64: the items to do
  llvm::Value *scratchBase;
};

} // namespace zcc

#endif
