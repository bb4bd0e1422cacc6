// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/KernelBuilder.h"
#include "dialects/TensorBytes.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace zcc {

KernelBuilder::KernelBuilder(llvm::Module &module, func::FuncOp func,
                             unsigned lanes)
    : func(func), ir(module.getContext()), numLanes(lanes) {
  info.symbol = func.getSymName().str();
  bool small = true;
  auto look = [&](Type t) {
    if (auto tensor = dyn_cast<RankedTensorType>(t))
      small &= tensor.getNumElements() < (int64_t(1) << 30);
  };
  func.walk([&](Operation *op) {
    llvm::for_each(op->getOperandTypes(), look);
    llvm::for_each(op->getResultTypes(), look);
  });
  vectorIndex = small ? ir.getInt32Ty() : ir.getInt64Ty();
}

void KernelBuilder::setBuffers(
    llvm::function_ref<llvm::Value *(unsigned)> pointer) {
  unsigned slot = 0;
  for (Type t : func.getArgumentTypes()) {
    auto tensor = cast<RankedTensorType>(t);
    bool invariant = llvm::none_of(func.getResultTypes(), [&](Type r) {
      auto result = cast<RankedTensorType>(r);
      return result.getElementType() == tensor.getElementType() &&
             result.getNumElements() == tensor.getNumElements();
    });
    arguments.push_back({pointer(slot++), tensor.getElementType(), invariant});
  }
  for (Type t : func.getResultTypes())
    results.push_back({pointer(slot++), getElementTypeOrSelf(t), false});
}

// ---------------------------------------------------------------- types

llvm::Type *KernelBuilder::registerType(Type t) {
  if (t.isF64())
    return ir.getDoubleTy();
  if (isa<FloatType>(t))
    return ir.getFloatTy();
  return ir.getIntNTy(t.getIntOrFloatBitWidth());
}

llvm::Type *KernelBuilder::memoryType(Type t) {
  if (t.isBF16())
    return ir.getInt16Ty();
  if (t.isF16())
    return ir.getHalfTy();
  if (t.isInteger(1) || isa<Float8E4M3FNType>(t))
    return ir.getInt8Ty();
  return registerType(t);
}

unsigned KernelBuilder::memoryBytes(Type t) {
  return static_cast<unsigned>(getElementBytes(t));
}

llvm::Type *KernelBuilder::vectorize(llvm::Type *type, unsigned count) {
  return count == 1 ? type : llvm::FixedVectorType::get(type, count);
}

llvm::Constant *KernelBuilder::constant(llvm::Type *type, double value) {
  if (type->isFPOrFPVectorTy())
    return llvm::ConstantFP::get(type, value);
  return llvm::ConstantInt::get(type, static_cast<int64_t>(value), true);
}

llvm::Constant *KernelBuilder::constantInt(llvm::Type *type, uint64_t value) {
  return llvm::ConstantInt::get(
      type, llvm::APInt(64, value).zextOrTrunc(type->getScalarSizeInBits()));
}

llvm::Constant *KernelBuilder::laneNumbers(unsigned count) {
  if (count == 1)
    return llvm::ConstantInt::get(vectorIndex, 0);
  SmallVector<llvm::Constant *> numbers;
  for (unsigned i = 0; i < count; ++i)
    numbers.push_back(llvm::ConstantInt::get(vectorIndex, i));
  return llvm::ConstantVector::get(numbers);
}

llvm::Constant *KernelBuilder::laneSteps(llvm::Type *type, int64_t stride) {
  if (numLanes == 1)
    return llvm::ConstantInt::get(type, 0);
  SmallVector<llvm::Constant *> steps;
  for (unsigned i = 0; i < numLanes; ++i)
    steps.push_back(llvm::ConstantInt::get(type, i * stride));
  return llvm::ConstantVector::get(steps);
}

// ---------------------------------------------------------------- control flow

