// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds where a product's elements come from and go to, with symbolic indices:
// the graph is followed back from the operands to memory, and forward from the
// product to the outputs.
#include "compiler/codegen/Product.h"
#include "dialects/Train/OpCost.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;

namespace zcc {
namespace {

// Returns true for a conversion to a wider float, which changes nothing in
// registers.
bool isExactConvert(Operation *op) {
  auto convert = dyn_cast<train::ConvertOp>(op);
  if (!convert)
    return false;
  auto from = dyn_cast<FloatType>(
      train::tensorType(convert.getOperand()).getElementType());
  auto to = dyn_cast<FloatType>(
      train::tensorType(convert.getResult()).getElementType());
  return from && to && to.isF32() && from.getWidth() < 32;
}

struct OperandWalk {
  train::IndexContext &context;
  const train::IndexVar *free, *step;
  double freeVotes = 0, stepVotes = 0, work = 0;
  unsigned visits = 0;

  void walk(mlir::Value value, const ElementIndex &index) {
    if (++visits > 256)
      return;
    if (isa<BlockArgument>(value)) {
      IndexExpr offset = context.linearize(index, train::shapeOf(value));
      bool both = dependsOn(offset, free) && dependsOn(offset, step);
      double weight = both ? 1 : 0.01;
      if (offset.coefficientOf(free) == 1)
        freeVotes += weight;
      if (offset.coefficientOf(step) == 1)
        stepVotes += weight;
      return;
    }
    Operation *op = value.getDefiningOp();
    if (train::IndexContext::isMovement(op)) {
      for (const train::IndexSource &source : context.sources(op, index))
        walk(source.value, source.index);
      return;
    }
    if (op->getNumOperands() == 0)
      return;
    if (!isExactConvert(op))
      work += train::getElementWeight(op);
    for (mlir::Value operand : op->getOperands())
      walk(operand, index);
  }
};

} // namespace

bool ProductOperand::isLinear() const {
  if (!buffer)
    return false;
  for (auto [var, coefficient] : offset.terms)
    if (var != free && var != step &&
        (dependsOn(train::IndexExpr(var), free) ||
         dependsOn(train::IndexExpr(var), step)))
      return false;
  return true;
}

void analyzeOperand(ProductOperand &operand, train::IndexContext &context,
                    KernelBuilder &kernel, mlir::Value value,
                    const ElementIndex &index) {
  OperandWalk walk{context, operand.free, operand.step};
  walk.walk(value, index);
  operand.work = walk.work;
  if (walk.freeVotes > 0 || walk.stepVotes > 0)
    operand.contiguous = walk.freeVotes >= walk.stepVotes
                             ? ProductOperand::Free
                             : ProductOperand::Step;

  mlir::Value from = value;
  ElementIndex at = index;
  while (Operation *op = from.getDefiningOp()) {
    if (isExactConvert(op)) {
      from = op->getOperand(0);
      continue;
    }
    if (!train::IndexContext::isMovement(op))
      return;
    auto sources = context.sources(op, at);
    if (sources.size() != 1 || !sources[0].conditions.empty())
      return;
    from = sources[0].value;
    at = sources[0].index;
  }
  operand.buffer = kernel.argument(cast<BlockArgument>(from).getArgNumber());
  operand.offset = context.linearize(at, train::shapeOf(from));
}

namespace {

// Finds the index of `value`, which is computed from the root's result, for the
// variables for which `resultIndex` is the index of the root; nullopt if it
// does not depend on the root.
struct ForwardWalk {
  train::IndexContext &context;
  mlir::Value root;
  const ElementIndex &resultIndex;
  llvm::DenseMap<mlir::Value, std::optional<ElementIndex>> known;

  std::optional<ElementIndex> index(mlir::Value value) {
    if (value == root)
      return resultIndex;
    auto it = known.find(value);
    if (it != known.end())
      return it->second;
    std::optional<ElementIndex> result = find(value);
    known[value] = result;
    return result;
  }

