// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/LoopSpace.h"
#include "compiler/codegen/ElementWalk.h"
#include <set>

using namespace mlir;
using zcc::train::IndexContext;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;

namespace zcc {
namespace {

// Returns extents whose boundaries include those of every tensor of `count`
// elements.
SmallVector<int64_t> cutSpace(func::FuncOp func, int64_t count) {
  std::set<int64_t, std::greater<int64_t>> cuts;
  auto look = [&](Type t) {
    auto tensor = dyn_cast<RankedTensorType>(t);
    if (!tensor || tensor.getNumElements() != count)
      return;
    int64_t suffix = 1;
    for (int64_t extent : llvm::reverse(tensor.getShape())) {
      suffix *= extent;
      cuts.insert(suffix);
    }
  };
  // Results come first, so that their boundaries are kept if boundaries do not
  // nest.
  llvm::for_each(func.getResultTypes(), look);
  SmallVector<int64_t> chain(cuts.begin(), cuts.end());
  cuts.clear();
  llvm::for_each(func.getArgumentTypes(), look);
  func.walk([&](Operation *op) { llvm::for_each(op->getResultTypes(), look); });
  for (int64_t c : cuts)
    chain.push_back(c);
  SmallVector<int64_t> kept{count, 1};
  for (int64_t c : chain) {
    auto *next = llvm::find_if(kept, [&](int64_t k) { return k <= c; });
    if (next == kept.end() || *next == c)
      continue;
    if (*(next - 1) % c == 0 && c % *next == 0)
      kept.insert(next, c);
  }
  SmallVector<int64_t> dims;
  for (unsigned i = 0; i + 1 < kept.size(); ++i)
    dims.push_back(kept[i] / kept[i + 1]);
  return dims;
}

// Joins dims that every expression walks as one.
LoopSpace joinDims(func::FuncOp func, SmallVector<int64_t> dims) {
  IndexContext context;
  SmallVector<const IndexVar *> vars;
  IndexExpr linear;
  for (int64_t extent : dims) {
    vars.push_back(context.loopVar(extent));
    linear = linear * extent + IndexExpr(vars.back());
  }
  codegen::ElementWalk walk(
      context,
      [](mlir::Value v, const train::ElementIndex &) {
        return isa<BlockArgument>(v) ? codegen::ElementWalk::Step::Leaf
                                     : codegen::ElementWalk::Step::Descend;
      },
      1u << 20);
  Operation *terminator = func.getBody().front().getTerminator();
  for (mlir::Value v : terminator->getOperands())
    walk.visit(v, context.delinearize(linear, train::shapeOf(v)));
  LoopSpace space;
  // The innermost variable of each joined dim.
  SmallVector<const IndexVar *> innermost{vars.back()};
  space.dims = {dims.back()};
  for (int d = dims.size() - 2; d >= 0; --d) {
    bool join = llvm::all_of(walk.exprs, [&](const IndexExpr &e) {
      return e.coefficientOf(vars[d]) ==
             e.coefficientOf(vars[d + 1]) * dims[d + 1];
    });
    if (join) {
      space.dims.front() *= dims[d];
    } else {
      space.dims.insert(space.dims.begin(), dims[d]);
      innermost.insert(innermost.begin(), vars[d]);
    }
  }
  for (unsigned d = 0; d + 1 < space.dims.size(); ++d)
    for (const IndexExpr &e : walk.exprs)
      if (std::abs(e.coefficientOf(innermost.back())) >= 16 &&
          e.coefficientOf(innermost[d]) == 1 && space.dims[d] > 1)
        space.tiled = d;
  return space;
}

} // namespace

LoopSpace getLoopSpace(func::FuncOp func, int64_t count) {
  return joinDims(func, cutSpace(func, count));
}

} // namespace zcc
