// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits products of many rows and columns: a block does a tile of 64 by 64
// elements, a thread 4 by 4 of it. Sixteen steps of both operands at a time are
// computed into shared memory, each element once; every element of the result
// is the chain of fused multiply-adds over all steps that the ops prescribe.
//
// Padding of a convolution is a factor 0. If a sum is NaN, its thread computes
// its elements again without those products.
#include "compiler/cuda/Generators.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace zcc::cuda {

namespace {

constexpr int64_t tile = 64, own = 4, tileSteps = 16, threads = 256;
// The stride of steps in shared memory: elements of neighboring steps are in
// different banks, and vectors of 4 are aligned.
constexpr int64_t stepStride = tile + 4;
static_assert(blockSteps % tileSteps == 0, "a chain ends with a tile");

class TiledProduct {
public:
  TiledProduct(CudaKernelBuilder &kernel, ElementEmitter &emitter, Product &p,
               ArrayRef<ProductOutput> outputs)
      : kernel(kernel), ir(kernel.ir), emitter(emitter), p(p), outputs(outputs),
        vector(kernel.vectorize(p.type, own)) {}
  void emit();

private:
  // The elements of an operand that this thread loads into shared memory.
  struct Part {
    SmallVector<llvm::Value *> values, places;
  };
  Part loadPart(const ProductOperand &operand, llvm::Value *first,
                int64_t extent, llvm::Value *step0);
  void emitSteps(llvm::Value *step0);
  void multiply(llvm::Value *step);
  void emitSums();
  void emitOutputsOfThread();
  void emitAgain();
  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *sum) {
    return p.type->isFloatingPointTy() ? kernel.fma(x, y, sum)
                                       : ir.CreateAdd(sum, ir.CreateMul(x, y));
  }
  llvm::Value *sum(llvm::Value *x, llvm::Value *y) {
    return p.type->isFloatingPointTy() ? ir.CreateFAdd(x, y)
                                       : ir.CreateAdd(x, y);
  }

  CudaKernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  ElementEmitter &emitter;
  Product &p;
  ArrayRef<ProductOutput> outputs;
  llvm::Type *vector;
  llvm::Value *thread, *firstRow, *firstColumn; // of the block and its tile
  llvm::Value *ownRow, *ownColumn;              // the thread's, within the tile
  llvm::Value *left, *right;                    // in shared memory
  llvm::AllocaInst *blocks[own], *totals[own];
};

TiledProduct::Part TiledProduct::loadPart(const ProductOperand &operand,
                                          llvm::Value *first, int64_t extent,
                                          llvm::Value *step0) {
  bool byStep = operand.contiguous == ProductOperand::Step;
  bool whole = extent % tile == 0 && p.steps % tileSteps == 0;
  Part part;
  for (int64_t u = 0; u < tile * tileSteps / threads; ++u) {
    llvm::Value *number = ir.CreateAdd(thread, kernel.index(u * threads));
    int64_t inner = byStep ? tileSteps : tile;
    llvm::Value *low = ir.CreateURem(number, kernel.index(inner));
    llvm::Value *high = ir.CreateUDiv(number, kernel.index(inner));
    llvm::Value *free = byStep ? high : low, *step = byStep ? low : high;
    llvm::Value *at = ir.CreateNSWAdd(first, free);
    llvm::Value *atStep = ir.CreateNSWAdd(step0, step);
    auto element = [&]() -> llvm::Value * {
      ElementEmitter::Scope scope(emitter);
      emitter.bind(operand.free, at);
      emitter.bind(p.step, atStep);
      return emitFactor(emitter, p, operand);
    };
    part.places.push_back(
        ir.CreateAdd(ir.CreateMul(step, kernel.index(stepStride)), free));
    if (whole) {
      part.values.push_back(element());
      continue;
    }
    llvm::BasicBlock *before = ir.GetInsertBlock(), *after = nullptr;
    llvm::Value *v = nullptr;
    kernel.ifThenElse(
        ir.CreateAnd(ir.CreateICmpSLT(at, kernel.index(extent)),
                     ir.CreateICmpSLT(atStep, kernel.index(p.steps))),
        [&] {
          v = element();
          after = ir.GetInsertBlock();
        });
    llvm::PHINode *phi = ir.CreatePHI(p.type, 2);
    phi->addIncoming(v, after);
    phi->addIncoming(llvm::Constant::getNullValue(p.type), before);
    part.values.push_back(phi);
  }
  return part;
}

