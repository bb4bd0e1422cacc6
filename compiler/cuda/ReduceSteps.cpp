// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/ReduceSteps.h"

using namespace mlir;

namespace zcc::cuda {

static llvm::Value *emitAt(ElementEmitter &emitter, ReducePlan &plan,
                           unsigned i, const train::IndexExpr &linear) {
  mlir::Value v = plan.results[i];
  return emitter.emit(v, plan.context.delinearize(linear, train::shapeOf(v)));
}

llvm::Value *emitOutput(ElementEmitter &emitter, ReducePlan &plan, unsigned i) {
  return emitAt(emitter, plan, i, plan.domain.fullLinear);
}

void emitReduceSteps(ElementEmitter &emitter, ReducePlan &plan,
                     const ReducePlan::Pass &pass,
                     MutableArrayRef<Accumulator> sums, int64_t steps,
                     llvm::function_ref<void(int64_t)> bind) {
  struct Step {
    SmallVector<llvm::Value *> reduced, positions, outputs;
    llvm::Value *place;
  };
  SmallVector<Step> values(steps);
  for (auto [k, step] : llvm::enumerate(values)) {
    ElementEmitter::Scope scope(emitter);
    bind(static_cast<int64_t>(k));
    for (Operation *op : pass.reductions) {
      train::ElementIndex index = plan.domain.operandIndex(plan.context, op);
      step.reduced.push_back(emitter.emit(op->getOperand(0), index));
      auto arg = dyn_cast<train::ArgReduceOp>(op);
      step.positions.push_back(arg ? emitter.vectorIndex(index[arg.getDim()])
                                   : nullptr);
    }
    for (unsigned i : pass.outputs)
      step.outputs.push_back(emitOutput(emitter, plan, i));
    step.place = emitter.scalarIndex(plan.domain.fullLinear);
  }
  KernelBuilder &kernel = emitter.kernel;
  for (Step &step : values) {
    for (auto [i, x] : llvm::zip(pass.outputs, step.outputs))
      kernel.storeVector(x, kernel.result(i), step.place, nullptr,
                         /*whole=*/true);
    for (auto [i, sum] : llvm::enumerate(sums))
      sum.add(step.reduced[i], step.positions[i], nullptr);
  }
}

void emitReduceRows(ElementEmitter &emitter, ReducePlan &plan,
                    const ReducePlan::Pass &pass,
                    MutableArrayRef<Accumulator> sums, llvm::Value *from,
                    llvm::Value *to, int64_t ahead) {
  KernelBuilder &kernel = emitter.kernel;
  llvm::IRBuilder<> &ir = kernel.ir;
  auto add = [&](llvm::Value *first, int64_t count) {
    emitReduceSteps(emitter, plan, pass, sums, count, [&](int64_t k) {
      emitter.bind(plan.domain.outerReduced,
                   ir.CreateNSWAdd(first, kernel.index(k)));
    });
  };
  llvm::Value *whole = ir.CreateNSWAdd(
      from, ir.CreateAnd(ir.CreateNSWSub(to, from), kernel.index(-ahead)));
  kernel.loop(from, whole, ahead, [&](llvm::Value *r) { add(r, ahead); });
  if (int64_t rest = plan.domain.outerReduced->extent % ahead)
    kernel.ifThenElse(ir.CreateICmpSLT(whole, to), [&] { add(whole, rest); });
}

void provideSums(ElementEmitter &emitter, const ReducePlan::Pass &pass,
                 MutableArrayRef<Accumulator> sums) {
  for (auto [op, sum] : llvm::zip(pass.reductions, sums)) {
    llvm::Value *v = sum.lanes();
    emitter.provide(op->getResult(0),
                    [v](const train::ElementIndex &) { return v; });
  }
}

void storeKeptOutputs(ElementEmitter &emitter, ReducePlan &plan) {
  for (unsigned i : plan.keptOutputs)
    emitter.store(emitAt(emitter, plan, i, plan.domain.keptLinear),
                  emitter.kernel.result(i), plan.domain.keptLinear);
}

} // namespace zcc::cuda
