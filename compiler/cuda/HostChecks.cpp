// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/HostChecks.h"
#include "runtime/format/GpuThread.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace zcc::cuda {

namespace {

/// An access of a kernel to the memory of a GPU.
struct Access {
  llvm::Instruction *at;
  llvm::Value *pointer;
  llvm::Align alignment;
  uint64_t bytes;
  bool isWritten;
};

/// The constant distance of a field of the thread that `load` reads, or
/// nothing.
std::optional<int64_t> fieldOf(const llvm::Value *load, const llvm::Value *self,
                               const llvm::DataLayout &layout) {
  auto *read = llvm::dyn_cast<llvm::LoadInst>(load);
  if (!read)
    return std::nullopt;
  int64_t offset = 0;
  const llvm::Value *base = llvm::GetPointerBaseWithConstantOffset(
      read->getPointerOperand(), offset, layout);
  return base == self ? std::optional(offset) : std::nullopt;
}

class Checks {
public:
  Checks(llvm::Function &function)
      : function(function), layout(function.getParent()->getDataLayout()),
        // A part of a batch has its block and its words before it.
        self(function.getArg(function.arg_size() == 3 ? 2 : 0)) {}

  void add() {
    llvm::SmallVector<Access> all;
    for (llvm::Instruction &one : llvm::instructions(function))
      if (auto access = accessOf(one))
        all.push_back(*access);
    for (const Access &access : all) {
      if (access.alignment > 1)
        checkAlignment(access);
      if (isShared(access.pointer))
        tell(access, offsetof(ZccGpuThread, access),
             {llvm::ConstantInt::get(wordType(), access.bytes),
              llvm::ConstantInt::get(wordType(), access.isWritten)});
    }
  }

private:
  llvm::Type *wordType() const {
    return llvm::Type::getInt32Ty(function.getContext());
  }

  std::optional<Access> accessOf(llvm::Instruction &one) const {
    llvm::Value *pointer = llvm::getLoadStorePointerOperand(&one);
    if (!pointer)
      return std::nullopt;
    const llvm::Value *object =
        llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
    // The thread's own memory is no memory of the GPU, nor are its fields and
    // parameters.
    if (llvm::isa<llvm::AllocaInst>(object) ||
        llvm::isa<llvm::GlobalValue>(object) ||
        llvm::isa<llvm::Argument>(object))
      return std::nullopt;
    uint64_t bytes = layout.getTypeStoreSize(llvm::getLoadStoreType(&one));
    return Access{&one, pointer, llvm::getLoadStoreAlignment(&one), bytes,
                  llvm::isa<llvm::StoreInst>(one)};
  }

  bool isShared(const llvm::Value *pointer) const {
    return fieldOf(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0), self,
                   layout) == int64_t(offsetof(ZccGpuThread, shared));
  }

  /// Calls a function of the thread before the access.
  void tell(const Access &access, uint64_t field,
            llvm::ArrayRef<llvm::Value *> more,
            llvm::Instruction *before = nullptr) {
    llvm::IRBuilder<> ir(before ? before : access.at);
    llvm::Value *place =
        ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), self, field);
    llvm::SmallVector<llvm::Value *> given = {self, access.pointer};
    given.append(more.begin(), more.end());
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *one : given)
      types.push_back(one->getType());
    ir.CreateCall(llvm::FunctionType::get(ir.getVoidTy(), types, false),
                  ir.CreateLoad(ir.getPtrTy(), place), given);
  }

  void checkAlignment(const Access &access) {
    llvm::IRBuilder<> ir(access.at);
    uint64_t least = access.alignment.value();
    llvm::Value *rest = ir.CreateAnd(
        ir.CreatePtrToInt(access.pointer, ir.getInt64Ty()), least - 1);
    llvm::Instruction *wrong = llvm::SplitBlockAndInsertIfThen(
        ir.CreateICmpNE(rest, ir.getInt64(0)), access.at, /*Unreachable=*/false,
        llvm::MDBuilder(function.getContext()).createUnlikelyBranchWeights());
    tell(access, offsetof(ZccGpuThread, misaligned),
         {llvm::ConstantInt::get(wordType(), least)}, wrong);
  }

  llvm::Function &function;
  const llvm::DataLayout &layout;
  llvm::Value *const self;
};

} // namespace

void addHostChecks(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.arg_size() >= 2 &&
        function.getReturnType()->isVoidTy())
      Checks(function).add();
}

} // namespace zcc::cuda
