// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a planned module and its compiled kernels into outputs for users: the
// bytes of the executable and the listing of buffers.
#ifndef ZCC_COMPILER_EMISSION_EMISSION_H
#define ZCC_COMPILER_EMISSION_EMISSION_H

#include "compiler/backend/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace zcc {

struct EmissionOptions {
  std::string producer = "zcc 0.1";
  std::string optimizer = "adamw"; // a name, none, forward
  std::optional<double> ema;       // the decay of averages, if there are some
  std::string precision = "f32";   // f32, bf16, f16
  double modelFlops = 0;           // operations of a step over all devices
  // operations per second of one device; 0: unknown
  double peakFlops = 0;
  uint64_t libraryBytes = 0;       // bytes of a device that libraries occupy
  std::vector<std::string> frozen; // parameters without gradient
};

/// Returns the bytes of the executable file; see
/// runtime/format/executable.proto. `kernels` holds those of kernelsOf() in
/// that order, with the launches of listLaunchBatches(); `reductions` holds
/// those of reductionsOf(), or is empty. Errors are reported at ops.
mlir::FailureOr<std::string>
buildExecutable(mlir::ModuleOp planned, const CompiledKernels &kernels,
                const EmissionOptions &options,
                const CompiledKernels &reductions = {});

/// Returns the kernels of a module in phase `scheduled` or later, in program
/// order.
llvm::SmallVector<mlir::func::FuncOp> kernelsOf(mlir::ModuleOp module);

/// Returns the kernels that each batch launches, by their number in
/// kernelsOf(), in program order.
std::vector<LaunchBatch> listLaunchBatches(mlir::ModuleOp module);

/// Returns the reductions of collectives of a module in phase `scheduled` or
/// later, each once, sorted by name.
std::vector<CollectiveReduction> reductionsOf(mlir::ModuleOp module);

/// Returns the operations of one step over all devices in phase `scheduled` or
/// later. Recomputed or replicated work counts as often as it is done.
double executedFlops(mlir::ModuleOp module);

/// Returns the memory plan of the stage with the largest peak over a whole
/// step, as CSV: id,lower,upper,size,offset,arena,category,name.
mlir::FailureOr<std::string> writeBuffersCsv(mlir::ModuleOp planned);

} // namespace zcc

#endif