  std::optional<ElementIndex> find(mlir::Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    for (mlir::Value operand : op->getOperands()) {
      std::optional<ElementIndex> from = index(operand);
      if (!from)
        continue;
      if (auto transpose = dyn_cast<train::TransposeOp>(op)) {
        ElementIndex to;
        for (int64_t dim : transpose.getPermutation())
          to.push_back((*from)[dim]);
        return to;
      }
      if (isa<train::ReshapeOp>(op))
        return context.delinearize(
            context.linearize(*from, train::shapeOf(operand)),
            train::shapeOf(value));
      if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
        ElementIndex to(train::shapeOf(value).size(), IndexExpr(int64_t(0)));
        for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
          to[dim] = (*from)[i];
        return to;
      }
      if (auto reverse = dyn_cast<train::ReverseOp>(op)) {
        ElementIndex to = *from;
        for (int64_t dim : reverse.getDims())
          to[dim] = IndexExpr(train::shapeOf(value)[dim] - 1) - to[dim];
        return to;
      }
      return from;
    }
    return std::nullopt;
  }
};

} // namespace

FailureOr<std::vector<ProductOutput>>
productOutputs(func::FuncOp func, train::IndexContext &context, Operation *root,
               const ElementIndex &resultIndex) {
  std::vector<ProductOutput> outputs;
  ForwardWalk forward{
      context, root->getResult(0), resultIndex,
      llvm::DenseMap<mlir::Value, std::optional<ElementIndex>>()};
  for (mlir::Value value :
       func.getBody().front().getTerminator()->getOperands()) {
    std::optional<ElementIndex> index = forward.index(value);
    if (!index)
      return func.emitError("result ")
             << outputs.size() << " does not depend on the kernel's product";
    mlir::Value from = value;
    while (from != root->getResult(0) &&
           train::IndexContext::isMovement(from.getDefiningOp()))
      from = from.getDefiningOp()->getOperand(0);
    outputs.push_back({value, *index,
                       context.linearize(*index, train::shapeOf(value)),
                       from == root->getResult(0)});
    if (isa_and_nonnull<BlockArgument>(from))
      return func.emitError("result ")
             << outputs.size() - 1
             << " does not depend on the kernel's product";
  }
  return outputs;
}

llvm::Type *accumulatorType(KernelBuilder &kernel, mlir::Type result,
                            mlir::Type left, mlir::Type right) {
  llvm::IRBuilder<> &b = kernel.ir;
  if (result.isF64() || left.isF64() || right.isF64())
    return b.getDoubleTy();
  if (isa<mlir::FloatType>(result))
    return b.getFloatTy();
  // Booleans are counted; the sum is then compared with 0.
  if (result.isInteger(1))
    return b.getInt32Ty();
  return kernel.registerType(result);
}

void emitOutputs(ElementEmitter &emitter, const Product &p,
                 ArrayRef<ProductOutput> outputs, llvm::Value *sum) {
  KernelBuilder &kernel = emitter.kernel;
  llvm::IRBuilder<> &b = kernel.ir;
  mlir::Value result = p.root->getResult(0);
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  if (element.isInteger(1))
    sum = b.CreateICmpNE(sum, llvm::Constant::getNullValue(sum->getType()));
  else if (p.type->isFloatingPointTy())
    sum = kernel.roundTo(element, sum);
  emitter.provide(result, [sum](const ElementIndex &) { return sum; });
  for (auto [i, output] : llvm::enumerate(outputs)) {
    llvm::Value *element = emitter.emit(output.value, output.index);
    // A single column is a scalar in memory.
    if (KernelBuilder::isVector(element) && emitter.isUniform(output.offset))
      element = b.CreateExtractElement(element, uint64_t(0));
    emitter.store(element, kernel.result(i), output.offset);
  }
  emitter.withdraw(result);
}

} // namespace zcc
