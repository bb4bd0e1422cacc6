// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/InstructionCount.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include <cmath>

namespace zcc::cuda {

namespace {

using planning::LaunchInstructions;

constexpr double arithmeticCycles = 4, functionCycles = 18, sharedCycles = 29,
                 exchangeCycles = 23, barrierCycles = 20;

double lanesOf(llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

/// Returns the words of 4 bytes, or less, in which elements are moved.
double wordsOf(llvm::Type *type, llvm::Align alignment) {
  double bytes = type->getPrimitiveSizeInBits().getFixedValue() / 8.;
  if (type->isPointerTy())
    bytes = 8;
  bytes = std::max(bytes, 1.);
  double piece = std::min<double>(std::min<uint64_t>(alignment.value(), 16),
                                  std::max(bytes, 1.));
  return std::ceil(bytes / piece) * std::max(1., piece / 4);
}

bool isPowerOfTwo(llvm::Value *value) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant && value->getType()->isVectorTy())
    constant = constant->getSplatValue();
  auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  return number && number->getValue().isPowerOf2();
}

/// Returns true for the sum of a value and a constant that is only part of
/// addresses, whose constants are part of the instruction that uses them.
bool isFolded(const llvm::Instruction &own) {
  return own.getOpcode() == llvm::Instruction::Add &&
         llvm::isa<llvm::ConstantInt>(own.getOperand(1)) &&
         llvm::all_of(own.users(), [](auto *u) {
           return llvm::isa<llvm::GetElementPtrInst>(u);
         });
}

} // namespace

Counted countInstruction(const llvm::Instruction &own) {
  Counted out;
  LaunchInstructions &counts = out.counts;
  const double lanes = lanesOf(own.getType());
  llvm::Type *operand =
      own.getNumOperands() ? own.getOperand(0)->getType() : own.getType();
  const bool isDouble = own.getType()->getScalarType()->isDoubleTy() ||
                        operand->getScalarType()->isDoubleTy();
  // Integers of 64 bits are computed in halves.
  const double halves = operand->getScalarSizeInBits() > 32 ? 2 : 1;
  auto floats = [&](double each) {
    (isDouble ? counts.doubles : counts.floats) += lanes * each;
    out.cycles = arithmeticCycles * each;
  };
  auto integers = [&](double each) {
    counts.integers += lanes * each;
    out.cycles = arithmeticCycles * each;
  };
  auto function = [&](double around) {
    floats(around);
    counts.functions += lanes;
    out.cycles = arithmeticCycles * around + functionCycles;
  };
  switch (own.getOpcode()) {
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FSub:
  case llvm::Instruction::FMul:
  case llvm::Instruction::FNeg:
    floats(1);
    break;
  case llvm::Instruction::FDiv: // as IEEE 754 has it: a reciprocal, then
                                // corrections
    function(9);
    break;
  case llvm::Instruction::FRem:
    function(40);
    break;
  case llvm::Instruction::FCmp:
  case llvm::Instruction::FPTrunc:
  case llvm::Instruction::FPExt:
  case llvm::Instruction::SIToFP:
  case llvm::Instruction::UIToFP:
  case llvm::Instruction::FPToSI:
  case llvm::Instruction::FPToUI:
    if (isDouble)
      floats(1);
    else
      integers(halves);
    break;
  case llvm::Instruction::Select:
    integers(own.getType()->getScalarSizeInBits() > 32 ? 2 : 1);
    break;
  case llvm::Instruction::Add:
    if (isFolded(own))
      break;
    [[fallthrough]];
  case llvm::Instruction::Sub:
  case llvm::Instruction::ICmp:
  case llvm::Instruction::And:
  case llvm::Instruction::Or:
  case llvm::Instruction::Xor:
  case llvm::Instruction::Shl:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
    // One instruction takes the upper halves of two words.
    if (halves == 1 && llvm::all_of(own.users(), [](const llvm::User *user) {
          return llvm::isa<llvm::TruncInst>(user);
        }))
      integers(0.5);
    else if (!own.getType()->isIntOrIntVectorTy(1) ||
             llvm::isa<llvm::ICmpInst>(
                 own)) // predicates are combined by the comparison
      integers(halves);
    break;
  case llvm::Instruction::Mul: {
    bool isWide = llvm::isa<llvm::ZExtInst>(own.getOperand(0)) &&
                  llvm::isa<llvm::ZExtInst>(own.getOperand(1));
    integers(isPowerOfTwo(own.getOperand(1)) ? halves
             : halves == 1 || isWide         ? 1
                                             : 3);
    break;
  }
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
    integers(isPowerOfTwo(own.getOperand(1)) ? halves
             : llvm::isa<llvm::Constant>(own.getOperand(1))
                 ? 4 * halves
                 : 20 * halves * halves);
    break;
  case llvm::Instruction::GetElementPtr: {
    auto &place = llvm::cast<llvm::GetElementPtrInst>(own);
    if (!place.hasAllConstantIndices())
      integers(2);
    break;
  }
  case llvm::Instruction::Load: {
    auto &load = llvm::cast<llvm::LoadInst>(own);
    counts.transfers += wordsOf(load.getType(), load.getAlign());
    if (load.getPointerAddressSpace() == sharedSpace)
      out.cycles = sharedCycles;
    break;
  }
  case llvm::Instruction::Store: {
    auto &store = llvm::cast<llvm::StoreInst>(own);
    counts.transfers +=
        wordsOf(store.getValueOperand()->getType(), store.getAlign());
    break;
  }
  case llvm::Instruction::Br:
    if (llvm::cast<llvm::BranchInst>(own).isConditional())
      integers(1);
    break;
  case llvm::Instruction::Switch:
    integers(2);
    break;
  case llvm::Instruction::Call:
    switch (llvm::cast<llvm::CallInst>(own).getIntrinsicID()) {
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
      floats(1);
      break;
    case llvm::Intrinsic::fabs: // part of the instruction that uses it
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      break;
    case llvm::Intrinsic::sqrt:
      function(8);
      break;
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::roundeven:
      function(0);
      break;
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_gather:
      counts.transfers += lanes;
      break;
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_scatter:
      counts.transfers += lanesOf(operand);
      break;
    case llvm::Intrinsic::nvvm_shfl_sync_idx_i32:
      counts.transfers += 1;
      out.cycles = exchangeCycles;
      break;
    case llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all:
      integers(1);
      out.cycles = barrierCycles;
      break;
    case llvm::Intrinsic::nvvm_ff2bf16x2_rn: // its result is a vector
      counts.integers += 1;
      out.cycles = arithmeticCycles;
      break;
    default:
      integers(halves);
    }
    break;
  default: // moves, casts, parts of vectors: no instructions of their own
    break;
  }
  return out;
}

bool isBarrier(const llvm::Instruction &own) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&own);
  return call && call->getIntrinsicID() ==
                     llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all;
}

} // namespace zcc::cuda