// Emits one step of all elements of the thread.
void TiledProduct::multiply(llvm::Value *step) {
  auto at = [&](llvm::Value *base, llvm::Value *free) {
    llvm::Value *place =
        ir.CreateAdd(ir.CreateMul(step, kernel.index(stepStride)), free);
    return ir.CreateAlignedLoad(vector, ir.CreateGEP(p.type, base, place),
                                llvm::Align(16));
  };
  llvm::Value *rows = at(left, ownRow), *columns = at(right, ownColumn);
  for (int64_t i = 0; i < own; ++i) {
    llvm::Value *row =
        ir.CreateVectorSplat(own, ir.CreateExtractElement(rows, uint64_t(i)));
    kernel.set(blocks[i], multiplyAdd(row, columns, kernel.get(blocks[i])));
  }
}

void TiledProduct::emitSteps(llvm::Value *step0) {
  ElementEmitter::Scope scope(emitter);
  Part lefts = loadPart(p.left, firstRow, p.rows, step0);
  Part rights = loadPart(p.right, firstColumn, p.columns, step0);
  // All threads have read the previous contents.
  kernel.barrier();
  for (auto [part, base] : {std::pair(&lefts, left), {&rights, right}})
    for (auto [value, place] : llvm::zip(part->values, part->places))
      ir.CreateStore(value, ir.CreateGEP(p.type, base, place));
  kernel.barrier();
  if (p.steps % tileSteps == 0) {
    for (int64_t k = 0; k < tileSteps; ++k)
      multiply(kernel.index(k));
    return;
  }
  llvm::Value *count =
      ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, kernel.index(tileSteps),
                               ir.CreateNSWSub(kernel.index(p.steps), step0));
  kernel.loop(kernel.index(0), count, 1, [&](llvm::Value *k) { multiply(k); });
}

void TiledProduct::emitSums() {
  llvm::Constant *zero = llvm::Constant::getNullValue(vector);
  for (int64_t i = 0; i < own; ++i) {
    blocks[i] = kernel.variable(vector);
    totals[i] = kernel.variable(vector, zero);
  }
  kernel.loop(
      kernel.index(0), kernel.index(p.steps), blockSteps,
      [&](llvm::Value *from) {
        for (llvm::AllocaInst *block : blocks)
          kernel.set(block, zero);
        llvm::Value *to = ir.CreateBinaryIntrinsic(
            llvm::Intrinsic::smin, kernel.index(p.steps),
            ir.CreateNSWAdd(from, kernel.index(blockSteps)));
        kernel.loop(from, to, tileSteps, [&](llvm::Value *k) { emitSteps(k); });
        for (int64_t i = 0; i < own; ++i) {
          llvm::Value *block = kernel.get(blocks[i]);
          // The first sum is stored as it is, so that -0 is kept.
          kernel.set(totals[i],
                     ir.CreateSelect(ir.CreateICmpEQ(from, kernel.index(0)),
                                     block, sum(kernel.get(totals[i]), block)));
        }
      });
}

// Emits the outputs of the thread, four at a time if the number of columns is a
// multiple of 4.
void TiledProduct::emitOutputsOfThread() {
  bool whole = p.columns % own == 0;
  for (int64_t i = 0; i < own; ++i)
    for (int64_t j = 0; j < own; j += whole ? own : 1) {
      llvm::Value *row =
          ir.CreateNSWAdd(firstRow, ir.CreateNSWAdd(ownRow, kernel.index(i)));
      llvm::Value *column = ir.CreateNSWAdd(
          firstColumn, ir.CreateNSWAdd(ownColumn, kernel.index(j)));
      kernel.ifThenElse(
          ir.CreateAnd(ir.CreateICmpSLT(row, kernel.index(p.rows)),
                       ir.CreateICmpSLT(column, kernel.index(p.columns))),
          [&] {
            kernel.withLanes(whole ? own : 1, [&] {
              ElementEmitter::Scope scope(emitter);
              emitter.bind(p.row, row);
              emitter.bindLanes(p.column, column);
              llvm::Value *sums = kernel.get(totals[i]);
              emitOutputs(emitter, p, outputs,
                          whole ? sums
                                : ir.CreateExtractElement(sums, uint64_t(j)));
            });
          });
    }
}

