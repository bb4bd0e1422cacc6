// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/ReducePlan.h"
#include "dialects/Train/Train.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace zcc {

using codegen::isReduction;

static SmallVector<Operation *> findReductions(func::FuncOp func) {
  SmallVector<Operation *> out;
  func.walk([&](Operation *op) {
    if (isReduction(op))
      out.push_back(op);
  });
  return out;
}

ReducePlan::ReducePlan(func::FuncOp func)
    : ReducePlan(
          func, findReductions(func),
          llvm::to_vector(llvm::seq<unsigned>(0, func.getNumResults()))) {}

ReducePlan::ReducePlan(func::FuncOp func, ArrayRef<Operation *> reductions,
                       ArrayRef<unsigned> outputs)
    : reductions(reductions) {
  Operation *terminator = func.getBody().front().getTerminator();
  results.assign(terminator->operand_begin(), terminator->operand_end());
  domain = *codegen::getReduceDomain(context, reductions);
  plan(outputs);
}

unsigned ReducePlan::levelOf(mlir::Value v) {
  Operation *op = v.getDefiningOp();
  if (!op)
    return 0;
  auto known = levels.find(v);
  if (known != levels.end())
    return known->second;
  unsigned level = 0;
  for (mlir::Value operand : op->getOperands())
    level = std::max(level, levelOf(operand));
  return levels[v] = level + llvm::is_contained(reductions, op);
}

void ReducePlan::plan(ArrayRef<unsigned> outputs) {
  auto passOf = [&](unsigned level) -> Pass & {
    if (level >= passes.size())
      passes.resize(level + 1);
    return passes[level];
  };
  for (Operation *op : reductions)
    passOf(levelOf(op->getOperand(0))).reductions.push_back(op);
  int64_t full =
      train::tensorType(reductions.front()->getOperand(0)).getNumElements();
  int64_t kept =
      train::tensorType(reductions.front()->getResult(0)).getNumElements();
  for (unsigned i : outputs) {
    mlir::Value v = results[i];
    if (train::tensorType(v).getNumElements() == full && kept != full)
      passOf(levelOf(v)).outputs.push_back(i);
    else
      keptOutputs.push_back(i);
  }
}

// Adds the values that a pass computes for `v`.
void ReducePlan::reach(mlir::Value v, llvm::SetVector<mlir::Value> &seen) {
  Operation *op = v.getDefiningOp();
  if (!op || !seen.insert(v) || isReduction(op))
    return;
  for (mlir::Value operand : op->getOperands())
    reach(operand, seen);
}

SmallVector<llvm::SetVector<mlir::Value>> ReducePlan::reachedByPass() {
  SmallVector<llvm::SetVector<mlir::Value>> reached(passes.size());
  for (auto [p, pass] : llvm::enumerate(passes)) {
    for (Operation *op : pass.reductions)
      reach(op->getOperand(0), reached[p]);
    for (unsigned i : pass.outputs)
      reach(results[i], reached[p]);
  }
  return reached;
}

} // namespace zcc
