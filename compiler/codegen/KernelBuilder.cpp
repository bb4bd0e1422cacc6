// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/KernelBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace zcc {

using llvm::Value;

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

void KernelBuilder::setBuffers(llvm::function_ref<Value *(unsigned)> pointer) {
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
  return (t.getIntOrFloatBitWidth() + 7) / 8;
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

void KernelBuilder::loop(Value *lower, Value *upper, int64_t step,
                         llvm::function_ref<void(Value *)> body) {
  llvm::LLVMContext &c = ir.getContext();
  llvm::BasicBlock *before = ir.GetInsertBlock();
  auto *bodyBlock = llvm::BasicBlock::Create(c, "loop", function);
  auto *after = llvm::BasicBlock::Create(c, "after", function);
  ir.CreateCondBr(ir.CreateICmpSLT(lower, upper), bodyBlock, after);
  ir.SetInsertPoint(bodyBlock);
  llvm::PHINode *iv = ir.CreatePHI(ir.getInt64Ty(), 2);
  iv->addIncoming(lower, before);
  body(iv);
  Value *next = ir.CreateNSWAdd(iv, index(step));
  iv->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpSLT(next, upper), bodyBlock, after);
  after->moveAfter(ir.GetInsertBlock());
  ir.SetInsertPoint(after);
}