void TiledProduct::emitAgain() {
  auto along = [&](llvm::Value *from, int64_t extent,
                   llvm::function_ref<void(llvm::Value *)> body) {
    llvm::Value *to =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, kernel.index(extent),
                                 ir.CreateNSWAdd(from, kernel.index(own)));
    kernel.loop(from, to, 1, body);
  };
  along(ir.CreateNSWAdd(firstRow, ownRow), p.rows, [&](llvm::Value *row) {
    along(ir.CreateNSWAdd(firstColumn, ownColumn), p.columns,
          [&](llvm::Value *column) {
            ElementEmitter::Scope scope(emitter);
            emitter.bind(p.row, row);
            emitter.bind(p.column, column);
            emitOutputs(emitter, p, outputs, emitSum(emitter, p));
          });
  });
}

void TiledProduct::emit() {
  int64_t rowTiles = llvm::divideCeil(p.rows, tile),
          columnTiles = llvm::divideCeil(p.columns, tile);
  int64_t tiles = p.batches * rowTiles * columnTiles;
  // Two blocks are resident, so that one multiplies while the other one loads;
  // but not if ops that are fused with the product need registers.
  constexpr size_t fewOps = 4; // with the return
  bool isPlain = kernel.func.getBody().front().getOperations().size() <= fewOps;
  kernel.setBlocks(tiles, threads, isPlain ? 2 : 1);
  uint64_t bytes =
      tileSteps * stepStride * p.type->getPrimitiveSizeInBits() / 8;
  left = kernel.shared(bytes);
  right = kernel.shared(bytes);
  thread = ir.CreateZExt(kernel.thread(), ir.getInt64Ty());
  llvm::Value *line = kernel.divide(kernel.block(), columnTiles, tiles);
  firstColumn = ir.CreateNSWMul(
      kernel.modulo(kernel.block(), columnTiles, tiles), kernel.index(tile));
  firstRow =
      ir.CreateNSWMul(kernel.modulo(line, rowTiles, tiles), kernel.index(tile));
  ownRow = ir.CreateMul(ir.CreateUDiv(thread, kernel.index(tile / own)),
                        kernel.index(own));
  ownColumn = ir.CreateMul(ir.CreateURem(thread, kernel.index(tile / own)),
                           kernel.index(own));
  ElementEmitter::Scope scope(emitter);
  emitter.bind(p.batch, kernel.divide(line, rowTiles, tiles));
  emitSums();
  if (!p.inside || !p.type->isFloatingPointTy())
    return emitOutputsOfThread();
  llvm::Value *isNan = nullptr;
  for (llvm::AllocaInst *total : totals) {
    llvm::Value *sums = kernel.get(total);
    llvm::Value *any = ir.CreateOrReduce(ir.CreateFCmpUNO(sums, sums));
    isNan = isNan ? ir.CreateOr(isNan, any) : any;
  }
  kernel.ifThenElse(
      isNan, [&] { emitAgain(); }, [&] { emitOutputsOfThread(); });
}

} // namespace

bool suitsTiles(const Product &p) {
  return p.rows >= tile / 2 && p.columns >= tile / 2 && p.steps >= tileSteps;
}

void emitTiledProduct(CudaKernelBuilder &kernel, ElementEmitter &emitter,
                      Product &p, ArrayRef<ProductOutput> outputs) {
  TiledProduct(kernel, emitter, p, outputs).emit();
}

} // namespace zcc::cuda
