// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/DotMicroKernel.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace zcc {

Value *elementPointer(IRBuilderBase &b, Type *type, Value *base, Value *index) {
  return b.CreateGEP(type, base, index);
}
Value *elementPointer(IRBuilderBase &b, Type *type, Value *base,
                      int64_t index) {
  return index == 0 ? base : b.CreateGEP(type, base, b.getInt64(index));
}

static Value *laneMask(IRBuilderBase &b, unsigned lanes, unsigned active) {
  SmallVector<Constant *> bits;
  for (unsigned i = 0; i < lanes; ++i)
    bits.push_back(b.getInt1(i < active));
  return ConstantVector::get(bits);
}

Value *loadLanes(IRBuilderBase &b, Type *type, unsigned lanes, unsigned active,
                 Value *pointer, unsigned alignment) {
  auto *vector = FixedVectorType::get(type, lanes);
  if (active >= lanes)
    return b.CreateAlignedLoad(vector, pointer, Align(alignment));
  return b.CreateMaskedLoad(vector, pointer, Align(alignment),
                            laneMask(b, lanes, active),
                            Constant::getNullValue(vector));
}

void storeLanes(IRBuilderBase &b, Value *vector, unsigned active,
                Value *pointer, unsigned alignment) {
  unsigned lanes = cast<FixedVectorType>(vector->getType())->getNumElements();
  if (active >= lanes)
    b.CreateAlignedStore(vector, pointer, Align(alignment));
  else
    b.CreateMaskedStore(vector, pointer, Align(alignment),
                        laneMask(b, lanes, active));
}

Value *multiplyAdd(IRBuilderBase &b, Value *x, Value *y, Value *sum) {
  if (!sum->getType()->isFPOrFPVectorTy())
    return b.CreateAdd(sum, b.CreateMul(x, y));
  return b.CreateIntrinsic(Intrinsic::fma, {sum->getType()}, {x, y, sum});
}

