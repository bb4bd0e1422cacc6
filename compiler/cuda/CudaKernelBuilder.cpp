// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/CudaKernelBuilder.h"
#include "runtime/format/GpuThread.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

#include <utility>

using namespace mlir;

namespace zcc::cuda {

namespace {
constexpr unsigned teamThreads = 256;
// The threads that occupy a device. With fewer long items, blocks are of one
// warp, so that there are more of them.
constexpr uint64_t wantedItemThreads = 1 << 14;
// The bytes of scratch of a launch, unless one worker needs more.
constexpr uint64_t maxScratch = 64 << 20;
// The most blocks, if blocks go through the items.
constexpr uint64_t maxTeams = 2048;
// PTX's address space of shared memory.
constexpr unsigned ptxShared = 3;

// The offsets of GpuThread's fields, which code accesses as bytes.
const unsigned fieldOffsets[] = {
    offsetof(ZccGpuThread, thread),  offsetof(ZccGpuThread, block),
    offsetof(ZccGpuThread, shared),  offsetof(ZccGpuThread, barrier),
    offsetof(ZccGpuThread, shuffle), offsetof(ZccGpuThread, multiply),
};
enum Field { Thread, Block, Shared, Barrier, Shuffle, Multiply };
} // namespace

CudaKernelBuilder::CudaKernelBuilder(llvm::Module &module, func::FuncOp func,
                                     bool forHost, Form form)
    : KernelBuilder(module, func, /*lanes=*/1), forHost(forHost), form(form),
      globalSpace(forHost ? 0 : ptxGlobal) {
  bool isPart = form == Form::Part;
  llvm::LLVMContext &c = module.getContext();
  llvm::Type *pointer = ir.getPtrTy(globalSpace);
  unsigned count = func.getNumArguments() + func.getNumResults();
  SmallVector<llvm::Type *> parameters(forHost ? 2 : count + 1, pointer);
  if (isPart)
    parameters = {ir.getInt64Ty(), pointer, ir.getPtrTy()};
  function = llvm::Function::Create(
      llvm::FunctionType::get(ir.getVoidTy(), parameters, false),
      isPart ? llvm::GlobalValue::InternalLinkage
             : llvm::GlobalValue::ExternalLinkage,
      func.getSymName() + (form == Form::Second ? "$second" : ""), module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  if (isPart) // a call would need a stack
    function->addFnAttr(llvm::Attribute::AlwaysInline);
  function->addFnAttr("no-builtins");
  ir.SetInsertPoint(llvm::BasicBlock::Create(c, "entry", function));
  auto loadPointer = [&](llvm::Value *from, unsigned bytes) {
    llvm::LoadInst *load = ir.CreateAlignedLoad(pointer, from, llvm::Align(8));
    auto node = [&](uint64_t v) {
      return llvm::MDNode::get(c,
                               llvm::ConstantAsMetadata::get(ir.getInt64(v)));
    };
    load->setMetadata(llvm::LLVMContext::MD_align, node(bytes));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(c, {}));
    return load;
  };
  auto parameter = [&](unsigned i) -> llvm::Value * {
    if (!forHost)
      return function->getArg(i);
    llvm::Value *place = loadPointer(
        ir.CreateConstInBoundsGEP1_64(pointer, function->getArg(1), i), 8);
    return loadPointer(place, 8);
  };
  auto readRegister = [&](llvm::Intrinsic::ID which) {
    return ir.CreateIntrinsic(which, ArrayRef<llvm::Type *>(),
                              ArrayRef<llvm::Value *>());
  };
  if (forHost) {
    self = function->getArg(isPart ? 2 : 0);
    threadIndex = threadField(Thread, ir.getInt32Ty());
  } else {
    threadIndex = readRegister(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
  }
  if (isPart) {
    blockIndex = function->getArg(0);
    setBuffers([&](unsigned i) {
      return loadPointer(
          ir.CreateConstInBoundsGEP1_64(pointer, function->getArg(1), i), 64);
    });
    scratchBase = llvm::PoisonValue::get(pointer);
    return;
  }
  if (!forHost)
    function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  blockIndex = ir.CreateZExt(
      forHost ? threadField(Block, ir.getInt32Ty())
              : readRegister(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x),
      ir.getInt64Ty());
  setBuffers([&](unsigned i) { return loadPointer(parameter(i), 64); });
  scratchBase = parameter(count);
}

llvm::Value *CudaKernelBuilder::threadField(unsigned field, llvm::Type *type) {
  return ir.CreateLoad(type, ir.CreateConstInBoundsGEP1_64(
                                 ir.getInt8Ty(), self, fieldOffsets[field]));
}

void CudaKernelBuilder::setBlocks(uint64_t blocks, unsigned threads,
                                  unsigned resident) {
  info.items = blocks;
  info.threads = threads;
  residentBlocks = resident;
  threadsAsPart = threads;
  if (forHost || isOfBatch())
    return;
  function->addFnAttr("nvvm.reqntid", std::to_string(threads));
  // Otherwise ptxas would spill registers to keep more blocks resident.
  function->addFnAttr("nvvm.minctasm", std::to_string(resident));
}

// ---------------------------------------------------------------- items

llvm::Value *CudaKernelBuilder::scratch(uint64_t bytes) {
  llvm::IRBuilder<>::InsertPointGuard guard(ir);
  if (!scratchOffset) {
    scratchOffset = llvm::cast<llvm::Instruction>(
        ir.CreateFreeze(llvm::PoisonValue::get(ir.getInt64Ty())));
  }
  llvm::Value *offset = ir.CreateAdd(scratchOffset, index(scratchBytes));
  scratchBytes += llvm::alignTo(bytes, 64);
  return ir.CreateGEP(ir.getInt8Ty(), scratchBase, offset);
}

void CudaKernelBuilder::placeScratch(llvm::Value *worker, uint64_t workers) {
  info.scratchBytes = workers * scratchBytes;
  if (!scratchOffset)
    return;
  llvm::Instruction *placeholder = std::exchange(scratchOffset, nullptr);
  {
    // The guard may return to the placeholder, so that is erased after it.
    llvm::IRBuilder<>::InsertPointGuard guard(ir);
    ir.SetInsertPoint(placeholder);
    placeholder->replaceAllUsesWith(ir.CreateMul(worker, index(scratchBytes)));
  }
  placeholder->eraseFromParent();
}

void CudaKernelBuilder::emitItems(
    llvm::Value *worker, uint64_t workers, uint64_t items,
    llvm::function_ref<void(llvm::Value *)> body) {
  if (workers < items)
    loop(worker, index(items), workers, body);
  else if (workers == items)
    body(worker);
  else
    ifThenElse(ir.CreateICmpULT(worker, index(items)), [&] { body(worker); });
}

void CudaKernelBuilder::forEachItem(
    llvm::function_ref<void(llvm::Value *)> body) {
  emitItemThreads(itemThreads, body);
}

void CudaKernelBuilder::forEachLongItem(
    llvm::function_ref<void(llvm::Value *)> body) {
  uint64_t items = info.items;
  emitItemThreads(items < wantedItemThreads ? warpThreads : itemThreads, body);
}

// The worker's number must be known when scratch is placed.
void CudaKernelBuilder::emitItemThreads(
    unsigned blockThreads, llvm::function_ref<void(llvm::Value *)> body) {
  uint64_t items = info.items, most = items;
  if (scratchBytes)
    most = std::min(most, std::max<uint64_t>(1, maxScratch / scratchBytes));
  unsigned threads = std::clamp<uint64_t>(llvm::alignTo(most, warpThreads),
                                          warpThreads, blockThreads);
  if (isOfBatch())
    threads = blockThreads;
  uint64_t blocks = scratchBytes ? std::max<uint64_t>(1, most / threads)
                                 : llvm::divideCeil(items, uint64_t(threads));
  setBlocks(blocks, threads);
  threadsAsPart = blockThreads;
  auto number = [&] {
    return ir.CreateAdd(ir.CreateMul(blockIndex, index(threads)),
                        ir.CreateZExt(threadIndex, ir.getInt64Ty()));
  };
  if (scratchOffset) {
    llvm::IRBuilder<>::InsertPointGuard guard(ir);
    ir.SetInsertPoint(scratchOffset);
    placeScratch(number(), blocks * threads);
  }
  emitItems(number(), blocks * threads, items, body);
}

void CudaKernelBuilder::forEachItemOfTeam(
    llvm::function_ref<void(llvm::Value *)> body) {
  uint64_t items = info.items, blocks = std::min(items, maxTeams);
  if (scratchBytes)
    blocks = std::min(blocks, std::max<uint64_t>(1, maxScratch / scratchBytes));
  setBlocks(blocks, teamThreads);
  placeScratch(blockIndex, blocks);
  isTeam = true;
  emitItems(blockIndex, blocks, items, body);
  isTeam = false;
}

void CudaKernelBuilder::together(llvm::Value *lower, llvm::Value *upper,
                                 int64_t step,
                                 llvm::function_ref<void(llvm::Value *)> body) {
  if (!isTeam)
    return loop(lower, upper, step, body);
  llvm::Value *own =
      ir.CreateMul(ir.CreateZExt(threadIndex, ir.getInt64Ty()), index(step));
  loop(ir.CreateNSWAdd(lower, own), upper, step * int64_t(info.threads), body);
  barrier();
}

llvm::Value *CudaKernelBuilder::divide(llvm::Value *v, int64_t divisor,
                                       int64_t bound) {
  if (divisor == 1)
    return v;
  if (bound > (int64_t(1) << 31))
    return ir.CreateUDiv(v, index(divisor));
  llvm::Value *word = ir.CreateTrunc(v, ir.getInt32Ty());
  return ir.CreateZExt(ir.CreateUDiv(word, ir.getInt32(divisor)),
                       ir.getInt64Ty());
}

// ---------------------------------------------------------------- threads

void CudaKernelBuilder::barrier() {
  if (forHost) {
    auto *type =
        llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy()}, false);
    ir.CreateCall(type, threadField(Barrier, ir.getPtrTy()), {self});
  } else {
    ir.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {},
                       {ir.getInt32(0)});
  }
}

