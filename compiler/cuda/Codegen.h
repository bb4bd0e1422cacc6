// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPU code generation: kernel functions of train ops in, PTX text or an ELF
// shared object of the same kernels for the host out
// (docs/decisions/0028-cuda-kernels.md). No fast-math flag, nothing contracted,
// divisions and roots as IEEE has them, denormals kept.
#ifndef ZCC_COMPILER_CUDA_CODEGEN_H
#define ZCC_COMPILER_CUDA_CODEGEN_H

#include "compiler/backend/Target.h"
#include "compiler/cuda/Architecture.h"

namespace zcc::cuda {

struct CudaKernels {
  std::string object; // PTX, or an ELF shared object
  std::vector<KernelInfo> kernels;
  std::vector<SegmentedKernel> segmented;
  std::vector<std::vector<BatchLaunch>> launches; // by batch
};

/// Errors are reported at the kernels. The result does not depend on the number
/// of threads. `batches` name kernels by their number here.
mlir::FailureOr<CudaKernels>
compileKernels(llvm::ArrayRef<mlir::func::FuncOp> kernels,
               const Architecture &architecture, unsigned threads,
               llvm::ArrayRef<KernelBatch> batches = {});

/// How a kernel is launched and what it uses, as compileKernels() will say it;
/// no code is made.
struct KernelDemand {
  KernelInfo info;
  unsigned partThreads = 0; // CudaKernelBuilder::partThreads()
};
mlir::FailureOr<KernelDemand> readDemand(mlir::func::FuncOp kernel);

} // namespace zcc::cuda

#endif