void KernelBuilder::loop(llvm::Value *lower, llvm::Value *upper, int64_t step,
                         llvm::function_ref<void(llvm::Value *)> body,
                         int64_t expected) {
  llvm::LLVMContext &c = ir.getContext();
  llvm::BasicBlock *before = ir.GetInsertBlock();
  auto *bodyBlock = llvm::BasicBlock::Create(c, "loop", function);
  auto *after = llvm::BasicBlock::Create(c, "after", function);
  ir.CreateCondBr(ir.CreateICmpSLT(lower, upper), bodyBlock, after);
  ir.SetInsertPoint(bodyBlock);
  llvm::PHINode *iv = ir.CreatePHI(ir.getInt64Ty(), 2);
  iv->addIncoming(lower, before);
  body(iv);
  llvm::Value *next = ir.CreateNSWAdd(iv, index(step));
  iv->addIncoming(next, ir.GetInsertBlock());
  llvm::BranchInst *again =
      ir.CreateCondBr(ir.CreateICmpSLT(next, upper), bodyBlock, after);
  if (expected > 0)
    again->setMetadata(llvm::LLVMContext::MD_prof,
                       llvm::MDBuilder(c).createBranchWeights(
                           static_cast<uint32_t>(expected - 1), 1));
  after->moveAfter(ir.GetInsertBlock());
  ir.SetInsertPoint(after);
}

void KernelBuilder::ifThenElse(llvm::Value *condition,
                               llvm::function_ref<void()> then,
                               llvm::function_ref<void()> otherwise) {
  llvm::LLVMContext &c = ir.getContext();
  auto *thenBlock = llvm::BasicBlock::Create(c, "then", function);
  auto *after = llvm::BasicBlock::Create(c, "endif", function);
  auto *elseBlock =
      otherwise ? llvm::BasicBlock::Create(c, "else", function) : after;
  ir.CreateCondBr(condition, thenBlock, elseBlock);
  ir.SetInsertPoint(thenBlock);
  then();
  ir.CreateBr(after);
  if (otherwise) {
    elseBlock->moveAfter(ir.GetInsertBlock());
    ir.SetInsertPoint(elseBlock);
    otherwise();
    ir.CreateBr(after);
  }
  after->moveAfter(ir.GetInsertBlock());
  ir.SetInsertPoint(after);
}

void KernelBuilder::ifSeldom(llvm::Value *condition,
                             llvm::function_ref<void()> then, uint32_t oneIn) {
  llvm::BasicBlock *before = ir.GetInsertBlock();
  ifThenElse(condition, then);
  if (oneIn > 1)
    before->getTerminator()->setMetadata(
        llvm::LLVMContext::MD_prof,
        llvm::MDBuilder(ir.getContext()).createBranchWeights(1, oneIn - 1));
}

llvm::Value *KernelBuilder::makeIf(llvm::Value *condition,
                                   llvm::function_ref<llvm::Value *()> make,
                                   uint32_t oneIn) {
  llvm::BasicBlock *before = ir.GetInsertBlock(), *after = nullptr;
  llvm::Value *made = nullptr;
  ifSeldom(
      condition,
      [&] {
        made = make();
        after = ir.GetInsertBlock();
      },
      oneIn);
  llvm::PHINode *phi = ir.CreatePHI(made->getType(), 2);
  phi->addIncoming(made, after);
  phi->addIncoming(llvm::Constant::getNullValue(made->getType()), before);
  return phi;
}

llvm::AllocaInst *KernelBuilder::variable(llvm::Type *type,
                                          llvm::Value *initial) {
  llvm::AllocaInst *v;
  {
    llvm::IRBuilder<>::InsertPointGuard guard(ir);
    llvm::BasicBlock &entry = function->getEntryBlock();
    ir.SetInsertPoint(&entry, entry.begin());
    v = ir.CreateAlloca(type);
  }
  if (initial)
    set(v, initial);
  return v;
}

// ---------------------------------------------------------------- vectors

llvm::Value *KernelBuilder::splat(llvm::Value *v, unsigned count) {
  return count == 1 || isVector(v) ? v : ir.CreateVectorSplat(count, v);
}

