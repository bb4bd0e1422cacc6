// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/ElementWalk.h"
#include "dialects/Train/OpCost.h"

using namespace mlir;

namespace zcc::codegen {

bool isLoopOp(Operation *op) {
  return op->hasTrait<train::ElementwiseOp>() ||
         train::IndexContext::isMovement(op) ||
         isa<train::ConstantOp, train::IotaOp, train::UpdateOp>(op);
}

bool ElementWalk::visitVars(const train::IndexExpr &expr) {
  for (auto [var, c] : expr.terms) {
    if (var->kind == train::IndexVar::Loop || !seenVars.insert(var).second)
      continue;
    if (var->kind == train::IndexVar::Quotient) {
      exprs.insert(var->of);
      if (!visitVars(var->of))
        return false;
    } else if (!visit(var->value, var->index)) {
      return false;
    }
  }
  return true;
}

static void collectLoops(const train::IndexExpr &expr,
                         std::set<const train::IndexVar *> &loops) {
  for (auto [var, c] : expr.terms) {
    if (var->kind == train::IndexVar::Loop)
      loops.insert(var);
    else if (var->kind == train::IndexVar::Quotient)
      collectLoops(var->of, loops);
    else
      for (const train::IndexExpr &e : var->index)
        collectLoops(e, loops);
  }
}

double ElementWalk::iterations(const train::ElementIndex &index) {
  std::set<const train::IndexVar *> loops;
  for (const train::IndexExpr &e : index)
    collectLoops(e, loops);
  double n = 1;
  for (const train::IndexVar *v : loops)
    n *= v->extent;
  return n;
}

bool ElementWalk::visit(Value value, const train::ElementIndex &index) {
  if (!seen.insert({value.getAsOpaquePointer(), {index.begin(), index.end()}})
           .second)
    return true;
  if (++visits > maxVisits) {
    why = "too much would be computed again";
    return false;
  }
  Step step = classify(value, index);
  if (step == Step::Illegal) {
    if (why.empty()) {
      why = "a value cannot be computed in this kernel";
      if (Operation *op = value.getDefiningOp())
        why = "the result of " + op->getName().getStringRef().str() +
              " is needed where it cannot be computed";
    }
    return false;
  }
  for (const train::IndexExpr &e : index)
    if (!visitVars(e))
      return false;
  if (step == Step::Leaf) {
    exprs.insert(context.linearize(index, train::shapeOf(value)));
    return true;
  }
  Operation *op = value.getDefiningOp();
  work += train::getElementWeight(op) * iterations(index);
  if (isa<train::ConstantOp>(op)) {
    if (!cast<train::ConstantOp>(op).getValue().isSplat())
      exprs.insert(context.linearize(index, train::shapeOf(value)));
    return true;
  }
  if (auto iota = dyn_cast<train::IotaOp>(op)) {
    exprs.insert(index[iota.getDim()]);
    return !iota.getOrigin() || visit(iota.getOrigin(), {});
  }
  if (train::IndexContext::isMovement(op)) {
    for (train::IndexSource &source : context.sources(op, index)) {
      for (train::IndexCondition &c : source.conditions) {
        exprs.insert(c.expr);
        if (!visitVars(c.expr))
          return false;
      }
      if (!visit(source.value, source.index))
        return false;
    }
    return true;
  }
  for (Value operand : op->getOperands()) {
    // The optimizer's scalars and hyperparameters are read at fixed positions.
    bool same = train::shapeOf(operand) == train::shapeOf(value);
    train::ElementIndex at =
        same ? index
             : train::ElementIndex(train::shapeOf(operand).size(),
                                   train::IndexExpr(0));
    if (!visit(operand, at))
      return false;
  }
  return true;
}

} // namespace zcc::codegen
