// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits stable sorts. An item is a line along the sorted dim. Keys become
// unsigned integers in the requested order, with the position in the low bits,
// so that all are different and any sort is stable: insertion sort of runs of
// 16, then merges between the two halves of the scratch. At the end every
// operand is read in the order of the positions.
#include "compiler/codegen/SingleOpKernel.h"

using namespace mlir;

namespace zcc {
namespace {

constexpr int64_t runLength = 16;

class Sorter {
public:
  Sorter(SingleOpKernel &s, train::SortOp op)
      : s(s), k(s.kernel), ir(s.ir), op(op) {
    llvm::ArrayRef<int64_t> shape = s.sources[0].type.getShape();
    int64_t dim = op.getDim();
    n = shape[dim];
    for (auto [d, extent] : llvm::enumerate(shape))
      if (static_cast<int64_t>(d) != dim)
        (static_cast<int64_t>(d) < dim ? outer : inner) *= extent;
    elementType = s.sources[0].type.getElementType();
    keyBits = elementType.isF64()
                  ? 64
                  : std::max(32u, elementType.getIntOrFloatBitWidth());
    word = ir.getIntNTy(keyBits + (keyBits == 64 ? 64 : 32));
    wordBytes = keyBits == 64 ? 16 : 8;
  }

  void emit() {
    llvm::Value *front = k.scratch(n * wordBytes),
                *back = k.scratch(n * wordBytes);
    from = k.variable(ir.getPtrTy());
    to = k.variable(ir.getPtrTy());
    double comparisons = n * (llvm::Log2_64_Ceil(n) + 1.0);
    s.items(outer * inner, 3 * comparisons, [&](llvm::Value *item) {
      llvm::Value *base = s.plus(s.times(s.quotient(item, inner), n * inner),
                                 s.remainder(item, inner));
      k.set(from, front);
      k.set(to, back);
      s.loop(n, [&](llvm::Value *i) {
        llvm::Value *x =
            s.load(s.sources[0], s.plus(base, s.times(i, inner)), false);
        storeWord(front, i,
                  ir.CreateOr(ir.CreateShl(ir.CreateZExt(order(x), word),
                                           word->getBitWidth() - keyBits),
                              ir.CreateZExtOrTrunc(i, word)));
      });
      k.loop(ir.getInt64(0), ir.getInt64(n), runLength,
             [&](llvm::Value *run) { insertRun(front, run); });
      for (int64_t length = runLength; length < n; length *= 2) {
        k.loop(ir.getInt64(0), ir.getInt64(n), 2 * length,
               [&](llvm::Value *first) { merge(first, length); });
        llvm::Value *old = k.get(from);
        k.set(from, k.get(to));
        k.set(to, old);
      }
      llvm::Value *sorted = k.get(from);
      s.loop(n, [&](llvm::Value *i) { move(sorted, base, i); });
    });
  }

private:
  llvm::Value *wordAt(llvm::Value *array, llvm::Value *i) {
    return ir.CreateGEP(word, array, i);
  }
  llvm::Value *loadWord(llvm::Value *array, llvm::Value *i) {
    return ir.CreateAlignedLoad(word, wordAt(array, i), llvm::Align(wordBytes));
  }
  void storeWord(llvm::Value *array, llvm::Value *i, llvm::Value *value) {
    ir.CreateAlignedStore(value, wordAt(array, i), llvm::Align(wordBytes));
  }

  // Returns the key as an unsigned integer that is smaller if the key sorts
  // earlier.
  llvm::Value *order(llvm::Value *x) {
    llvm::IntegerType *type = ir.getIntNTy(keyBits);
    if (!isa<FloatType>(elementType)) {
      bool isSigned =
          !elementType.isInteger(1) && !elementType.isUnsignedInteger();
      x = isSigned ? ir.CreateSExt(x, type) : ir.CreateZExt(x, type);
      if (isSigned)
        x = ir.CreateXor(x, llvm::APInt::getSignMask(keyBits));
      return op.getDescending() ? ir.CreateNot(x) : x;
    }
    // -0 + 0 is 0. Below zero a larger magnitude is smaller: all bits flip.
    llvm::Value *bits =
        ir.CreateBitCast(ir.CreateFAdd(x, k.constant(x->getType(), 0)), type);
    llvm::Value *flip = ir.CreateOr(
        ir.CreateAShr(bits, keyBits - 1),
        llvm::ConstantInt::get(type, llvm::APInt::getSignMask(keyBits)));
    llvm::Value *ordered = ir.CreateXor(bits, flip);
    if (op.getDescending())
      ordered = ir.CreateNot(ordered);
    return ir.CreateSelect(ir.CreateFCmpUNO(x, x),
                           llvm::Constant::getAllOnesValue(type), ordered);
  }