void KernelBuilder::unify(MutableArrayRef<llvm::Value *> values) {
  if (llvm::any_of(values, isVector))
    for (llvm::Value *&v : values)
      v = toLanes(v);
}

llvm::Value *KernelBuilder::tailMask(llvm::Value *base, llvm::Value *limit) {
  // At least one lane is active, so that the difference fits any index type.
  llvm::Value *left = ir.CreateBinaryIntrinsic(
      llvm::Intrinsic::smin, ir.CreateSub(hidden(limit), base),
      index(numLanes));
  left = ir.CreateTrunc(left, ir.getInt32Ty());
  return ir.CreateICmpSLT(laneSteps(ir.getInt32Ty()), toLanes(left));
}

// ---------------------------------------------------------------- memory

llvm::Value *KernelBuilder::address(const TensorBuffer &buffer,
                                    llvm::Value *offset) {
  return ir.CreateGEP(memoryType(buffer.elementType), buffer.pointer, offset);
}

llvm::Value *KernelBuilder::widen(llvm::Value *v, Type t) {
  if (t.isInteger(1))
    return ir.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
  if (t.isF16())
    return ir.CreateFPExt(v, v->getType()->getWithNewType(ir.getFloatTy()));
  if (t.isBF16()) {
    llvm::Type *i32 = v->getType()->getWithNewType(ir.getInt32Ty());
    return bitcast(ir.CreateShl(ir.CreateZExt(v, i32), 16), ir.getFloatTy());
  }
  if (isa<Float8E4M3FNType>(t))
    return decodeF8(
        ir.CreateZExt(v, v->getType()->getWithNewType(ir.getInt32Ty())));
  return v;
}

llvm::Value *KernelBuilder::narrow(llvm::Value *v, Type t) {
  llvm::Type *to = v->getType()->getWithNewType(memoryType(t));
  if (t.isInteger(1))
    return ir.CreateZExt(v, to);
  if (t.isF16())
    return ir.CreateFPTrunc(v, to);
  if (t.isBF16())
    return ir.CreateTrunc(ir.CreateLShr(bitcast(v, ir.getInt32Ty()), 16), to);
  if (isa<Float8E4M3FNType>(t))
    return ir.CreateTrunc(encodeF8(v), to);
  return v;
}

static void markInvariant(llvm::Value *v, const TensorBuffer &buffer) {
  if (!buffer.invariant)
    return;
  auto *i = cast<llvm::Instruction>(v);
  i->setMetadata(llvm::LLVMContext::MD_invariant_load,
                 llvm::MDNode::get(i->getContext(), {}));
}

llvm::Value *KernelBuilder::loadScalar(const TensorBuffer &buffer,
                                       llvm::Value *offset) {
  unsigned bytes = memoryBytes(buffer.elementType);
  llvm::Value *v =
      ir.CreateAlignedLoad(memoryType(buffer.elementType),
                           address(buffer, offset), llvm::Align(bytes));
  markInvariant(v, buffer);
  return widen(v, buffer.elementType);
}

llvm::Value *KernelBuilder::loadVector(const TensorBuffer &buffer,
                                       llvm::Value *offset, llvm::Value *mask,
                                       bool whole) {
  if (numLanes == 1)
    return mask ? makeIf(mask, [&] { return loadScalar(buffer, offset); })
                : loadScalar(buffer, offset);
  llvm::Type *type = vectorize(memoryType(buffer.elementType), numLanes);
  unsigned bytes = memoryBytes(buffer.elementType);
  llvm::Align align(whole ? wholeAlignment(bytes) : bytes);
  llvm::Value *pointer = address(buffer, offset);
  llvm::Value *v =
      mask ? (llvm::Value *)ir.CreateMaskedLoad(
                 type, pointer, align, mask, llvm::Constant::getNullValue(type))
           : ir.CreateAlignedLoad(type, pointer, align);
  if (!mask)
    markInvariant(v, buffer);
  return widen(v, buffer.elementType);
}

