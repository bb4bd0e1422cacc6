// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a planned module and its compiled kernels to what users get: the bytes
// of the executable, the listing of buffers, the report.
#ifndef ZCC_COMPILER_EMISSION_EMISSION_H
#define ZCC_COMPILER_EMISSION_EMISSION_H

#include "compiler/backend/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace zcc {

struct EmissionOptions {
  std::string producer = "zcc 0.1";
  std::string optimizer = "adamw"; // a name, none, forward
  std::string precision = "f32";   // f32, bf16, f16
  double modelFlops = 0;           // of a step over all devices
  double peakFlops = 0;            // of one device; 0 unknown
  uint64_t libraryBytes = 0;       // that libraries hold of a device's memory
  std::vector<std::string> frozen; // parameters without gradient
  std::string pipeAxis;            // axis whose coordinate is the stage
};

/// The bytes of the executable file; see runtime/format/executable.proto. The
/// kernels are those of kernelsOf(), in that order, launches those of
/// batchesOf(), the reductions those of reductionsOf(), or there are none.
/// Errors are reported at ops.
mlir::FailureOr<std::string>
buildExecutable(mlir::ModuleOp planned, const CompiledKernels &kernels,
                const EmissionOptions &options,
                const CompiledKernels &reductions = {});

/// The kernels of a module in phase `scheduled` or later, in program order.
llvm::SmallVector<mlir::func::FuncOp> kernelsOf(mlir::ModuleOp module);

/// What its batches launch, in program order; kernels by their number there.
std::vector<KernelBatch> batchesOf(mlir::ModuleOp module);

/// What collectives of a module in phase `scheduled` or later reduce, each
/// once, by name.
std::vector<CollectiveReduction> reductionsOf(mlir::ModuleOp module);

/// Operations of one step over all devices, as `scheduled` and later phases
/// hold it: repeated work as often as it is done.
double executedFlops(mlir::ModuleOp module);

/// The memory plan of the worst stage over a whole step as CSV:
/// id,lower,upper,size,offset,arena,category,name.
mlir::FailureOr<std::string> writeBuffersCsv(mlir::ModuleOp planned);

} // namespace zcc

#endif