Function *emitMicroKernel(Function &like, const MicroKernel &kernel,
                          const Twine &name) {
  Module &module = *like.getParent();
  LLVMContext &context = module.getContext();
  IRBuilder<> b(context);
  Type *pointer = b.getPtrTy(), *type = kernel.type;
  auto *f = Function::Create(FunctionType::get(b.getVoidTy(),
                                               {pointer, pointer, pointer,
                                                b.getInt64Ty(), b.getInt1Ty()},
                                               false),
                             Function::InternalLinkage, name, module);
  f->addFnAttrs(AttrBuilder(context, like.getAttributes().getFnAttrs()));
  for (unsigned i = 0; i < 3; ++i)
    f->addParamAttr(i, Attribute::NoAlias);
  f->addFnAttr(Attribute::NoInline);
  Value *a = f->getArg(0), *rhs = f->getArg(1), *c = f->getArg(2);
  Value *steps = f->getArg(3), *accumulate = f->getArg(4);

  unsigned rows = kernel.rows, vectors = kernel.vectors(), lanes = kernel.lanes;
  unsigned tail = kernel.columns - (vectors - 1) * lanes;
  unsigned bytes = type->getScalarSizeInBits() / 8;
  auto *vector = FixedVectorType::get(type, lanes);
  auto active = [&](unsigned v) { return v + 1 == vectors ? tail : lanes; };

  // One step: every accumulator takes one product.
  auto step = [&](Value *pa, Value *pb, unsigned k,
                  MutableArrayRef<Value *> sums) {
    SmallVector<Value *> right;
    for (unsigned v = 0; v < vectors; ++v)
      right.push_back(loadLanes(
          b, type, lanes, kernel.paddedB ? lanes : active(v),
          elementPointer(b, type, pb, k * kernel.bStep + v * lanes), bytes));
    for (unsigned r = 0; r < rows; ++r) {
      Value *left = b.CreateVectorSplat(
          lanes,
          b.CreateAlignedLoad(
              type,
              elementPointer(b, type, pa, k * kernel.aStep + r * kernel.aRow),
              Align(bytes)));
      for (unsigned v = 0; v < vectors; ++v)
        sums[r * vectors + v] =
            multiplyAdd(b, left, right[v], sums[r * vectors + v]);
    }
  };

  BasicBlock *entry = BasicBlock::Create(context, "entry", f);
  b.SetInsertPoint(entry);
  // The result's lines are far away; they come while the steps run.
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned at = 0; at < kernel.columns * bytes; at += 64)
      b.CreateIntrinsic(
          Intrinsic::prefetch, {pointer},
          {elementPointer(b, type, c, r * kernel.cRow + at / bytes),
           b.getInt32(0), b.getInt32(3), b.getInt32(1)});
  SmallVector<Value *> sums(rows * vectors, Constant::getNullValue(vector));
  // A loop over `count` iterations of `unroll` steps; moves a and rhs along.
  auto loop = [&](Value *count, unsigned unroll, bool mayBeEmpty) {
    BasicBlock *before = b.GetInsertBlock();
    BasicBlock *body = BasicBlock::Create(context, "steps", f);
    BasicBlock *done = BasicBlock::Create(context, "stepped", f);
    if (mayBeEmpty)
      b.CreateCondBr(b.CreateICmpSGT(count, b.getInt64(0)), body, done);
    else
      b.CreateBr(body);
    b.SetInsertPoint(body);
    auto phi = [&](Value *start) {
      PHINode *p = b.CreatePHI(start->getType(), 2);
      p->addIncoming(start, before);
      return p;
    };
    PHINode *left = phi(count), *pa = phi(a), *pb = phi(rhs);
    SmallVector<PHINode *> in;
    for (Value *sum : sums)
      in.push_back(phi(sum));
    SmallVector<Value *> out(in.begin(), in.end());
    for (unsigned k = 0; k < unroll; ++k)
      step(pa, pb, k, out);
    Value *nextA = elementPointer(b, type, pa, unroll * kernel.aStep);
    Value *nextB = elementPointer(b, type, pb, unroll * kernel.bStep);
    Value *rest = b.CreateSub(left, b.getInt64(1));
    BasicBlock *end = b.GetInsertBlock();
    left->addIncoming(rest, end);
    pa->addIncoming(nextA, end);
    pb->addIncoming(nextB, end);
    for (auto [p, value] : llvm::zip(in, out))
      p->addIncoming(value, end);
    b.CreateCondBr(b.CreateICmpSGT(rest, b.getInt64(0)), body, done);
    b.SetInsertPoint(done);
    auto merge = [&](Value *skipped, Value *stepped) -> Value * {
      if (!mayBeEmpty)
        return stepped;
      PHINode *p = b.CreatePHI(stepped->getType(), 2);
      p->addIncoming(skipped, before);
      p->addIncoming(stepped, end);
      return p;
    };
    a = merge(a, nextA);
    rhs = merge(rhs, nextB);
    for (auto [sum, value] : llvm::zip(sums, out))
      sum = merge(sum, value);
  };
  unsigned unroll = kernel.unroll;
  if (kernel.wholeUnroll) {
    loop(b.CreateUDiv(steps, b.getInt64(unroll)), unroll, false);
  } else {
    loop(b.CreateUDiv(steps, b.getInt64(unroll)), unroll, true);
    loop(b.CreateURem(steps, b.getInt64(unroll)), 1, true);
  }

  auto place = [&](unsigned r, unsigned v) {
    return elementPointer(b, type, c, r * kernel.cRow + v * lanes);
  };
  BasicBlock *store = BasicBlock::Create(context, "store", f);
  BasicBlock *add = BasicBlock::Create(context, "add", f);
  b.CreateCondBr(accumulate, add, store);
  for (BasicBlock *block : {store, add}) {
    b.SetInsertPoint(block);
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned v = 0; v < vectors; ++v) {
        Value *sum = sums[r * vectors + v];
        if (block == add) {
          Value *old = loadLanes(b, type, lanes, active(v), place(r, v), bytes);
          sum = type->isFloatingPointTy() ? b.CreateFAdd(old, sum)
                                          : b.CreateAdd(old, sum);
        }
        storeLanes(b, sum, active(v), place(r, v), bytes);
      }
    b.CreateRetVoid();
  }
  return f;
}

} // namespace zcc
