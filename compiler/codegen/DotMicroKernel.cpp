// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/DotMicroKernel.h"

#include "llvm/IR/Intrinsics.h"

namespace zcc {

llvm::Value *elementPointer(llvm::IRBuilderBase &b, llvm::Type *type,
                            llvm::Value *base, llvm::Value *index) {
  return b.CreateGEP(type, base, index);
}
llvm::Value *elementPointer(llvm::IRBuilderBase &b, llvm::Type *type,
                            llvm::Value *base, int64_t index) {
  return index == 0 ? base : b.CreateGEP(type, base, b.getInt64(index));
}

static llvm::Value *laneMask(llvm::IRBuilderBase &b, unsigned lanes,
                             unsigned active) {
  llvm::SmallVector<llvm::Constant *> bits;
  for (unsigned i = 0; i < lanes; ++i)
    bits.push_back(b.getInt1(i < active));
  return llvm::ConstantVector::get(bits);
}

llvm::Value *loadLanes(llvm::IRBuilderBase &b, llvm::Type *type, unsigned lanes,
                       unsigned active, llvm::Value *pointer,
                       unsigned alignment) {
  auto *vector = llvm::FixedVectorType::get(type, lanes);
  if (active >= lanes)
    return b.CreateAlignedLoad(vector, pointer, llvm::Align(alignment));
  return b.CreateMaskedLoad(vector, pointer, llvm::Align(alignment),
                            laneMask(b, lanes, active),
                            llvm::Constant::getNullValue(vector));
}

void storeLanes(llvm::IRBuilderBase &b, llvm::Value *vector, unsigned active,
                llvm::Value *pointer, unsigned alignment) {
  unsigned lanes =
      cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  if (active >= lanes)
    b.CreateAlignedStore(vector, pointer, llvm::Align(alignment));
  else
    b.CreateMaskedStore(vector, pointer, llvm::Align(alignment),
                        laneMask(b, lanes, active));
}

llvm::Value *multiplyAdd(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y,
                         llvm::Value *sum) {
  if (!sum->getType()->isFPOrFPVectorTy())
    return b.CreateAdd(sum, b.CreateMul(x, y));
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {x, y, sum});
}

llvm::SmallVector<llvm::Value *>
emitMicroKernel(llvm::IRBuilder<> &b, const MicroKernel &kernel, llvm::Value *a,
                llvm::Value *rhs, llvm::Value *steps, llvm::Value *wanted,
                llvm::ArrayRef<TilePrefetch> ahead) {
  llvm::LLVMContext &context = b.getContext();
  llvm::Function *f = b.GetInsertBlock()->getParent();
  llvm::Type *type = kernel.type;
  unsigned rows = kernel.rows, vectors = kernel.vectors(), lanes = kernel.lanes;
  unsigned bytes = type->getScalarSizeInBits() / 8;
  auto *vector = llvm::FixedVectorType::get(type, lanes);

  // Emits one step, in which every accumulator adds one product.
  auto step = [&](llvm::Value *pa, llvm::Value *pb, unsigned k,
                  llvm::MutableArrayRef<llvm::Value *> sums) {
    llvm::SmallVector<llvm::Value *> right;
    for (unsigned v = 0; v < vectors; ++v)
      right.push_back(loadLanes(
          b, type, lanes, kernel.paddedB ? lanes : kernel.active(v),
          elementPointer(b, type, pb, k * kernel.bStep + v * lanes), bytes));
    for (unsigned r = 0; r < rows; ++r) {
      llvm::Value *left = b.CreateVectorSplat(
          lanes,
          b.CreateAlignedLoad(
              type,
              elementPointer(b, type, pa, k * kernel.aStep + r * kernel.aRow),
              llvm::Align(bytes)));
      for (unsigned v = 0; v < vectors; ++v)
        sums[r * vectors + v] =
            multiplyAdd(b, left, right[v], sums[r * vectors + v]);
    }
  };

  auto fetchPiece = [&](const TilePrefetch &piece, llvm::Value *at) {
    for (unsigned byte = 0; byte < piece.bytes; byte += 64)
      b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
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
  llvm::SmallVector<llvm::Value *> sums(rows * vectors,
                                        llvm::Constant::getNullValue(vector));
  // Emits a loop over `count` iterations of `unroll` steps, which moves a and
  // rhs along. With `fetch`, each iteration prefetches the pieces of one row.
  auto loop = [&](llvm::Value *count, unsigned unroll, bool mayBeEmpty,
                  bool fetch) {
    llvm::BasicBlock *before = b.GetInsertBlock();
    llvm::BasicBlock *body = llvm::BasicBlock::Create(context, "steps", f);
    llvm::BasicBlock *done = llvm::BasicBlock::Create(context, "stepped", f);
    if (mayBeEmpty)
      b.CreateCondBr(b.CreateICmpSGT(count, b.getInt64(0)), body, done);
    else
      b.CreateBr(body);
    b.SetInsertPoint(body);
    auto phi = [&](llvm::Value *start) {
      llvm::PHINode *p = b.CreatePHI(start->getType(), 2);
      p->addIncoming(start, before);
      return p;
    };
    llvm::PHINode *left = phi(count), *pa = phi(a), *pb = phi(rhs);
    llvm::SmallVector<llvm::PHINode *> in, pieces;
    for (llvm::Value *sum : sums)
      in.push_back(phi(sum));
    if (fetch)
      for (const TilePrefetch &piece : ahead)
        pieces.push_back(phi(piece.pointer));
    llvm::SmallVector<llvm::Value *> out(in.begin(), in.end());
    for (auto [i, at] : llvm::enumerate(pieces))
      fetchPiece(ahead[i], at);
    for (unsigned k = 0; k < unroll; ++k)
      step(pa, pb, k, out);
    llvm::Value *nextA = elementPointer(b, type, pa, unroll * kernel.aStep);
    llvm::Value *nextB = elementPointer(b, type, pb, unroll * kernel.bStep);
    llvm::Value *rest = b.CreateSub(left, b.getInt64(1));
    llvm::BasicBlock *end = b.GetInsertBlock();
    left->addIncoming(rest, end);
    pa->addIncoming(nextA, end);
    pb->addIncoming(nextB, end);
    for (auto [p, value] : llvm::zip(in, out))
      p->addIncoming(value, end);
    for (auto [i, at] : llvm::enumerate(pieces))
      at->addIncoming(elementPointer(b, b.getInt8Ty(), at, ahead[i].rowBytes),
                      end);
    b.CreateCondBr(b.CreateICmpSGT(rest, b.getInt64(0)), body, done);
    b.SetInsertPoint(done);
    auto merge = [&](llvm::Value *skipped,
                     llvm::Value *stepped) -> llvm::Value * {
      if (!mayBeEmpty)
        return stepped;
      llvm::PHINode *p = b.CreatePHI(stepped->getType(), 2);
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
  llvm::Value *whole = b.CreateUDiv(steps, b.getInt64(unroll));
  llvm::Value *left = whole;
  if (!ahead.empty()) {
    // If all prefetches came at once, they would delay the loads of operands.
    llvm::Value *fetching = b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, whole,
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