llvm::Value *KernelBuilder::gather(const TensorBuffer &buffer,
                                   llvm::Value *offsets, llvm::Value *mask) {
  if (numLanes == 1)
    return loadVector(buffer, offsets, mask);
  llvm::Type *type = vectorize(memoryType(buffer.elementType), numLanes);
  if (!mask)
    mask = llvm::Constant::getAllOnesValue(vectorize(ir.getInt1Ty(), numLanes));
  llvm::Value *loaded =
      ir.CreateMaskedGather(type, address(buffer, offsets),
                            llvm::Align(memoryBytes(buffer.elementType)), mask,
                            llvm::Constant::getNullValue(type));
  return widen(loaded, buffer.elementType);
}

void KernelBuilder::storeScalar(llvm::Value *value, const TensorBuffer &buffer,
                                llvm::Value *offset) {
  ir.CreateAlignedStore(narrow(value, buffer.elementType),
                        address(buffer, offset),
                        llvm::Align(memoryBytes(buffer.elementType)));
}

void KernelBuilder::storeVector(llvm::Value *value, const TensorBuffer &buffer,
                                llvm::Value *offset, llvm::Value *mask,
                                bool whole) {
  if (numLanes == 1) {
    auto store = [&] { storeScalar(value, buffer, offset); };
    return mask ? ifThenElse(mask, store) : store();
  }
  value = narrow(toLanes(value), buffer.elementType);
  unsigned bytes = memoryBytes(buffer.elementType);
  llvm::Align align(whole ? wholeAlignment(bytes) : bytes);
  llvm::Value *pointer = address(buffer, offset);
  if (mask)
    ir.CreateMaskedStore(value, pointer, align, mask);
  else
    ir.CreateAlignedStore(value, pointer, align);
}

void KernelBuilder::scatterStore(llvm::Value *value, const TensorBuffer &buffer,
                                 llvm::Value *offsets, llvm::Value *mask) {
  if (numLanes == 1)
    return storeVector(value, buffer, offsets, mask);
  if (!mask)
    mask = llvm::Constant::getAllOnesValue(vectorize(ir.getInt1Ty(), numLanes));
  value = narrow(toLanes(value), buffer.elementType);
  ir.CreateMaskedScatter(value, address(buffer, offsets),
                         llvm::Align(memoryBytes(buffer.elementType)), mask);
}

// ---------------------------------------------------------------- arithmetic

llvm::Value *KernelBuilder::bitcast(llvm::Value *v, llvm::Type *element) {
  return ir.CreateBitCast(v, v->getType()->getWithNewType(element));
}

llvm::Value *KernelBuilder::roundTo(Type t, llvm::Value *v) {
  if (t.isF16()) {
    llvm::Type *half = v->getType()->getWithNewType(ir.getHalfTy());
    return ir.CreateFPExt(ir.CreateFPTrunc(v, half), v->getType());
  }
  if (isa<Float8E4M3FNType>(t))
    return decodeF8(encodeF8(v));
  return t.isBF16() ? roundToBf16(v) : v;
}

// The rounding uses integers because the instructions of x86 flush denormals.
llvm::Value *KernelBuilder::roundToBf16(llvm::Value *v) {
  llvm::Value *bits = bitcast(v, ir.getInt32Ty());
  llvm::Type *i32 = bits->getType();
  auto k = [&](uint32_t x) { return constantInt(i32, x); };
  // Adds half a unit, or just less if the last remaining bit is even.
  llvm::Value *odd = ir.CreateICmpNE(ir.CreateAnd(bits, k(0x10000)), k(0));
  llvm::Value *half = ir.CreateSelect(odd, k(0x8000), k(0x7FFF));
  llvm::Value *rounded = ir.CreateAdd(bits, half);
  llvm::Value *quiet = ir.CreateOr(bits, k(0x400000));
  llvm::Value *isNan = ir.CreateFCmpUNO(v, v);
  llvm::Value *result =
      ir.CreateAnd(ir.CreateSelect(isNan, quiet, rounded), k(0xFFFF0000));
  return bitcast(result, ir.getFloatTy());
}

