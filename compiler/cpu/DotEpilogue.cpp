// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether the epilogue of a product is small enough to be done on the
// registers of a tile, just before the store.
#include "compiler/cpu/DotProduct.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;

namespace zcc {
namespace {

struct EpilogueWalk {
  train::IndexContext &context;
  KernelBuilder &kernel;
  const Product &product;
  ProductEpilogue &epilogue;
  unsigned operations = 0, visits = 0;
  bool inRegisters = true;

  // Returns true if the offset addresses consecutive elements, or one element
  // for all columns.
  bool alongColumns(const IndexExpr &offset) const {
    for (auto [var, coefficient] : offset.terms)
      if (var == product.column ? coefficient != 1
                                : dependsOn(IndexExpr(var), product.column))
        return false;
    return true;
  }

  void walk(mlir::Value value, const ElementIndex &index) {
    if (value == product.root->getResult(0))
      return;
    if (++visits > 64) {
      inRegisters = false;
      return;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      IndexExpr offset = context.linearize(index, train::shapeOf(value));
      inRegisters &= alongColumns(offset);
      epilogue.reads.push_back(
          {kernel.argument(argument.getArgNumber()), offset});
      return;
    }
    Operation *op = value.getDefiningOp();
    if (train::IndexContext::isMovement(op)) {
      auto sources = context.sources(op, index);
      operations += 2 * (sources.size() - 1);
      for (const train::IndexSource &source : sources)
        walk(source.value, source.index);
      return;
    }
    if (isa<train::ConstantOp>(op))
      return;
    // Ops that take many instructions are excluded, since their code would be
    // repeated for each vector of the tile.
    operations +=
        isa<train::AddOp, train::SubOp, train::MulOp, train::DivOp,
            train::MaxOp, train::MinOp, train::NegOp, train::AbsOp,
            train::SelectOp, train::ConvertOp, train::CompareOp, train::AndOp,
            train::OrOp, train::NotOp, train::IotaOp, train::StopGradientOp>(op)
            ? 1
            : 100;
    if (op->hasTrait<train::ElementwiseOp>())
      for (mlir::Value operand : op->getOperands())
        walk(operand, index);
  }
};

} // namespace

ProductEpilogue analyzeEpilogue(train::IndexContext &context,
                                KernelBuilder &kernel, const Product &product,
                                llvm::ArrayRef<ProductOutput> outputs) {
  ProductEpilogue epilogue;
  EpilogueWalk walk{context, kernel, product, epilogue};
  for (const ProductOutput &output : outputs) {
    walk.walk(output.value, output.index);
    walk.inRegisters &= walk.alongColumns(output.offset) &&
                        output.offset.coefficientOf(product.column) == 1;
  }
  epilogue.inRegisters = walk.inRegisters && walk.operations <= 8;
  return epilogue;
}

} // namespace zcc