void KernelBuilder::ifThenElse(Value *condition,
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

llvm::AllocaInst *KernelBuilder::variable(llvm::Type *type, Value *initial) {
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

Value *KernelBuilder::splat(Value *v, unsigned count) {
  return count == 1 || isVector(v) ? v : ir.CreateVectorSplat(count, v);
}

void KernelBuilder::unify(MutableArrayRef<Value *> values) {
  if (llvm::any_of(values, isVector))
    for (Value *&v : values)
      v = toLanes(v);
}

Value *KernelBuilder::tailMask(Value *base, Value *limit) {
  // At least one lane is on, so that the difference fits any index type.
  Value *left = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                         ir.CreateSub(hidden(limit), base),
                                         index(numLanes));
  left = ir.CreateTrunc(left, ir.getInt32Ty());
  return ir.CreateICmpSLT(laneSteps(ir.getInt32Ty()), toLanes(left));
}

// ---------------------------------------------------------------- memory

Value *KernelBuilder::address(const TensorBuffer &buffer, Value *offset) {
  return ir.CreateGEP(memoryType(buffer.elementType), buffer.pointer, offset);
}

Value *KernelBuilder::widen(Value *v, Type t) {
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

Value *KernelBuilder::narrow(Value *v, Type t) {
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

static void markInvariant(Value *v, const TensorBuffer &buffer) {
  if (!buffer.invariant)
    return;
  auto *i = cast<llvm::Instruction>(v);
  i->setMetadata(llvm::LLVMContext::MD_invariant_load,
                 llvm::MDNode::get(i->getContext(), {}));
}

Value *KernelBuilder::loadScalar(const TensorBuffer &buffer, Value *offset) {
  unsigned bytes = memoryBytes(buffer.elementType);
  Value *v = ir.CreateAlignedLoad(memoryType(buffer.elementType),
                                  address(buffer, offset), llvm::Align(bytes));
  markInvariant(v, buffer);
  return widen(v, buffer.elementType);
}

Value *KernelBuilder::ifLane(Value *mask, llvm::function_ref<Value *()> load) {
  llvm::BasicBlock *before = ir.GetInsertBlock(), *after = nullptr;
  Value *v = nullptr;
  ifThenElse(mask, [&] {
    v = load();
    after = ir.GetInsertBlock();
  });
  llvm::PHINode *phi = ir.CreatePHI(v->getType(), 2);
  phi->addIncoming(v, after);
  phi->addIncoming(llvm::Constant::getNullValue(v->getType()), before);
  return phi;
}

Value *KernelBuilder::loadVector(const TensorBuffer &buffer, Value *offset,
                                 Value *mask, bool whole) {
  if (numLanes == 1)
    return mask ? ifLane(mask, [&] { return loadScalar(buffer, offset); })
                : loadScalar(buffer, offset);
  llvm::Type *type = vectorize(memoryType(buffer.elementType), numLanes);
  unsigned bytes = memoryBytes(buffer.elementType);
  llvm::Align align(whole ? wholeAlignment(bytes) : bytes);
  Value *pointer = address(buffer, offset);
  Value *v =
      mask ? (Value *)ir.CreateMaskedLoad(type, pointer, align, mask,
                                          llvm::Constant::getNullValue(type))
           : ir.CreateAlignedLoad(type, pointer, align);
  if (!mask)
    markInvariant(v, buffer);
  return widen(v, buffer.elementType);
}

Value *KernelBuilder::gather(const TensorBuffer &buffer, Value *offsets,
                             Value *mask) {
  if (numLanes == 1)
    return loadVector(buffer, offsets, mask);
  llvm::Type *type = vectorize(memoryType(buffer.elementType), numLanes);
  if (!mask)
    mask = llvm::Constant::getAllOnesValue(vectorize(ir.getInt1Ty(), numLanes));
  Value *loaded =
      ir.CreateMaskedGather(type, address(buffer, offsets),
                            llvm::Align(memoryBytes(buffer.elementType)), mask,
                            llvm::Constant::getNullValue(type));
  return widen(loaded, buffer.elementType);
}

void KernelBuilder::storeScalar(Value *value, const TensorBuffer &buffer,
                                Value *offset) {
  ir.CreateAlignedStore(narrow(value, buffer.elementType),
                        address(buffer, offset),
                        llvm::Align(memoryBytes(buffer.elementType)));
}

void KernelBuilder::storeVector(Value *value, const TensorBuffer &buffer,
                                Value *offset, Value *mask, bool whole) {
  if (numLanes == 1) {
    auto store = [&] { storeScalar(value, buffer, offset); };
    return mask ? ifThenElse(mask, store) : store();
  }
  value = narrow(toLanes(value), buffer.elementType);
  unsigned bytes = memoryBytes(buffer.elementType);
  llvm::Align align(whole ? wholeAlignment(bytes) : bytes);
  Value *pointer = address(buffer, offset);
  if (mask)
    ir.CreateMaskedStore(value, pointer, align, mask);
  else
    ir.CreateAlignedStore(value, pointer, align);
}

void KernelBuilder::scatterStore(Value *value, const TensorBuffer &buffer,
                                 Value *offsets, Value *mask) {
  if (numLanes == 1)
    return storeVector(value, buffer, offsets, mask);
  if (!mask)
    mask = llvm::Constant::getAllOnesValue(vectorize(ir.getInt1Ty(), numLanes));
  value = narrow(toLanes(value), buffer.elementType);
  ir.CreateMaskedScatter(value, address(buffer, offsets),
                         llvm::Align(memoryBytes(buffer.elementType)), mask);
}

// ---------------------------------------------------------------- arithmetic

Value *KernelBuilder::bitcast(Value *v, llvm::Type *element) {
  return ir.CreateBitCast(v, v->getType()->getWithNewType(element));
}

Value *KernelBuilder::roundTo(Type t, Value *v) {
  if (t.isF16()) {
    llvm::Type *half = v->getType()->getWithNewType(ir.getHalfTy());
    return ir.CreateFPExt(ir.CreateFPTrunc(v, half), v->getType());
  }
  if (isa<Float8E4M3FNType>(t))
    return decodeF8(encodeF8(v));
  if (!t.isBF16())
    return v;
  // In integers: the native instructions flush denormals.
  Value *bits = bitcast(v, ir.getInt32Ty());
  llvm::Type *i32 = bits->getType();
  auto k = [&](uint32_t x) { return constantInt(i32, x); };
  // Half a unit, but just less where the last bit that stays is even.
  Value *odd = ir.CreateICmpNE(ir.CreateAnd(bits, k(0x10000)), k(0));
  Value *half = ir.CreateSelect(odd, k(0x8000), k(0x7FFF));
  Value *rounded = ir.CreateAdd(bits, half);
  Value *quiet = ir.CreateOr(bits, k(0x400000));
  Value *isNan = ir.CreateFCmpUNO(v, v);
  Value *result =
      ir.CreateAnd(ir.CreateSelect(isNan, quiet, rounded), k(0xFFFF0000));
  return bitcast(result, ir.getFloatTy());
}

// As runtime/core/Float.h.
Value *KernelBuilder::encodeF8(Value *v) {
  Value *bits = bitcast(v, ir.getInt32Ty());
  llvm::Type *i32 = bits->getType();
  auto k = [&](uint32_t x) { return constantInt(i32, x); };
  Value *sign = ir.CreateAnd(ir.CreateLShr(bits, k(24)), k(0x80));
  Value *magnitude = ir.CreateAnd(bits, k(0x7FFFFFFF));
  // Below 2^-6 the adder rounds.
  Value *shifted = ir.CreateFAdd(bitcast(magnitude, ir.getFloatTy()),
                                 constant(v->getType(), 16384));
  Value *subnormal =
      ir.CreateSub(bitcast(shifted, ir.getInt32Ty()), k(0x46800000));
  Value *odd = ir.CreateAnd(ir.CreateLShr(magnitude, k(20)), k(1));
  Value *rounded =
      ir.CreateAdd(ir.CreateSub(magnitude, k(0x3C000000 - 0x7FFFF)), odd);
  Value *normal = ir.CreateBinaryIntrinsic(
      llvm::Intrinsic::umin, ir.CreateLShr(rounded, k(20)), k(0x7E));
  Value *code = ir.CreateSelect(ir.CreateICmpULT(magnitude, k(0x3C800000)),
                                subnormal, normal);
  code = ir.CreateSelect(ir.CreateFCmpUNO(v, v), k(0x7F), code);
  return ir.CreateOr(code, sign);
}

Value *KernelBuilder::decodeF8(Value *code) {
  llvm::Type *i32 = code->getType();
  auto k = [&](uint32_t x) { return constantInt(i32, x); };
  Value *sign = ir.CreateShl(ir.CreateAnd(code, k(0x80)), k(24));
  Value *magnitude = ir.CreateShl(ir.CreateAnd(code, k(0x7F)), k(20));
  // Exact, and no operand is subnormal in f32.
  Value *raised =
      bitcast(ir.CreateOr(magnitude, k(0x3C800000)), ir.getFloatTy());
  Value *subnormal =
      bitcast(ir.CreateFSub(raised, constant(raised->getType(), 0x1p-6)),
              ir.getInt32Ty());
  Value *normal = ir.CreateAdd(magnitude, k(0x3C000000));
  normal = ir.CreateSelect(ir.CreateICmpEQ(magnitude, k(0x07F00000)),
                           k(0x7FF00000), normal);
  Value *bits = ir.CreateSelect(ir.CreateICmpULT(magnitude, k(0x00800000)),
                                subnormal, normal);
  return bitcast(ir.CreateOr(bits, sign), ir.getFloatTy());
}

Value *KernelBuilder::fma(Value *a, Value *b, Value *c) {
  Value *v[] = {a, b, c};
  unify(v);
  return ir.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()},
                            {v[0], v[1], v[2]});
}

Value *KernelBuilder::select(Value *mask, Value *a, Value *b) {
  Value *v[] = {mask, a, b};
  unify(v);
  return ir.CreateSelect(v[0], v[1], v[2]);
}

// x86's max(a, b) is b if either is NaN; a NaN in a is then put back.
Value *KernelBuilder::maximum(Value *a, Value *b) {
  Value *m = ir.CreateSelect(ir.CreateFCmpOGT(a, b), a, b);
  return ir.CreateSelect(ir.CreateFCmpUNO(a, a), a, m);
}

Value *KernelBuilder::minimum(Value *a, Value *b) {
  Value *m = ir.CreateSelect(ir.CreateFCmpOLT(a, b), a, b);
  return ir.CreateSelect(ir.CreateFCmpUNO(a, a), a, m);
}

} // namespace zcc
