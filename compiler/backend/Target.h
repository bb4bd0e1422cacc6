// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target is a backend that also provides code and costs to the compiler.
// compiler/<target> implements it, compiler/phases/Targets.h lists them.
#ifndef ZCC_COMPILER_BACKEND_TARGET_H
#define ZCC_COMPILER_BACKEND_TARGET_H

#include "compiler/backend/KernelCost.h"
#include "dialects/Exec/Backend.h"
#include <vector>

namespace zcc {

/// The kernels' code for one kind of device.
struct CodeImage {
  std::string device; // "sm_90"
  std::string object;
};

/// The code of one target, in its format (an ELF shared object, PTX, ...);
/// empty for targets that need none.
struct TargetCode {
  std::string target;                // the target's name
  std::string device;                // what it was generated for: "x86-64-v3"
  std::vector<std::string> features; // features that the device must have
  std::string object;
  // If not empty, each device chooses one of these instead of `object`.
  std::vector<CodeImage> images = {};
};

/// The resources that a kernel uses on a device, as the device's own compiler
/// reports them.
struct KernelUse {
  std::string device;
  unsigned registers = 0; // per thread
  uint64_t shared = 0;    // bytes per block, dynamic memory included
  uint64_t stack = 0;     // bytes per thread that are in memory
  double occupancy = 0;   // share of the possible threads that are resident
};

/// A compiled kernel.
struct KernelInfo {
  unsigned code = 0; // index into CompiledKernels::codes
  std::string symbol;
  uint64_t items = 0;           // independent parts, which run in any order
  uint64_t scratchBytes = 0;    // bytes of scratch that each worker provides
  uint64_t itemNanoseconds = 0; // a rough estimate per item
  // If items are blocks: the threads of a block, and the bytes of its shared
  // memory.
  unsigned threads = 0;
  uint64_t shared = 0;
  std::vector<KernelUse> uses; // by device, as far as known
  /// A launch of a GPU's kernel that follows the one above on its stream, with
  /// the same buffers and scratch.
  struct Launch {
    std::string symbol;
    uint64_t blocks = 0;
    unsigned threads = 0;
    uint64_t shared = 0;
  };
  std::optional<Launch> second = {};
  /// Replacements of code: a serialized rt::format::Program, or a serialized
  /// rt::format::Kernel that describes a library call and nothing else.
  std::string program, library;
};

/// A kernel that runs several kernels in one launch: each block finds in a
/// table which of them it works for (docs/decisions/cuda/0028-cuda-kernels.md).
struct SegmentedKernel {
  // The info of the launch; the batch gives the number of items.
  KernelInfo info;
  // The kernels that it runs, by number, ascending.
  std::vector<unsigned> kernels;
};

/// A launch of those members of a batch whose kernels the segmented kernel
/// runs.
struct BatchLaunch {
  unsigned segmented = 0; // index into CompiledKernels::segmented
  // blocks of a member that each launched block runs
  unsigned segmentBlocks = 1;
};

struct CompiledKernels {
  std::vector<TargetCode> codes; // the first is that of the target itself
  std::vector<KernelInfo> kernels;
  std::vector<SegmentedKernel> segmented = {};
  /// One entry per batch; members in none of its launches are launched alone.
  std::vector<std::vector<BatchLaunch>> launches = {};
};

/// The kernels of a batch's members, by number.
using LaunchBatch = std::vector<unsigned>;

/// A reduction by a collective: its name in exec.collective ("add", "maximum",
/// ...) and the element type.
struct CollectiveReduction {
  std::string reduction;
  mlir::Type element;
};

class Target : public exec::Backend {
public:
  /// Returns, by default, all types that tensors of an executable may have.
  llvm::SmallVector<mlir::Type>
  getElementTypes(mlir::MLIRContext *context) const override;
  llvm::SmallVector<mlir::Type>
  getStorageTypes(mlir::MLIRContext *context) const override;

  /// Returns "" or an error text, which names the option, if code cannot be
  /// generated for the chosen device. It is called before anything is compiled.
  virtual std::string checkDevice() const { return ""; }

  /// Returns true if products of the target add biases to their results, so
  /// that the sum is better computed before it is transposed.
  virtual bool addsBiases() const { return false; }

  /// Compiles kernel functions on at most so many threads; the result does not
  /// depend on their number. Errors are reported at the kernels. `batches` are
  /// the kernels that will run as one step each, for targets that generate code
  /// for that.
  virtual mlir::FailureOr<CompiledKernels>
  compile(llvm::ArrayRef<mlir::func::FuncOp> kernels, unsigned threads,
          llvm::ArrayRef<LaunchBatch> batches = {}) const = 0;

  /// Compiles a kernel for each reduction if the target's devices themselves
  /// reduce for collectives; else returns nothing.
  virtual mlir::FailureOr<CompiledKernels>
  compileReductions(llvm::ArrayRef<CollectiveReduction>, unsigned) const {
    return CompiledKernels();
  }

  /// Returns the work of one run of a kernel, for the cost model.
  virtual KernelCost getCost(mlir::func::FuncOp kernel) const {
    return getKernelCost(kernel);
  }
};

} // namespace zcc

#endif
