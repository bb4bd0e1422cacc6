// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target `cuda`: code by Codegen.h, for several kinds of devices at once.
#ifndef ZCC_COMPILER_CUDA_CUDABACKEND_H
#define ZCC_COMPILER_CUDA_CUDABACKEND_H

#include "compiler/backend/WorkspaceTarget.h"
#include "compiler/codegen/GeneratedTarget.h"

namespace zcc {

class CudaBackend : public GeneratedTarget, public WorkspaceTarget {
public:
  /// `devices` are names that cuda::findArchitecture() knows, `ptxas` what
  /// cuda::findPtxas() takes.
  /// With `libraries` products are cuBLASLt's where it has them, convolutions
  /// and attention cuDNN's; `asTf32`: in f32 these may round what they multiply
  /// to tf32.
  explicit CudaBackend(std::vector<std::string> devices = {"host"},
                       std::string ptxas = "none", bool libraries = false,
                       bool asTf32 = false)
      : devices(std::move(devices)), ptxas(std::move(ptxas)),
        libraries(libraries), asTf32(asTf32) {}

  llvm::StringRef getName() const override { return "cuda"; }
  bool runsCollectivesOneByOne() const override { return true; }
  void prepare(mlir::func::FuncOp task) const override;
  llvm::SmallVector<mlir::Value>
  getStoredValues(mlir::Operation *op) const override;
  using GeneratedTarget::classify;
  std::optional<exec::KernelForm>
  classify(llvm::ArrayRef<mlir::Operation *> ops,
           llvm::ArrayRef<mlir::Value> outputs,
           std::string *why) const override;

  std::string checkDevice() const override;
  mlir::FailureOr<CompiledKernels>
  compile(llvm::ArrayRef<mlir::func::FuncOp> kernels, unsigned threads,
          llvm::ArrayRef<KernelBatch> batches = {}) const override;

  /// As the ops say it; products in tf32 are of that type, generated ones of
  /// the type that they multiply in.
  KernelCost getCost(mlir::func::FuncOp kernel) const override;
  uint64_t getWorkspaceBytes(mlir::func::FuncOp kernel) const override;
  uint64_t
  getSegmentBytes(llvm::ArrayRef<mlir::func::FuncOp> members) const override;

  mlir::FailureOr<CompiledKernels>
  compileReductions(llvm::ArrayRef<CollectiveReduction> reductions,
                    unsigned threads) const override;

private:
  mlir::FailureOr<CompiledKernels>
  generate(llvm::ArrayRef<mlir::func::FuncOp> kernels, unsigned threads,
           llvm::ArrayRef<KernelBatch> batches) const;

  std::vector<std::string> devices;
  std::string ptxas;
  bool libraries, asTf32;
};

} // namespace zcc

#endif