llvm::Value *CudaKernelBuilder::shuffleWord(llvm::Value *word,
                                            llvm::Value *lane) {
  llvm::Type *i32 = ir.getInt32Ty();
  if (!forHost)
    return ir.CreateIntrinsic(
        llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {},
        {ir.getInt32(-1), word, lane, ir.getInt32(warpThreads - 1)});
  auto *type = llvm::FunctionType::get(i32, {ir.getPtrTy(), i32, i32}, false);
  return ir.CreateCall(type, threadField(Shuffle, ir.getPtrTy()),
                       {self, word, lane});
}

llvm::Value *CudaKernelBuilder::shuffle(llvm::Value *value, llvm::Value *lane) {
  llvm::Type *type = value->getType(), *i32 = ir.getInt32Ty();
  unsigned bits = type->getPrimitiveSizeInBits();
  llvm::Value *number = ir.CreateBitCast(value, ir.getIntNTy(bits));
  llvm::Value *moved;
  if (bits > 32) {
    llvm::Value *low = shuffleWord(ir.CreateTrunc(number, i32), lane);
    llvm::Value *high =
        shuffleWord(ir.CreateTrunc(ir.CreateLShr(number, 32), i32), lane);
    moved =
        ir.CreateOr(ir.CreateZExt(low, number->getType()),
                    ir.CreateShl(ir.CreateZExt(high, number->getType()), 32));
  } else {
    moved = ir.CreateTrunc(shuffleWord(ir.CreateZExt(number, i32), lane),
                           number->getType());
  }
  return ir.CreateBitCast(moved, type);
}

