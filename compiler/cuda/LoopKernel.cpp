// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise and movement kernels: a thread does as many neighbours as 16
// bytes hold, where rows are made of such vectors and there are enough of them
// to occupy a device; else one element. What is left of a single row is done by
// threads of one element.
#include "compiler/codegen/LoopSpace.h"
#include "compiler/cuda/Generators.h"

using namespace mlir;
using zcc::train::IndexExpr;

namespace zcc::cuda {

using llvm::Value;
namespace {

// Threads that a device has room for: with fewer, vectors cost more than they
// save.
constexpr int64_t wantedThreads = 1 << 15;

// Elements of the widest type that lies along the space, in 16 bytes.
int64_t chooseLanes(func::FuncOp func, const LoopSpace &space, int64_t count) {
  unsigned bytes = 2;
  auto look = [&](Type t) {
    auto tensor = cast<RankedTensorType>(t);
    if (tensor.getNumElements() == count)
      bytes =
          std::max(bytes, KernelBuilder::memoryBytes(tensor.getElementType()));
  };
  llvm::for_each(func.getArgumentTypes(), look);
  llvm::for_each(func.getResultTypes(), look);
  int64_t lanes = 16 / bytes, inner = space.dims.back();
  bool isOneRow = space.dims.size() == 1;
  while (lanes > 1 &&
         (count / lanes < wantedThreads || (!isOneRow && inner % lanes != 0)))
    lanes /= 2;
  // Neighbours of a transpose are not neighbours in memory.
  return space.tiled >= 0 ? 1 : lanes;
}

} // namespace

LogicalResult emitLoopKernel(CudaKernelBuilder &kernel) {
  func::FuncOp func = kernel.func;
  Operation *terminator = func.getBody().front().getTerminator();
  int64_t count = train::tensorType(terminator->getOperand(0)).getNumElements();
  LoopSpace space = getLoopSpace(func, count);
  int64_t lanes = chooseLanes(func, space, count);
  int64_t inner = space.dims.back(), outer = count / inner;
  int64_t vectors = inner / lanes, rest = inner % lanes;

  llvm::IRBuilder<> &ir = kernel.ir;
  train::IndexContext context;
  ElementEmitter emitter(kernel, context);
  const train::IndexVar *row = context.loopVar(outer),
                        *column = context.loopVar(inner);
  train::ElementIndex place =
      context.delinearize(outer == 1 ? IndexExpr(0) : IndexExpr(row),
                          ArrayRef(space.dims).drop_back());
  place.push_back(IndexExpr(column));
  IndexExpr linear = context.linearize(place, space.dims);
  // All values before the first store: a result may lie in an argument's place.
  auto elements = [&](Value *i, Value *j) {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(row, i);
    emitter.bindLanes(column, j);
    SmallVector<Value *> values;
    for (mlir::Value v : terminator->getOperands())
      values.push_back(
          emitter.emit(v, context.delinearize(linear, train::shapeOf(v))));
    for (auto [i, v] : llvm::enumerate(values))
      emitter.store(v, kernel.result(i), linear);
  };
  kernel.info.items = outer * vectors + rest;
  kernel.forEachItem([&](Value *item) {
    auto vector = [&] {
      kernel.withLanes(lanes, [&] {
        Value *i =
            outer == 1 ? kernel.index(0) : kernel.divide(item, vectors, count);
        Value *j = outer == 1 ? item : kernel.modulo(item, vectors, count);
        elements(i, ir.CreateNSWMul(j, kernel.index(lanes)));
      });
    };
    if (rest == 0)
      return vector();
    kernel.ifThenElse(
        ir.CreateICmpULT(item, kernel.index(vectors)), vector, [&] {
          elements(
              kernel.index(0),
              ir.CreateNSWAdd(item, kernel.index(vectors * lanes - vectors)));
        });
  });
  return success();
}

} // namespace zcc::cuda
