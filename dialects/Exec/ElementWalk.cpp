// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Exec/ElementWalk.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zcc::exec {

bool isLoopOp(Operation *op) {
  return op->hasTrait<train::ElementwiseOp>() || IndexContext::isMovement(op) ||
         isa<train::ConstantOp, train::IotaOp, train::UpdateOp>(op);
}

double elementCost(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<train::ExpOp, train::LogOp, train::LogisticOp>(
          [](auto) { return 15; })
      .Case<train::Expm1Op, train::Log1pOp, train::TanhOp, train::ErfOp,
            train::SinOp, train::CosOp>([](auto) { return 25; })
      .Case<train::TanOp, train::ErfcOp, train::ErfInvOp, train::CbrtOp,
            train::Atan2Op, train::PowOp>([](auto) { return 40; })
      .Case<train::RemOp>([](auto) { return 100; })
      .Case<train::DivOp, train::SqrtOp, train::RsqrtOp>([](auto) { return 5; })
      .Case<train::UpdateOp>([](auto) { return 30; })
      .Case<train::GatherOp>([](auto) { return 2; })
      .Case<train::ConstantOp, train::BroadcastOp, train::ReshapeOp,
            train::TransposeOp, train::SliceOp>([](auto) { return 0; })
      .Default([](Operation *) { return 1; });
}

bool ElementWalk::visitVars(const IndexExpr &expr) {
  for (auto [var, c] : expr.terms) {
    if (var->kind == IndexVar::Loop || !seenVars.insert(var).second)
      continue;
    if (var->kind == IndexVar::Quotient) {
      exprs.insert(var->of);
      if (!visitVars(var->of))
        return false;
    } else if (!visit(var->value, var->index)) {
      return false;
    }
  }
  return true;
}

static void collectLoops(const IndexExpr &expr,
                         std::set<const IndexVar *> &loops) {
  for (auto [var, c] : expr.terms) {
    if (var->kind == IndexVar::Loop)
      loops.insert(var);
    else if (var->kind == IndexVar::Quotient)
      collectLoops(var->of, loops);
    else
      for (const IndexExpr &e : var->index)
        collectLoops(e, loops);
  }
}

double ElementWalk::iterations(const Index &index) {
  std::set<const IndexVar *> loops;
  for (const IndexExpr &e : index)
    collectLoops(e, loops);
  double n = 1;
  for (const IndexVar *v : loops)
    n *= v->extent;
  return n;
}

bool ElementWalk::visit(Value value, const Index &index) {
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
  for (const IndexExpr &e : index)
    if (!visitVars(e))
      return false;
  if (step == Step::Leaf) {
    exprs.insert(context.linearize(index, train::shapeOf(value)));
    return true;
  }
  Operation *op = value.getDefiningOp();
  work += elementCost(op) * iterations(index);
  if (isa<train::ConstantOp>(op)) {
    if (!cast<train::ConstantOp>(op).getValue().isSplat())
      exprs.insert(context.linearize(index, train::shapeOf(value)));
    return true;
  }
  if (auto iota = dyn_cast<train::IotaOp>(op)) {
    exprs.insert(index[iota.getDim()]);
    return !iota.getOrigin() || visit(iota.getOrigin(), {});
  }
  if (IndexContext::isMovement(op)) {
    for (IndexSource &source : context.sources(op, index)) {
      for (IndexCondition &c : source.conditions) {
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
    // The optimizers' scalars and hyperparameters are read at fixed places.
    bool same = train::shapeOf(operand) == train::shapeOf(value);
    Index at =
        same ? index : Index(train::shapeOf(operand).size(), IndexExpr(0));
    if (!visit(operand, at))
      return false;
  }
  return true;
}

} // namespace zcc::exec
