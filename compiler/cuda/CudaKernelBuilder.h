// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a GPU: a thread does an item, one element at a time or as many as
// 16 bytes hold, or the threads of a block work on one together. The same
// kernels are made in two forms (docs/decisions/0028-cuda-kernels.md): for PTX,
// and for the host, where threads are what runtime/format/GpuThread.h says.
#ifndef ZCC_COMPILER_CUDA_CUDAKERNELBUILDER_H
#define ZCC_COMPILER_CUDA_CUDAKERNELBUILDER_H

#include "compiler/codegen/KernelBuilder.h"

namespace zcc::cuda {

/// PTX's address space of global memory (LLVM's NVPTX usage guide, "Address
/// Spaces").
inline constexpr unsigned ptxGlobal = 1;

/// Threads that exchange values by shuffles.
inline constexpr unsigned warpThreads = 32;
/// Shared memory of a block that every device gives without being asked.
inline constexpr uint64_t maxShared = 48 << 10;

/// Threads of a block whose threads do an item each, and where there are fewer
/// items in a kernel beside others (SegmentedKernel.cpp).
inline constexpr unsigned itemThreads = 128;

class CudaKernelBuilder : public KernelBuilder {
public:
  /// A kernel, or a part of one that does several: a function
  /// `void(i64 block, ptr words, ptr thread)`, in which `words` are the
  /// buffers' addresses themselves and `thread` is the host's GpuThread. A part
  /// has no scratch.
  enum class Form { Kernel, Part };
  CudaKernelBuilder(llvm::Module &module, mlir::func::FuncOp func, bool forHost,
                    Form form = Form::Kernel);

  // A thread an item; info.items becomes the number of blocks.
  void forEachItem(llvm::function_ref<void(llvm::Value *)> body) override;
  void forEachItemOfTeam(llvm::function_ref<void(llvm::Value *)> body) override;
  void together(llvm::Value *lower, llvm::Value *upper, int64_t step,
                llvm::function_ref<void(llvm::Value *)> body) override;
  // Only before the items.
  llvm::Value *scratch(uint64_t bytes) override;
  // By 32 bits where they hold the number: 64 take many instructions.
  llvm::Value *divide(llvm::Value *v, int64_t divisor, int64_t bound) override;
  llvm::Value *modulo(llvm::Value *v, int64_t divisor, int64_t bound) {
    return ir.CreateNSWSub(
        v, ir.CreateNSWMul(divide(v, divisor, bound), index(divisor)));
  }
  unsigned vectorBytes() const override { return 16; }
  int64_t neighbours(int64_t) const override { return 1; }

  /// What generators of their own say in place of forEachItem(): so many blocks
  /// of so many threads (a multiple of a warp's), of which a multiprocessor has
  /// registers for so many at a time.
  void setBlocks(uint64_t blocks, unsigned threads, unsigned resident = 1);
  /// What the last setBlocks() was given.
  unsigned resident() const { return residentBlocks; }
  /// Threads of a block that does an item of this kernel as a part; 0: it
  /// cannot be one.
  unsigned partThreads() const { return scratchBytes ? 0 : threadsAsPart; }
  llvm::Value *thread() const { return threadIndex; } // i32, of the block
  llvm::Value *block() const { return blockIndex; }   // i64
  /// The last parameter as it is, of kernels that have no scratch.
  llvm::Value *lastParameter() const { return scratchBase; }
  /// Memory of the device that an address (i64) names.
  llvm::Value *pointerOf(llvm::Value *address) {
    return ir.CreateIntToPtr(address, ir.getPtrTy(globalSpace));
  }

  /// All threads of the block get here before any goes on.
  void barrier();
  /// The value that the warp's lane `lane` (i32) gives; all lanes take part.
  llvm::Value *shuffle(llvm::Value *value, llvm::Value *lane);
  /// Shared memory of the block that no other call returned, 16-byte aligned.
  llvm::Value *shared(uint64_t bytes);
  /// The same, which a call of the same number returned before.
  llvm::Value *sharedSlot(unsigned number, uint64_t bytes);
  /// Registers in memory: i1 as a byte.
  llvm::Type *slotType(llvm::Type *type) {
    return type->isIntegerTy(1) ? ir.getInt8Ty() : type;
  }
  void storeSlot(llvm::Value *value, llvm::Value *pointer);
  llvm::Value *loadSlot(llvm::Type *type, llvm::Value *pointer);

  /// Emits `body` for vectors of so many lanes.
  void withLanes(unsigned lanes, llvm::function_ref<void()> body) {
    std::swap(numLanes, lanes);
    body();
    std::swap(numLanes, lanes);
  }

private:
  unsigned wholeAlignment(unsigned elementBytes) const override {
    return std::min(16u, llvm::bit_floor(elementBytes * numLanes));
  }
  llvm::Value *threadField(unsigned index, llvm::Type *type);
  llvm::Value *shuffleWord(llvm::Value *word, llvm::Value *lane);
  void emitItems(llvm::Value *worker, uint64_t workers, uint64_t items,
                 llvm::function_ref<void(llvm::Value *)> body);
  void placeScratch(llvm::Value *worker, uint64_t workers);

  bool forHost, isPart;
  unsigned globalSpace; // the address space of buffers
  unsigned residentBlocks = 1, threadsAsPart = 0;
  bool isTeam = false;
  llvm::Value *threadIndex, *blockIndex, *scratchBase;
  llvm::Value *self = nullptr; // of the host's form: its GpuThread
  llvm::Value *sharedBase = nullptr;
  llvm::SmallVector<std::pair<llvm::Value *, uint64_t>> slots;
  // Where this worker's scratch begins, once it is known who works.
  llvm::Instruction *scratchOffset = nullptr;
  uint64_t scratchBytes = 0; // of a worker
};

} // namespace zcc::cuda

#endif
