// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits elementwise and movement kernels. Vectors run along the last dim of the
// loop space; if that has a dim to tile, tiles of both are walked, so that
// cache lines are used whole.
#include "compiler/codegen/ElementEmitter.h"
#include "compiler/codegen/ElementWalk.h"
#include "compiler/codegen/LoopSpace.h"
#include "compiler/cpu/Generators.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;
using zcc::train::IndexContext;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;

namespace zcc {

LogicalResult emitLoopKernel(CpuKernelBuilder &kernel,
                             const codegen::KernelForm &form) {
  func::FuncOp func = kernel.func;
  Operation *terminator = func.getBody().front().getTerminator();
  int64_t count = train::tensorType(terminator->getOperand(0)).getNumElements();
  int64_t lanes = kernel.lanes();

  LoopSpace space = getLoopSpace(func, count);
  // Short rows waste lanes; then every index is computed from the position.
  if (space.dims.back() < lanes / 2 && space.dims.size() > 1)
    space = {{count}, -1};
  int64_t inner = space.dims.back(), outer = count / inner;
  int64_t tileExtent = 1, tileRows = 1;
  if (space.tiled >= 0) {
    tileExtent = space.dims[space.tiled];
    tileRows = std::min<int64_t>(16, tileExtent);
    outer /= tileExtent;
  }
  int64_t tiles = (tileExtent + tileRows - 1) / tileRows;

  // An item is a row (a tile of rows) of the last dim, or a chunk of it.
  int64_t chunk = kernel.options.chunk ? kernel.options.chunk : 4096 / tileRows;
  chunk = std::max(chunk / (4 * lanes), int64_t(1)) * 4 * lanes;
  int64_t chunks = (inner + chunk - 1) / chunk;
  kernel.info.items = outer * tiles * chunks;
  kernel.info.itemNanoseconds =
      std::max(1.0, (form.work / count * codegen::additionNanoseconds + 0.1) *
                        tileRows * std::min(inner, chunk));

  IndexContext context;
  ElementEmitter emitter(kernel, context);
  const IndexVar *row = context.loopVar(outer),
                 *column = context.loopVar(inner);
  const IndexVar *tile = context.loopVar(tileExtent);
  train::ElementIndex place;
  {
    SmallVector<int64_t> others;
    for (auto [d, extent] : llvm::enumerate(ArrayRef(space.dims).drop_back()))
      others.push_back(int(d) == space.tiled ? 1 : extent);
    place =
        context.delinearize(outer == 1 ? IndexExpr(0) : IndexExpr(row), others);
    if (space.tiled >= 0)
      place[space.tiled] = IndexExpr(tile);
    place.push_back(IndexExpr(column));
  }
  IndexExpr linear = context.linearize(place, space.dims);

  llvm::IRBuilder<> &ir = kernel.ir;
  // All values are computed before the first store, since a result may reuse an
  // argument's memory.
  auto body = [&](llvm::Value *j, unsigned unroll, llvm::Value *end) {
    SmallVector<SmallVector<llvm::Value *>> values(unroll);
    auto each = [&](unsigned u, auto action) {
      ElementEmitter::Scope scope(emitter);
      llvm::Value *start = u ? ir.CreateNSWAdd(j, kernel.index(u * lanes)) : j;
      emitter.bindLanes(column, start);
      if (end)
        emitter.setMask(kernel.tailMask(start, end));
      action();
    };
    for (unsigned u = 0; u < unroll; ++u)
      each(u, [&] {
        for (mlir::Value v : terminator->getOperands())
          values[u].push_back(
              emitter.emit(v, context.delinearize(linear, train::shapeOf(v))));
      });
    for (unsigned u = 0; u < unroll; ++u)
      each(u, [&] {
        for (auto [i, v] : llvm::enumerate(values[u]))
          emitter.store(v, kernel.result(i), linear);
      });
  };
  unsigned unroll = lanes <= 8 ? 2 : 1;
  int64_t step = lanes * unroll;
  kernel.forEachItem([&](llvm::Value *item) {
    ElementEmitter::Scope scope(emitter);
    llvm::Value *low = kernel.index(0), *high = kernel.index(inner);
    llvm::Value *rest = item;
    if (chunks > 1) {
      rest = ir.CreateUDiv(item, kernel.index(chunks));
      llvm::Value *k = ir.CreateURem(item, kernel.index(chunks));
      low = ir.CreateNSWMul(k, kernel.index(chunk));
      high =
          ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, high,
                                   ir.CreateNSWAdd(low, kernel.index(chunk)));
    }
    llvm::Value *tileLow = kernel.index(0),
                *tileHigh = kernel.index(tileExtent);
    if (tiles > 1) {
      tileLow = ir.CreateNSWMul(ir.CreateURem(rest, kernel.index(tiles)),
                                kernel.index(tileRows));
      tileHigh = ir.CreateBinaryIntrinsic(
          llvm::Intrinsic::smin, tileHigh,
          ir.CreateNSWAdd(tileLow, kernel.index(tileRows)));
      rest = ir.CreateUDiv(rest, kernel.index(tiles));
    }
    emitter.bind(row, rest);
    auto down = [&](llvm::Value *j, unsigned unroll, llvm::Value *end) {
      if (space.tiled < 0) {
        body(j, unroll, end);
        return;
      }
      kernel.loop(tileLow, tileHigh, 1, [&](llvm::Value *r) {
        ElementEmitter::Scope tileScope(emitter);
        emitter.bind(tile, r);
        body(j, unroll, end);
      });
    };
    if (inner % step == 0) {
      kernel.loop(low, high, step,
                  [&](llvm::Value *j) { down(j, unroll, nullptr); });
      return;
    }
    llvm::Value *size = ir.CreateSub(high, low);
    llvm::Value *whole =
        ir.CreateNSWAdd(low, ir.CreateAnd(size, kernel.index(-step)));
    if (inner > step)
      kernel.loop(low, whole, step,
                  [&](llvm::Value *j) { down(j, unroll, nullptr); });
    kernel.loop(inner > step ? whole : low, high, lanes,
                [&](llvm::Value *j) { down(j, 1, high); });
  });
  return success();
}

} // namespace zcc