// Encodes like runtime/core/Float.h.
llvm::Value *KernelBuilder::encodeF8(llvm::Value *v) {
  llvm::Value *bits = bitcast(v, ir.getInt32Ty());
  llvm::Type *i32 = bits->getType();
  auto k = [&](uint32_t x) { return constantInt(i32, x); };
  llvm::Value *sign = ir.CreateAnd(ir.CreateLShr(bits, k(24)), k(0x80));
  llvm::Value *magnitude = ir.CreateAnd(bits, k(0x7FFFFFFF));
  // Below 2^-6 the adder rounds.
  llvm::Value *shifted = ir.CreateFAdd(bitcast(magnitude, ir.getFloatTy()),
                                       constant(v->getType(), 16384));
  llvm::Value *subnormal =
      ir.CreateSub(bitcast(shifted, ir.getInt32Ty()), k(0x46800000));
  llvm::Value *odd = ir.CreateAnd(ir.CreateLShr(magnitude, k(20)), k(1));
  llvm::Value *rounded =
      ir.CreateAdd(ir.CreateSub(magnitude, k(0x3C000000 - 0x7FFFF)), odd);
  llvm::Value *normal = ir.CreateBinaryIntrinsic(
      llvm::Intrinsic::umin, ir.CreateLShr(rounded, k(20)), k(0x7E));
  llvm::Value *code = ir.CreateSelect(
      ir.CreateICmpULT(magnitude, k(0x3C800000)), subnormal, normal);
  code = ir.CreateSelect(ir.CreateFCmpUNO(v, v), k(0x7F), code);
  return ir.CreateOr(code, sign);
}

llvm::Value *KernelBuilder::decodeF8(llvm::Value *code) {
  llvm::Type *i32 = code->getType();
  auto k = [&](uint32_t x) { return constantInt(i32, x); };
  llvm::Value *sign = ir.CreateShl(ir.CreateAnd(code, k(0x80)), k(24));
  llvm::Value *magnitude = ir.CreateShl(ir.CreateAnd(code, k(0x7F)), k(20));
  // This is exact, and no operand is subnormal in f32.
  llvm::Value *raised =
      bitcast(ir.CreateOr(magnitude, k(0x3C800000)), ir.getFloatTy());
  llvm::Value *subnormal =
      bitcast(ir.CreateFSub(raised, constant(raised->getType(), 0x1p-6)),
              ir.getInt32Ty());
  llvm::Value *normal = ir.CreateAdd(magnitude, k(0x3C000000));
  normal = ir.CreateSelect(ir.CreateICmpEQ(magnitude, k(0x07F00000)),
                           k(0x7FF00000), normal);
  llvm::Value *bits = ir.CreateSelect(
      ir.CreateICmpULT(magnitude, k(0x00800000)), subnormal, normal);
  return bitcast(ir.CreateOr(bits, sign), ir.getFloatTy());
}

llvm::Value *KernelBuilder::fma(llvm::Value *a, llvm::Value *b,
                                llvm::Value *c) {
  llvm::Value *v[] = {a, b, c};
  unify(v);
  return ir.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()},
                            {v[0], v[1], v[2]});
}

llvm::Value *KernelBuilder::select(llvm::Value *mask, llvm::Value *a,
                                   llvm::Value *b) {
  llvm::Value *v[] = {mask, a, b};
  unify(v);
  return ir.CreateSelect(v[0], v[1], v[2]);
}

// x86's max(a, b) is b if either is NaN; a NaN in a is then put back.
llvm::Value *KernelBuilder::maximum(llvm::Value *a, llvm::Value *b) {
  llvm::Value *m = ir.CreateSelect(ir.CreateFCmpOGT(a, b), a, b);
  return ir.CreateSelect(ir.CreateFCmpUNO(a, a), a, m);
}

llvm::Value *KernelBuilder::minimum(llvm::Value *a, llvm::Value *b) {
  llvm::Value *m = ir.CreateSelect(ir.CreateFCmpOLT(a, b), a, b);
  return ir.CreateSelect(ir.CreateFCmpUNO(a, a), a, m);
}

} // namespace zcc
