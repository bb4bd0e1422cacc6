// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds kernels for GPUs: a thread does an item, one element at a time or as
// many as 16 bytes hold, or the threads of a block work on one together. The
// same kernels are generated in two forms
// (docs/decisions/cuda/0028-cuda-kernels.md): for PTX, and for the host, where
// threads are as runtime/format/GpuThread.h defines.
#ifndef ZCC_COMPILER_CUDA_CUDAKERNELBUILDER_H
#define ZCC_COMPILER_CUDA_CUDAKERNELBUILDER_H

#include "compiler/codegen/KernelBuilder.h"

namespace zcc::cuda {

/// PTX's address space of global memory (LLVM's NVPTX usage guide, "Address
/// Spaces").
inline constexpr unsigned ptxGlobal = 1;

/// The threads of a warp, which exchange values by shuffles.
inline constexpr unsigned warpThreads = 32;
/// The bytes of shared memory per block that every device provides by default.
inline constexpr uint64_t maxShared = 48 << 10;

/// The threads of a block whose threads do one item each, also if the kernel
/// has fewer items but runs together with others (SegmentedKernel.cpp).
inline constexpr unsigned itemThreads = 128;

class CudaKernelBuilder : public KernelBuilder {
public:
  /// The first launch of a kernel, its second one (KernelInfo::second), or a
  /// part of a kernel that runs several. A part is a function
  /// `void(i64 block, ptr words, ptr thread)`, in which `words` holds the
  /// buffers' addresses and `thread` is the host's GpuThread. A part has no
  /// scratch.
  enum class Form { Kernel, Second, Part };
  CudaKernelBuilder(llvm::Module &module, mlir::func::FuncOp func, bool forHost,
                    Form form = Form::Kernel);

  // Each thread does an item; info.items becomes the number of blocks.
  void forEachItem(llvm::function_ref<void(llvm::Value *)> body) override;
  void forEachLongItem(llvm::function_ref<void(llvm::Value *)> body) override;
  void forEachItemOfTeam(llvm::function_ref<void(llvm::Value *)> body) override;
  void together(llvm::Value *lower, llvm::Value *upper, int64_t step,
                llvm::function_ref<void(llvm::Value *)> body) override;
  // May be called only before the items.
  llvm::Value *scratch(uint64_t bytes) override;
  // Uses 32-bit division if the number fits, since 64 bits take many
  // instructions.
  llvm::Value *divide(llvm::Value *v, int64_t divisor, int64_t bound) override;
  llvm::Value *modulo(llvm::Value *v, int64_t divisor, int64_t bound) {
    return ir.CreateNSWSub(
        v, ir.CreateNSWMul(divide(v, divisor, bound), index(divisor)));
  }
  unsigned vectorBytes() const override { return 16; }
  int64_t neighbours(int64_t) const override { return 1; }
  int64_t loadsAhead() const override { return 32; }

  /// Declares the launch, instead of forEachItem(): `blocks` blocks of
  /// `threads` threads (a multiple of a warp's), of which `resident` must fit
  /// into the registers of a multiprocessor at a time.
  void setBlocks(uint64_t blocks, unsigned threads, unsigned resident = 1);
  /// Returns the `resident` of the last setBlocks().
  unsigned resident() const { return residentBlocks; }
  /// Returns the threads of a block that runs an item of this kernel as a part;
  /// 0 if it cannot be a part.
  unsigned partThreads() const {
    return scratchBytes || info.second ? 0 : threadsAsPart;
  }
  bool isOfBatch() const { return form == Form::Part; }
  bool isSecond() const { return form == Form::Second; }
  llvm::Value *thread() const { return threadIndex; } // i32, within the block
  llvm::Value *block() const { return blockIndex; }   // i64
  /// Returns the last parameter: the whole scratch of the launch, whose bytes
  /// the caller sets in info.scratchBytes if it does not use scratch().
  llvm::Value *lastParameter() const { return scratchBase; }
  /// Returns the pointer to device memory at an address (i64).
  llvm::Value *pointerOf(llvm::Value *address) {
    return ir.CreateIntToPtr(address, ir.getPtrTy(globalSpace));
  }

  /// Emits a barrier: all threads of the block arrive before any goes on.
  void barrier();
  /// Returns the value of the warp's lane `lane` (i32); all lanes must take
  /// part.
  llvm::Value *shuffle(llvm::Value *value, llvm::Value *lane);
  /// Returns `sums` (4 floats) plus the product of matrices in bf16 or f16 that
  /// a warp holds, mma.m16n8k16: `left` has 4 words, `right` 2, as PTX
  /// distributes them over lanes; all lanes must take part.
  llvm::SmallVector<llvm::Value *, 4>
  multiplyMatrices(llvm::ArrayRef<llvm::Value *> left,
                   llvm::ArrayRef<llvm::Value *> right,
                   llvm::ArrayRef<llvm::Value *> sums, bool isBf16);
  /// Returns the word of two floats rounded to bf16 or f16, `low` in its low
  /// half.
  llvm::Value *packHalves(llvm::Value *low, llvm::Value *high, bool isBf16);
  /// Returns shared memory of the block that no other call returned, 16-byte
  /// aligned.
  llvm::Value *shared(uint64_t bytes);
  /// Returns shared memory that every call with the same number shares.
  llvm::Value *sharedSlot(unsigned number, uint64_t bytes);
  /// Returns the type in which a register, or a vector of them, is stored: i1
  /// as a byte.
  llvm::Type *slotType(llvm::Type *type) const {
    return type->isIntOrIntVectorTy(1)
               ? type->getWithNewType(llvm::Type::getInt8Ty(type->getContext()))
               : type;
  }
  /// Write and read a register, or a vector that begins at a multiple of its
  /// bytes, or of 16 bytes.
  void storeSlot(llvm::Value *value, llvm::Value *pointer);
  llvm::Value *loadSlot(llvm::Type *type, llvm::Value *pointer);

  /// Emits `body` with vectors of so many lanes.
  void withLanes(unsigned lanes, llvm::function_ref<void()> body) {
    std::swap(numLanes, lanes);
    body();
    std::swap(numLanes, lanes);
  }

private:
  unsigned wholeAlignment(unsigned elementBytes) const override {
    return std::min(16u, llvm::bit_floor(elementBytes * numLanes));
  }
  // One instruction for two elements, in PTX.
  llvm::Value *roundToBf16(llvm::Value *value) override;
  llvm::Value *threadField(unsigned index, llvm::Type *type);
  llvm::Value *shuffleWord(llvm::Value *word, llvm::Value *lane);
  // Each thread does an item, in blocks of up to so many threads.
  void emitItemThreads(unsigned blockThreads,
                       llvm::function_ref<void(llvm::Value *)> body);
  void emitItems(llvm::Value *worker, uint64_t workers, uint64_t items,
                 llvm::function_ref<void(llvm::Value *)> body);
  void placeScratch(llvm::Value *worker, uint64_t workers);

  bool forHost;
  Form form;
  unsigned globalSpace; // the address space of buffers
  unsigned residentBlocks = 1, threadsAsPart = 0;
  bool isTeam = false;
  llvm::Value *threadIndex, *blockIndex, *scratchBase;
  llvm::Value *self = nullptr; // the GpuThread, in the host's form
  llvm::Value *sharedBase = nullptr;
  llvm::SmallVector<std::pair<llvm::Value *, uint64_t>> slots;
  // The begin of this worker's scratch, a placeholder until the worker's number
  // is known.
  llvm::Instruction *scratchOffset = nullptr;
  uint64_t scratchBytes = 0; // per worker
};

} // namespace zcc::cuda

#endif
