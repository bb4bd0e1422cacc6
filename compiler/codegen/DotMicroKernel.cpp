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

SmallVector<Value *> emitMicroKernel(IRBuilder<> &b, const MicroKernel &kernel,
                                     Value *a, Value *rhs, Value *steps,
                                     Value *wanted,
                                     ArrayRef<TilePrefetch> ahead) {
  LLVMContext &context = b.getContext();
  Function *f = b.GetInsertBlock()->getParent();
  Type *type = kernel.type;
  unsigned rows = kernel.rows, vectors = kernel.vectors(), lanes = kernel.lanes;
  unsigned bytes = type->getScalarSizeInBits() / 8;
  auto *vector = FixedVectorType::get(type, lanes);

  // One step: every accumulator takes one product.
  auto step = [&](Value *pa, Value *pb, unsigned k,
                  MutableArrayRef<Value *> sums) {
    SmallVector<Value *> right;
    for (unsigned v = 0; v < vectors; ++v)
      right.push_back(loadLanes(
          b, type, lanes, kernel.paddedB ? lanes : kernel.active(v),
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

  auto fetchPiece = [&](const TilePrefetch &piece, Value *at) {
    for (unsigned byte = 0; byte < piece.bytes; byte += 64)
      b.CreateIntrinsic(Intrinsic::prefetch, {b.getPtrTy()},
                        {elementPointer(b, b.getInt8Ty(), at, byte),
                         b.getInt32(0), b.getInt32(3), b.getInt32(1)});
  };
  if (kernel.fewSteps) {
    for (const TilePrefetch &piece : ahead)
      for (unsigned r = 0; r < rows; ++r)
        fetchPiece(piece, elementPointer(b, b.getInt8Ty(), piece.pointer,
                                         r * piece.rowBytes));
    ahead = {};
  }
  SmallVector<Value *> sums(rows * vectors, Constant::getNullValue(vector));
  // A loop over `count` iterations of `unroll` steps; moves a and rhs along.
  // With `fetch`, an iteration fetches what one row of the tile wants.
  auto loop = [&](Value *count, unsigned unroll, bool mayBeEmpty, bool fetch) {
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
    SmallVector<PHINode *> in, pieces;
    for (Value *sum : sums)
      in.push_back(phi(sum));
    if (fetch)
      for (const TilePrefetch &piece : ahead)
        pieces.push_back(phi(piece.pointer));
    SmallVector<Value *> out(in.begin(), in.end());
    for (auto [i, at] : enumerate(pieces))
      fetchPiece(ahead[i], at);
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
    for (auto [i, at] : enumerate(pieces))
      at->addIncoming(elementPointer(b, b.getInt8Ty(), at, ahead[i].rowBytes),
                      end);
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
  Value *whole = b.CreateUDiv(steps, b.getInt64(unroll));
  Value *left = whole;
  if (!ahead.empty()) {
    // All at once they would keep the operands waiting.
    Value *fetching = b.CreateBinaryIntrinsic(
        Intrinsic::smin, whole,
        b.CreateSelect(wanted, b.getInt64(rows), b.getInt64(0)));
    loop(fetching, unroll, true, true);
    left = b.CreateSub(whole, fetching);
  }
  loop(left, unroll, !kernel.wholeUnroll || !ahead.empty(), false);
  if (!kernel.wholeUnroll)
    loop(b.CreateURem(steps, b.getInt64(unroll)), 1, true, false);
  return sums;
}

} // namespace zcc
