// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels around one train.dot_general: any order of batching, free and
// contracting dims. The result's dims are (batching, lhs free, rhs free); where
// the outputs have them otherwise (a transpose behind the product), the operand
// whose free dims end up contiguous gives the columns.
#include "compiler/codegen/Product.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;

namespace zcc {
namespace {

using Dims = llvm::SmallVector<int64_t>;

Dims extentsOf(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims) {
  Dims extents;
  for (int64_t dim : dims)
    extents.push_back(shape[dim]);
  return extents;
}
int64_t product(llvm::ArrayRef<int64_t> extents) {
  int64_t n = 1;
  for (int64_t extent : extents)
    n *= extent;
  return n;
}

// One operand's dims by role.
struct DotSide {
  mlir::Value value;
  Dims batching, contracting, free;
  int64_t size = 1; // of the free dims
  const IndexVar *freeVar = nullptr;

  DotSide(mlir::Value value, llvm::ArrayRef<int64_t> batching,
          llvm::ArrayRef<int64_t> contracting)
      : value(value), batching(batching), contracting(contracting) {
    for (int64_t dim = 0, rank = train::shapeOf(value).size(); dim < rank;
         ++dim)
      if (!llvm::is_contained(batching, dim) &&
          !llvm::is_contained(contracting, dim))
        free.push_back(dim);
  }
  Dims extents(llvm::ArrayRef<int64_t> dims) const {
    return extentsOf(train::shapeOf(value), dims);
  }

  ElementIndex index(train::IndexContext &context, const IndexVar *batch,
                     const IndexVar *step) const {
    ElementIndex index(train::shapeOf(value).size());
    auto place = [&](const IndexVar *var, llvm::ArrayRef<int64_t> dims) {
      ElementIndex parts = context.delinearize(IndexExpr(var), extents(dims));
      for (auto [dim, part] : llvm::zip(dims, parts))
        index[dim] = part;
    };
    place(batch, batching);
    place(freeVar, free);
    place(step, contracting);
    return index;
  }
};

} // namespace

LogicalResult emitDotKernel(KernelBuilder &kernel,
                            const codegen::KernelForm &form,
                            ProductEmitter emitProduct) {
  auto dot = cast<train::DotGeneralOp>(form.root);
  train::IndexContext context;
  ElementEmitter emitter(kernel, context);
  DotSide lhs(dot.getLhs(), dot.getLhsBatching(), dot.getLhsContracting());
  DotSide rhs(dot.getRhs(), dot.getRhsBatching(), dot.getRhsContracting());

  Product p;
  p.root = dot;
  p.batches = product(lhs.extents(lhs.batching));
  p.steps = product(lhs.extents(lhs.contracting));
  p.batch = context.loopVar(p.batches);
  for (DotSide *side : {&lhs, &rhs}) {
    side->size = product(side->extents(side->free));
    side->freeVar = context.loopVar(side->size);
  }
  p.step = context.loopVar(p.steps);
  for (auto [var, extents] : {std::pair{p.batch, lhs.extents(lhs.batching)},
                              {lhs.freeVar, lhs.extents(lhs.free)},
                              {rhs.freeVar, rhs.extents(rhs.free)}})
    llvm::append_range(p.resultIndex,
                       context.delinearize(IndexExpr(var), extents));

  auto elementType = [](mlir::Value v) {
    return train::tensorType(v).getElementType();
  };
  p.type = accumulatorType(kernel, elementType(dot.getResult()),
                           elementType(lhs.value), elementType(rhs.value));

  // The side whose free dims are contiguous in most outputs gives the columns.
  auto outputs = productOutputs(kernel.func, context, dot, p.resultIndex);
  if (failed(outputs))
    return failure();
  int votes = 0;
  for (const ProductOutput &output : *outputs) {
    bool byRhs = output.offset.coefficientOf(rhs.freeVar) == 1;
    bool byLhs = output.offset.coefficientOf(lhs.freeVar) == 1;
    votes += byRhs - byLhs;
  }
  DotSide &left = votes >= 0 ? lhs : rhs, &right = votes >= 0 ? rhs : lhs;
  p.row = left.freeVar;
  p.column = right.freeVar;
  p.rows = left.size;
  p.columns = right.size;
  for (auto [operand, side] :
       {std::pair<ProductOperand *, DotSide *>{&p.left, &left},
        {&p.right, &right}}) {
    operand->free = side->freeVar;
    operand->step = p.step;
    operand->elementType = elementType(side->value);
    ElementIndex index = side->index(context, p.batch, p.step);
    analyzeOperand(*operand, context, kernel, side->value, index);
    operand->emit = [value = side->value, index](ElementEmitter &e) {
      return e.emit(value, index);
    };
  }
  return emitProduct(emitter, p);
}

} // namespace zcc