SmallVector<llvm::Value *, 4>
CudaKernelBuilder::multiplyMatrices(ArrayRef<llvm::Value *> left,
                                    ArrayRef<llvm::Value *> right,
                                    ArrayRef<llvm::Value *> sums, bool isBf16) {
  SmallVector<llvm::Value *, 4> out;
  llvm::Type *f32 = ir.getFloatTy(), *i32 = ir.getInt32Ty();
  if (forHost) {
    auto place = [&](llvm::Type *type, ArrayRef<llvm::Value *> words) {
      llvm::AllocaInst *own =
          variable(llvm::ArrayType::get(type, words.size()));
      for (auto [i, word] : llvm::enumerate(words))
        ir.CreateStore(word, ir.CreateConstInBoundsGEP1_64(type, own, i));
      return own;
    };
    llvm::Type *pointer = ir.getPtrTy();
    auto *type = llvm::FunctionType::get(
        ir.getVoidTy(), {pointer, pointer, pointer, pointer, i32}, false);
    llvm::AllocaInst *all = place(f32, sums);
    ir.CreateCall(
        type, threadField(Multiply, pointer),
        {self, place(i32, left), place(i32, right), all, ir.getInt32(isBf16)});
    for (unsigned i = 0; i < sums.size(); ++i)
      out.push_back(
          ir.CreateLoad(f32, ir.CreateConstInBoundsGEP1_64(f32, all, i)));
    return out;
  }
  llvm::Type *halves = llvm::FixedVectorType::get(ir.getHalfTy(), 2);
  SmallVector<llvm::Value *> operands;
  for (ArrayRef<llvm::Value *> words : {left, right})
    for (llvm::Value *word : words)
      operands.push_back(isBf16 ? word : ir.CreateBitCast(word, halves));
  llvm::append_range(operands, sums);
  llvm::Value *all = ir.CreateIntrinsic(
      isBf16 ? llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16
             : llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32,
      ArrayRef<llvm::Type *>(), operands);
  for (unsigned i = 0; i < sums.size(); ++i)
    out.push_back(ir.CreateExtractValue(all, i));
  return out;
}