  // Sorts words [run, run + runLength) by insertion.
  void insertRun(llvm::Value *array, llvm::Value *run) {
    llvm::Value *end = ir.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, s.plus(run, runLength), ir.getInt64(n));
    llvm::AllocaInst *hole = k.variable(ir.getInt64Ty());
    k.loop(s.plus(run, 1), end, 1, [&](llvm::Value *i) {
      llvm::Value *value = loadWord(array, i);
      k.set(hole, i);
      llvm::LLVMContext &c = ir.getContext();
      auto *test = llvm::BasicBlock::Create(c, "test", k.function);
      auto *look = llvm::BasicBlock::Create(c, "look", k.function);
      auto *shift = llvm::BasicBlock::Create(c, "shift", k.function);
      auto *done = llvm::BasicBlock::Create(c, "placed", k.function);
      ir.CreateBr(test);
      ir.SetInsertPoint(test);
      ir.CreateCondBr(ir.CreateICmpSGT(k.get(hole), run), look, done);
      ir.SetInsertPoint(look);
      llvm::Value *before = s.plus(k.get(hole), -1);
      llvm::Value *other = loadWord(array, before);
      ir.CreateCondBr(ir.CreateICmpULT(value, other), shift, done);
      ir.SetInsertPoint(shift);
      storeWord(array, k.get(hole), other);
      k.set(hole, before);
      ir.CreateBr(test);
      ir.SetInsertPoint(done);
      storeWord(array, k.get(hole), value);
    });
  }

  // Merges the runs [first, first + length) and [first + length, ...) of `from`
  // into `to`.
  void merge(llvm::Value *first, int64_t length) {
    auto clip = [&](llvm::Value *v) {
      return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v, ir.getInt64(n));
    };
    llvm::Value *middle = clip(s.plus(first, length));
    llvm::Value *end = clip(s.plus(first, 2 * length));
    llvm::Value *source = k.get(from), *target = k.get(to);
    llvm::AllocaInst *left = k.variable(ir.getInt64Ty(), first);
    llvm::AllocaInst *right = k.variable(ir.getInt64Ty(), middle);
    k.loop(first, end, 1, [&](llvm::Value *i) {
      llvm::Value *a = k.get(left), *b = k.get(right);
      llvm::Value *hasLeft = ir.CreateICmpSLT(a, middle);
      llvm::Value *hasRight = ir.CreateICmpSLT(b, end);
      // An exhausted run is read at `first`, which exists, and the value is
      // ignored.
      llvm::Value *x = loadWord(source, ir.CreateSelect(hasLeft, a, first));
      llvm::Value *y = loadWord(source, ir.CreateSelect(hasRight, b, first));
      llvm::Value *takeLeft = ir.CreateAnd(
          hasLeft, ir.CreateOr(ir.CreateNot(hasRight), ir.CreateICmpULT(x, y)));
      storeWord(target, i, ir.CreateSelect(takeLeft, x, y));
      k.set(left, ir.CreateAdd(a, ir.CreateZExt(takeLeft, ir.getInt64Ty())));
      k.set(right, ir.CreateAdd(b, ir.CreateZExt(ir.CreateNot(takeLeft),
                                                 ir.getInt64Ty())));
    });
  }

  void move(llvm::Value *sorted, llvm::Value *base, llvm::Value *i) {
    llvm::Value *position = loadWord(sorted, i);
    position = keyBits == 64 ? ir.CreateTrunc(position, ir.getInt64Ty())
                             : ir.CreateAnd(position, ir.getInt64(0xFFFFFFFF));
    llvm::Value *source = s.plus(base, s.times(position, inner));
    llvm::Value *target = s.plus(base, s.times(i, inner));
    for (unsigned operand = 0; operand < s.sources.size(); ++operand)
      if (!s.targets[operand].empty())
        s.store(s.load(s.sources[operand], source, false), operand, target,
                false);
  }

  SingleOpKernel &s;
  KernelBuilder &k;
  llvm::IRBuilder<> &ir;
  train::SortOp op;
  Type elementType;
  int64_t n, outer = 1, inner = 1;
  unsigned keyBits, wordBytes;
  llvm::IntegerType *word;
  llvm::AllocaInst *from, *to;
};

} // namespace

void emitSort(SingleOpKernel &s, train::SortOp op) { Sorter(s, op).emit(); }

} // namespace zcc
