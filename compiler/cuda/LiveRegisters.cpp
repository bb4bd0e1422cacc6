// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/LiveRegisters.h"
#include "compiler/cuda/InstructionCount.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace zcc::cuda {

namespace {

/// Returns the 32-bit registers of a value. Predicates have registers of their
/// own, numbers of thread and block are read where they are used.
unsigned registersOf(const llvm::Value &value) {
  llvm::Type *type = value.getType();
  if (type->isVoidTy() || type->isIntOrIntVectorTy(1))
    return 0;
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&value))
    if (call->getIntrinsicID() == llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x ||
        call->getIntrinsicID() == llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x)
      return 0;
  if (type->isPointerTy())
    return type->getPointerAddressSpace() == sharedSpace ? 1 : 2;
  return llvm::divideCeil(type->getPrimitiveSizeInBits().getFixedValue(), 32);
}

/// Returns the value from which this one is made where it is used: a narrow
/// element stays as it was loaded.
llvm::Value *findSource(llvm::Value *value) {
  while (auto *own = llvm::dyn_cast<llvm::Instruction>(value)) {
    bool isShifted = own->getOpcode() == llvm::Instruction::Shl &&
                     llvm::isa<llvm::ZExtInst>(own->getOperand(0)) &&
                     llvm::isa<llvm::Constant>(own->getOperand(1));
    if (!isShifted && !llvm::isa<llvm::ZExtInst>(own) &&
        !llvm::isa<llvm::FPExtInst>(own) && !llvm::isa<llvm::BitCastInst>(own))
      return value;
    value = own->getOperand(0);
  }
  return value;
}

} // namespace

int64_t estimateRegisters(llvm::Function &function) {
  constexpr unsigned others = 10, least = 16, most = 255;
  llvm::DenseMap<llvm::BasicBlock *, llvm::DenseSet<llvm::Value *>>
      alive; // at the begin
  auto walk = [&](llvm::BasicBlock *block, llvm::DenseSet<llvm::Value *> &live,
                  unsigned &size) {
    auto add = [&](llvm::Value *value) {
      value = findSource(value);
      if (llvm::isa<llvm::Instruction>(value) && registersOf(*value) &&
          live.insert(value).second)
        size += registersOf(*value);
    };
    for (llvm::BasicBlock *after : llvm::successors(block)) {
      for (llvm::Value *value : alive[after])
        add(value);
      for (llvm::PHINode &phi : after->phis())
        add(phi.getIncomingValueForBlock(block));
    }
    unsigned largest = size;
    for (llvm::Instruction &own : llvm::reverse(*block)) {
      if (live.erase(&own))
        size -= registersOf(own);
      if (llvm::isa<llvm::PHINode>(own))
        continue;
      for (llvm::Value *operand : own.operands())
        add(operand);
      largest = std::max(largest, size);
    }
    return largest;
  };
  unsigned largest = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock *block : llvm::post_order(&function)) {
      llvm::DenseSet<llvm::Value *> live;
      unsigned size = 0;
      largest = std::max(largest, walk(block, live, size));
      if (live.size() != alive[block].size()) { // it only grows
        alive[block] = std::move(live);
        changed = true;
      }
    }
  }
  return std::clamp(largest + others, least, most);
}

} // namespace zcc::cuda
