// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AdamW and SGD on one element: in f32, operations in the order that the
// formulas of train.adamw and train.sgd are written, none contracted.
#include "compiler/cpu/ElementEmitter.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace zcc {

using llvm::Value;

namespace {
// Positions in the hyperparameters, as runtime/format's enum Hyper.
enum Hyper {
  LearningRate,
  Beta1,
  Beta2,
  Epsilon,
  WeightDecay,
  Momentum,
  ClipNorm,
  Bias1,
  Bias2,
  LossScale,
  OneMinusBeta1,
  OneMinusBeta2
};
} // namespace

void ElementEmitter::emitOptimizer(Operation *op, const ElementIndex &index) {
  llvm::IRBuilder<> &ir = kernel.ir;
  auto lanes = [&](Value *v) { return kernel.toLanes(v); };
  auto element = [&](mlir::Value v) { return lanes(emit(v, index)); };
  auto scalar = [&](mlir::Value v) { return lanes(emit(v, {})); };
  auto remember = [&](mlir::Value result, Value *v) {
    scopes.back()
        .values[{result.getAsOpaquePointer(), {index.begin(), index.end()}}] =
        v;
  };
  auto f32 = [&](Value *v) {
    return ir.CreateFPCast(v, v->getType()->getWithNewType(ir.getFloatTy()));
  };
  auto finish = [&](mlir::Value result, Value *finite, Value *updated,
                    Value *old) {
    Type t = train::tensorType(result).getElementType();
    Value *v = ir.CreateSelect(finite, updated, old);
    if (t.isF64())
      v = ir.CreateFPExt(v, v->getType()->getWithNewType(ir.getDoubleTy()));
    remember(result, kernel.roundTo(t, v));
  };
  auto copies = [&](ValueRange results, Value *finite, Value *p, Value *old) {
    for (mlir::Value copy : results)
      finish(copy, finite, p, old);
  };
  auto hyperOf = [&](mlir::Value hyper) {
    return [&, hyper](Hyper i) {
      return lanes(emit(hyper, {train::IndexExpr(int64_t(i))}));
    };
  };

  if (auto adam = dyn_cast<train::AdamWOp>(op)) {
    auto h = hyperOf(adam.getHyper());
    Value *p = f32(element(adam.getParameter()));
    Value *m = f32(element(adam.getMoment1()));
    Value *v = f32(element(adam.getMoment2()));
    Value *g = ir.CreateFMul(f32(element(adam.getGradient())),
                             scalar(adam.getScale()));
    Value *finite = scalar(adam.getFinite());
    Value *m2 = ir.CreateFAdd(ir.CreateFMul(h(Beta1), m),
                              ir.CreateFMul(h(OneMinusBeta1), g));
    Value *v2 =
        ir.CreateFAdd(ir.CreateFMul(h(Beta2), v),
                      ir.CreateFMul(ir.CreateFMul(h(OneMinusBeta2), g), g));
    Value *lr = h(LearningRate);
    Value *p2 = p;
    if (adam.getDecay())
      p2 =
          ir.CreateFSub(p, ir.CreateFMul(ir.CreateFMul(lr, h(WeightDecay)), p));
    Value *root = ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt,
                                          ir.CreateFDiv(v2, h(Bias2)));
    Value *step = ir.CreateFDiv(ir.CreateFDiv(m2, h(Bias1)),
                                ir.CreateFAdd(root, h(Epsilon)));
    p2 = ir.CreateFSub(p2, ir.CreateFMul(lr, step));
    finish(adam.getNewParameter(), finite, p2, p);
    finish(adam.getNewMoment1(), finite, m2, m);
    finish(adam.getNewMoment2(), finite, v2, v);
    copies(adam.getCopy(), finite, p2, p);
    return;
  }
  auto sgd = cast<train::SgdOp>(op);
  auto h = hyperOf(sgd.getHyper());
  Value *p = f32(element(sgd.getParameter()));
  Value *b = f32(element(sgd.getMomentum()));
  Value *g =
      ir.CreateFMul(f32(element(sgd.getGradient())), scalar(sgd.getScale()));
  Value *finite = scalar(sgd.getFinite());
  Value *b2 = ir.CreateFAdd(ir.CreateFMul(h(Momentum), b), g);
  Value *direction = b2;
  if (sgd.getDecay())
    direction = ir.CreateFAdd(b2, ir.CreateFMul(h(WeightDecay), p));
  Value *p2 = ir.CreateFSub(p, ir.CreateFMul(h(LearningRate), direction));
  finish(sgd.getNewParameter(), finite, p2, p);
  finish(sgd.getNewMomentum(), finite, b2, b);
  copies(sgd.getCopy(), finite, p2, p);
}

} // namespace zcc
