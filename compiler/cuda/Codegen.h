// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPU code generation: compiles kernel functions of train ops to PTX text, or
// to an ELF shared object of the same kernels for the host
// (docs/decisions/cuda/0028-cuda-kernels.md). It uses no fast-math flag and
// contracts nothing; divisions and roots follow IEEE, denormals are kept.
#ifndef ZCC_COMPILER_CUDA_CODEGEN_H
#define ZCC_COMPILER_CUDA_CODEGEN_H

#include "compiler/backend/Target.h"
#include "compiler/cuda/Architecture.h"
#include "planning/LaunchWork.h"

namespace zcc::cuda {

struct CudaKernels {
  std::string object; // PTX, or an ELF shared object
  std::vector<KernelInfo> kernels;
  std::vector<SegmentedKernel> segmented;
  std::vector<std::vector<BatchLaunch>> launches; // by batch
};

/// Compiles the kernels. Errors are reported at them. The result does not
/// depend on the number of threads. `batches` name kernels by their index in
/// `kernels`.
mlir::FailureOr<CudaKernels>
compileKernels(llvm::ArrayRef<mlir::func::FuncOp> kernels,
               const Architecture &architecture, unsigned threads,
               llvm::ArrayRef<LaunchBatch> batches = {});

/// The launch and the resources of a kernel as compileKernels() will report
/// them; readDemand() finds them without generating code.
struct KernelDemand {
  KernelInfo info;
  unsigned partThreads = 0; // CudaKernelBuilder::partThreads()
};
mlir::FailureOr<KernelDemand> readDemand(mlir::func::FuncOp kernel);

/// The launches of a kernel according to its code.
struct KernelLaunches {
  double threads = 0; // of the first launch
  /// The work of each; empty if the code does not tell it (LaunchReader.h).
  std::vector<planning::LaunchWork> work;
};
/// Reads the launches from the kernel's optimized code for a device (not
/// `host`), before it becomes PTX.
KernelLaunches readLaunches(mlir::func::FuncOp kernel,
                            const Architecture &architecture);

} // namespace zcc::cuda

#endif
