// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/ThreadValues.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace zcc::cuda {

static uint64_t bitsOf(int64_t value, llvm::Type *type) {
  return uint64_t(value) &
         llvm::maskTrailingOnes<uint64_t>(type->getIntegerBitWidth());
}

std::optional<int64_t> ThreadValues::get(llvm::Value *value, unsigned thread) {
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
    return constant->getBitWidth() <= 64
               ? std::optional(constant->getSExtValue())
               : std::nullopt;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || !value->getType()->isIntegerTy() ||
      value->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  if (auto at = known[thread].find(value); at != known[thread].end())
    return at->second;
  std::optional<int64_t> found = compute(*instruction, thread);
  if (found)
    found = llvm::SignExtend64(*found, value->getType()->getIntegerBitWidth());
  known[thread][value] = found;
  return found;
}

std::optional<int64_t> ThreadValues::compute(llvm::Instruction &own,
                                             unsigned thread) {
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&own)) {
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x:
      return thread;
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      return middle;
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
      break;
    default:
      return std::nullopt;
    }
  }
  if (llvm::isa<llvm::PHINode>(own) || own.getNumOperands() == 0 ||
      own.mayReadFromMemory())
    return std::nullopt;
  auto a = get(own.getOperand(0), thread);
  if (own.getOpcode() == llvm::Instruction::Select) {
    if (!a)
      return std::nullopt;
    return get(own.getOperand(*a ? 1 : 2), thread);
  }
  llvm::Type *type = own.getOperand(0)->getType();
  if (llvm::isa<llvm::CastInst>(own)) {
    if (!a)
      return std::nullopt;
    switch (own.getOpcode()) {
    case llvm::Instruction::ZExt:
      return int64_t(bitsOf(*a, type));
    case llvm::Instruction::SExt:
    case llvm::Instruction::Trunc:
      return a;
    default:
      return std::nullopt;
    }
  }
  if (llvm::isa<llvm::FreezeInst>(own))
    return a;
  if (own.getNumOperands() < 2 || !type->isIntegerTy())
    return std::nullopt;
  auto b = get(own.getOperand(1), thread);
  // A conjunction is false if one operand is, even if the other is not known.
  if (own.getOpcode() == llvm::Instruction::And && ((a && !*a) || (b && !*b)))
    return 0;
  if (!a || !b)
    return std::nullopt;
  uint64_t left = bitsOf(*a, type), right = bitsOf(*b, type);
  if (auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&own)) {
    unsigned bits = type->getIntegerBitWidth();
    return llvm::ICmpInst::compare(llvm::APInt(bits, left),
                                   llvm::APInt(bits, right),
                                   compare->getPredicate())
               ? -1
               : 0;
  }
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&own)) {
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::smin:
      return std::min(*a, *b);
    case llvm::Intrinsic::smax:
      return std::max(*a, *b);
    case llvm::Intrinsic::umin:
      return std::min(left, right);
    default:
      return std::max(left, right);
    }
  }
  switch (own.getOpcode()) {
  case llvm::Instruction::Add:
    return int64_t(left + right);
  case llvm::Instruction::Sub:
    return int64_t(left - right);
  case llvm::Instruction::Mul:
    return int64_t(left * right);
  case llvm::Instruction::And:
    return *a & *b;
  case llvm::Instruction::Or:
    return *a | *b;
  case llvm::Instruction::Xor:
    return *a ^ *b;
  case llvm::Instruction::UDiv:
    return right ? std::optional<int64_t>(left / right) : std::nullopt;
  case llvm::Instruction::URem:
    return right ? std::optional<int64_t>(left % right) : std::nullopt;
  case llvm::Instruction::Shl:
    return right < 64 ? std::optional<int64_t>(left << right) : std::nullopt;
  case llvm::Instruction::LShr:
    return right < 64 ? std::optional<int64_t>(left >> right) : std::nullopt;
  case llvm::Instruction::AShr:
    return right < 64 ? std::optional<int64_t>(*a >> right) : std::nullopt;
  default:
    return std::nullopt;
  }
}

} // namespace zcc::cuda
