// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits elementwise and movement kernels: a thread does as many neighboring
// elements as 16 bytes hold, if rows consist of such vectors and there are
// enough of them to occupy a device; else one element. The remainder of a
// single row is done by threads of one element each. If a dim other than the
// last is contiguous in some tensor (a transpose), warps do tiles of both.
#include "compiler/codegen/LoopSpace.h"
#include "compiler/cuda/Generators.h"

using namespace mlir;
using zcc::train::IndexExpr;

namespace zcc::cuda {

namespace {

// The number of threads that a device has room for: with fewer, vectors cost
// more than they save.
constexpr int64_t loopWantedThreads = 1 << 15;

int64_t chooseLanes(func::FuncOp func, const LoopSpace &space, int64_t count) {
  int64_t lanes = lanesOf16Bytes(func, count), inner = space.dims.back();
  bool isOneRow = space.dims.size() == 1;
  while (lanes > 1 && (count / lanes < loopWantedThreads ||
                       (!isOneRow && inner % lanes != 0)))
    lanes /= 2;
  return lanes;
}

class LoopKernel {
public:
  explicit LoopKernel(CudaKernelBuilder &kernel)
      : kernel(kernel), ir(kernel.ir), emitter(kernel, context),
        terminator(kernel.func.getBody().front().getTerminator()),
        count(train::tensorType(terminator->getOperand(0)).getNumElements()),
        space(getLoopSpace(kernel.func, count)), inner(space.dims.back()) {}
  void emit();

private:
  void emitVectors();
  void emitTiles();
  void emitElements(llvm::Value *i, llvm::Value *t, llvm::Value *j);
  // Splits an item number: returns `item` mod `extent` and divides `item` by
  // it.
  llvm::Value *takeDim(llvm::Value *&item, int64_t extent) {
    llvm::Value *part = kernel.modulo(item, extent, items);
    item = kernel.divide(item, extent, items);
    return part;
  }

  CudaKernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  train::IndexContext context;
  ElementEmitter emitter;
  Operation *terminator;
  int64_t count;
  LoopSpace space;
  int64_t inner, tiled = 1, outer = 1, items = 1;
  const train::IndexVar *row = nullptr, *tile = nullptr, *column = nullptr;
  IndexExpr linear;
};

// All values are computed before the first store, since a result may reuse an
// argument's memory.
void LoopKernel::emitElements(llvm::Value *i, llvm::Value *t, llvm::Value *j) {
  ElementEmitter::Scope scope(emitter);
  emitter.bind(row, i);
  emitter.bind(tile, t);
  emitter.bindLanes(column, j);
  SmallVector<llvm::Value *> values;
  for (mlir::Value v : terminator->getOperands())
    values.push_back(
        emitter.emit(v, context.delinearize(linear, train::shapeOf(v))));
  for (auto [k, v] : llvm::enumerate(values))
    emitter.store(v, kernel.result(k), linear);
}

void LoopKernel::emitVectors() {
  int64_t lanes = chooseLanes(kernel.func, space, count);
  int64_t vectors = inner / lanes, rest = inner % lanes;
  llvm::Value *zero = kernel.index(0);
  items = kernel.info.items = outer * vectors + rest;
  kernel.forEachItem([&](llvm::Value *item) {
    auto vector = [&] {
      kernel.withLanes(lanes, [&] {
        llvm::Value *i = item, *j = outer == 1 ? item : takeDim(i, vectors);
        emitElements(outer == 1 ? zero : i, zero,
                     ir.CreateNSWMul(j, kernel.index(lanes)));
      });
    };
    if (rest == 0)
      return vector();
    kernel.ifThenElse(ir.CreateICmpULT(item, kernel.index(vectors)), vector,
                      [&] {
                        llvm::Value *from = kernel.index(vectors * (lanes - 1));
                        emitElements(zero, zero, ir.CreateNSWAdd(item, from));
                      });
  });
}

// A warp does 8 by 4 elements, so that its reads along one dim and its writes
// along the other are parts of cache lines; neighboring warps have the rest.
void LoopKernel::emitTiles() {
  constexpr int64_t warpTile = 8, warpInner = 4, down = 4, across = 8;
  constexpr int64_t tileExtent = warpTile * down,
                    innerExtent = warpInner * across;
  int64_t tiles = llvm::divideCeil(tiled, tileExtent),
          innerTiles = llvm::divideCeil(inner, innerExtent);
  items = kernel.info.items =
      outer * tiles * innerTiles * tileExtent * innerExtent;
  kernel.forEachItem([&](llvm::Value *item) {
    auto add = [&](llvm::Value *sum, llvm::Value *part, int64_t factor) {
      return ir.CreateNSWAdd(sum, ir.CreateNSWMul(part, kernel.index(factor)));
    };
    llvm::Value *t = takeDim(item, warpTile), *j = takeDim(item, warpInner);
    j = add(j, takeDim(item, across), warpInner);
    t = add(t, takeDim(item, down), warpTile);
    j = add(j, takeDim(item, innerTiles), innerExtent);
    t = add(t, takeDim(item, tiles), tileExtent);
    kernel.ifThenElse(ir.CreateAnd(ir.CreateICmpSLT(t, kernel.index(tiled)),
                                   ir.CreateICmpSLT(j, kernel.index(inner))),
                      [&] { emitElements(item, t, j); });
  });
}

void LoopKernel::emit() {
  SmallVector<int64_t> others(ArrayRef(space.dims).drop_back());
  if (space.tiled >= 0)
    std::swap(tiled, others[space.tiled]);
  for (int64_t extent : others)
    outer *= extent;
  row = context.loopVar(outer);
  tile = context.loopVar(tiled);
  column = context.loopVar(inner);
  train::ElementIndex place =
      context.delinearize(outer == 1 ? IndexExpr(0) : IndexExpr(row), others);
  if (space.tiled >= 0)
    place[space.tiled] = IndexExpr(tile);
  place.push_back(IndexExpr(column));
  linear = context.linearize(place, space.dims);
  if (space.tiled >= 0)
    emitTiles();
  else
    emitVectors();
}

} // namespace

int64_t lanesOf16Bytes(func::FuncOp func, int64_t count) {
  unsigned bytes = 2;
  auto look = [&](Type t) {
    auto tensor = cast<RankedTensorType>(t);
    if (tensor.getNumElements() == count)
      bytes =
          std::max(bytes, KernelBuilder::memoryBytes(tensor.getElementType()));
  };
  llvm::for_each(func.getArgumentTypes(), look);
  llvm::for_each(func.getResultTypes(), look);
  return 16 / bytes;
}

LogicalResult emitLoopKernel(CudaKernelBuilder &kernel) {
  LoopKernel(kernel).emit();
  return success();
}

} // namespace zcc::cuda
