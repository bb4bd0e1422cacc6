// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target: a backend with what only the compiler asks of it, code and costs.
// compiler/<target> implements it, compiler/phases/Targets.h lists them.
#ifndef ZCC_COMPILER_BACKEND_TARGET_H
#define ZCC_COMPILER_BACKEND_TARGET_H

#include "compiler/backend/KernelCost.h"
#include "dialects/Exec/Backend.h"
#include <vector>

namespace zcc {

/// The same kernels for one kind of device.
struct CodeImage {
  std::string device; // "sm_90"
  std::string object;
};

/// Code of one target, in its form (an ELF shared object, PTX, ...); empty for
/// targets that need none.
struct TargetCode {
  std::string target;                // its name
  std::string device;                // what it was generated for: "x86-64-v3"
  std::vector<std::string> features; // that the device must have
  std::string object;
  std::vector<CodeImage> images = {}; // in place of the rest: devices choose
};

/// What a device's own compiler made of a kernel.
struct KernelUse {
  std::string device;
  unsigned registers = 0; // of a thread
  uint64_t shared = 0;    // bytes of a block, dynamic memory included
  uint64_t stack = 0;     // bytes of a thread that are in memory
  double occupancy = 0;   // threads that are resident, of those that could be
};

/// A compiled kernel.
struct KernelInfo {
  unsigned code = 0; // index into CompiledKernels::codes
  std::string symbol;
  uint64_t items = 0;           // independent parts, in any order
  uint64_t scratchBytes = 0;    // that each worker brings
  uint64_t itemNanoseconds = 0; // rough
  // Where items are blocks: threads of one, and bytes of its shared memory.
  unsigned threads = 0;
  uint64_t shared = 0;
  std::vector<KernelUse> uses; // by device, as far as known
  /// A serialized rt::format::Program, or an rt::format::Kernel that has what a
  /// library does and nothing else, where there is one in place of code.
  std::string program, library;
};

/// What does several kernels in one launch: each block finds by a table which
/// of them it is for (docs/decisions/0028-cuda-kernels.md).
struct SegmentedKernel {
  KernelInfo info;               // of the launch; how many items is the batch's
  std::vector<unsigned> kernels; // that it does, by number, ascending
};

/// A launch of some members of a batch: of those whose kernels it does.
struct BatchLaunch {
  unsigned segmented = 0;     // index into CompiledKernels::segmented
  unsigned segmentBlocks = 1; // of a member, that one block goes through
};

struct CompiledKernels {
  std::vector<TargetCode> codes; // that of the target itself first
  std::vector<KernelInfo> kernels;
  std::vector<SegmentedKernel> segmented = {};
  /// One entry a batch; members in none of the launches are launched alone.
  std::vector<std::vector<BatchLaunch>> launches = {};
};

/// The kernels of a batch's members, by number.
using KernelBatch = std::vector<unsigned>;

/// What collectives of a program reduce: elements of a type, by the name that
/// exec.collective has for it ("add", "maximum", ...).
struct CollectiveReduction {
  std::string reduction;
  mlir::Type element;
};

class Target : public exec::Backend {
public:
  /// By default all types that tensors of an executable may have.
  llvm::SmallVector<mlir::Type>
  getElementTypes(mlir::MLIRContext *context) const override;
  llvm::SmallVector<mlir::Type>
  getStorageTypes(mlir::MLIRContext *context) const override;

  /// What is wrong with the device that code would be generated for, as an
  /// error's text that names the option; else empty. Asked before anything is
  /// compiled.
  virtual std::string checkDevice() const { return ""; }

  /// Code of kernel functions, on at most so many threads. The result does not
  /// depend on their number. Errors are reported at the kernels. `batches`:
  /// what will run as one step each, for targets where that takes code of its
  /// own.
  virtual mlir::FailureOr<CompiledKernels>
  compile(llvm::ArrayRef<mlir::func::FuncOp> kernels, unsigned threads,
          llvm::ArrayRef<KernelBatch> batches = {}) const = 0;

  /// Code of a kernel for each of the reductions, where the target's devices
  /// reduce for collectives themselves; else nothing.
  virtual mlir::FailureOr<CompiledKernels>
  compileReductions(llvm::ArrayRef<CollectiveReduction>, unsigned) const {
    return CompiledKernels();
  }

  /// What one run of a kernel does, for the cost model.
  virtual KernelCost getCost(mlir::func::FuncOp kernel) const {
    return getKernelCost(kernel);
  }
};

} // namespace zcc

#endif