llvm::Value *CudaKernelBuilder::packHalves(llvm::Value *low, llvm::Value *high,
                                           bool isBf16) {
  llvm::Type *i32 = ir.getInt32Ty();
  if (!isBf16) {
    llvm::Type *half = ir.getHalfTy();
    llvm::Value *pair =
        llvm::PoisonValue::get(llvm::FixedVectorType::get(half, 2));
    pair =
        ir.CreateInsertElement(pair, ir.CreateFPTrunc(low, half), uint64_t(0));
    pair =
        ir.CreateInsertElement(pair, ir.CreateFPTrunc(high, half), uint64_t(1));
    return ir.CreateBitCast(pair, i32);
  }
  if (!forHost)
    return ir.CreateBitCast(
        ir.CreateIntrinsic(llvm::Intrinsic::nvvm_ff2bf16x2_rn,
                           ArrayRef<llvm::Type *>(), {high, low}),
        i32);
  Type bf16 = BFloat16Type::get(func.getContext());
  auto bits = [&](llvm::Value *x) {
    return ir.CreateBitCast(roundTo(bf16, x), i32);
  };
  return ir.CreateOr(ir.CreateLShr(bits(low), 16), bits(high));
}

// The instruction rounds as KernelBuilder's integers do, denormals included. It
// makes every NaN the canonical one, 0x7FFF (PTX ISA, cvt).
llvm::Value *CudaKernelBuilder::roundToBf16(llvm::Value *v) {
  if (forHost)
    return KernelBuilder::roundToBf16(v);
  llvm::Type *f32 = ir.getFloatTy();
  auto low = [&](llvm::Value *word) {
    return ir.CreateBitCast(ir.CreateShl(word, 16), f32);
  };
  if (!isVector(v))
    return low(packHalves(v, constant(f32, 0), /*isBf16=*/true));
  unsigned lanes =
      llvm::cast<llvm::FixedVectorType>(v->getType())->getNumElements();
  llvm::Value *out = llvm::PoisonValue::get(v->getType());
  for (unsigned i = 0; i < lanes; i += 2) {
    bool isPair = i + 1 < lanes;
    llvm::Value *word = packHalves(ir.CreateExtractElement(v, i),
                                   isPair ? ir.CreateExtractElement(v, i + 1)
                                          : constant(f32, 0),
                                   /*isBf16=*/true);
    out = ir.CreateInsertElement(out, low(word), i);
    if (isPair)
      out = ir.CreateInsertElement(
          out, ir.CreateBitCast(ir.CreateAnd(word, 0xFFFF0000), f32), i + 1);
  }
  return out;
}

llvm::Value *CudaKernelBuilder::shared(uint64_t bytes) {
  llvm::Module &module = *function->getParent();
  if (!sharedBase) {
    if (forHost) {
      llvm::IRBuilder<>::InsertPointGuard guard(ir);
      llvm::BasicBlock &entry = function->getEntryBlock();
      ir.SetInsertPoint(&entry, entry.begin());
      sharedBase = threadField(Shared, ir.getPtrTy());
    } else {
      auto *type = llvm::ArrayType::get(ir.getInt8Ty(), 0);
      auto *memory = new llvm::GlobalVariable(
          module, type, false, llvm::GlobalValue::ExternalLinkage, nullptr,
          function->getName() + "_shared", nullptr,
          llvm::GlobalValue::NotThreadLocal, ptxShared);
      memory->setAlignment(llvm::Align(16));
      sharedBase = memory;
    }
  }
  uint64_t offset = info.shared;
  info.shared += llvm::alignTo(bytes, 16);
  llvm::IRBuilder<>::InsertPointGuard guard(ir);
  if (auto *load = llvm::dyn_cast<llvm::Instruction>(sharedBase))
    ir.SetInsertPoint(load->getNextNode());
  return ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), sharedBase, offset);
}

llvm::Value *CudaKernelBuilder::sharedSlot(unsigned number, uint64_t bytes) {
  if (number >= slots.size())
    slots.resize(number + 1);
  if (slots[number].second < bytes)
    slots[number] = {shared(bytes), bytes};
  return slots[number].first;
}

/// Shared memory is 16-byte aligned, and so are vectors in it.
static llvm::Align slotAlignment(llvm::Type *type) {
  return llvm::Align(std::min<uint64_t>(
      16, llvm::bit_floor(uint64_t(type->getPrimitiveSizeInBits() / 8))));
}

void CudaKernelBuilder::storeSlot(llvm::Value *value, llvm::Value *pointer) {
  llvm::Type *type = slotType(value->getType());
  ir.CreateAlignedStore(ir.CreateZExtOrBitCast(value, type), pointer,
                        slotAlignment(type));
}

llvm::Value *CudaKernelBuilder::loadSlot(llvm::Type *type,
                                         llvm::Value *pointer) {
  llvm::Type *slot = slotType(type);
  return ir.CreateTruncOrBitCast(
      ir.CreateAlignedLoad(slot, pointer, slotAlignment(slot)), type);
}

} // namespace zcc::cuda
