// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits products of few rows or columns: a thread does an element of the
// result, as the chain of fused multiply-adds that the ops prescribe;
// neighboring threads along the columns read the same rows. Other products are
// in TiledProduct.cpp.
#include "compiler/cuda/Generators.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace zcc::cuda {

llvm::Value *emitFactor(ElementEmitter &emitter, const Product &p,
                        const ProductOperand &operand) {
  llvm::IRBuilder<> &ir = emitter.kernel.ir;
  llvm::Value *v = operand.emit(emitter);
  if (p.type->isFloatingPointTy())
    return ir.CreateFPExt(v, p.type);
  bool isUnsigned = operand.elementType.isUnsignedInteger() ||
                    operand.elementType.isInteger(1);
  return ir.CreateIntCast(v, p.type, !isUnsigned);
}

llvm::Value *emitSum(ElementEmitter &emitter, const Product &p) {
  KernelBuilder &kernel = emitter.kernel;
  llvm::IRBuilder<> &ir = kernel.ir;
  llvm::Constant *zero = llvm::Constant::getNullValue(p.type);
  bool isFloat = p.type->isFloatingPointTy();
  llvm::AllocaInst *total = kernel.variable(p.type, zero);
  llvm::AllocaInst *block = kernel.variable(p.type);
  kernel.loop(
      kernel.index(0), kernel.index(p.steps), blockSteps,
      [&](llvm::Value *from) {
        ElementEmitter::Scope blockScope(emitter);
        kernel.set(block, zero);
        llvm::Value *to = ir.CreateBinaryIntrinsic(
            llvm::Intrinsic::smin, kernel.index(p.steps),
            ir.CreateNSWAdd(from, kernel.index(blockSteps)));
        kernel.loop(from, to, 1, [&](llvm::Value *step) {
          ElementEmitter::Scope stepScope(emitter);
          emitter.bind(p.step, step);
          auto add = [&] {
            ElementEmitter::Scope scope(emitter);
            llvm::Value *left = emitFactor(emitter, p, p.left),
                        *right = emitFactor(emitter, p, p.right);
            llvm::Value *sum = kernel.get(block);
            kernel.set(block,
                       isFloat ? kernel.fma(left, right, sum)
                               : ir.CreateAdd(sum, ir.CreateMul(left, right)));
          };
          if (p.inside)
            kernel.ifThenElse(p.inside(emitter), add);
          else
            add();
        });
        llvm::Value *sum = kernel.get(block);
        if (p.steps > blockSteps) {
          llvm::Value *before = kernel.get(total);
          sum = ir.CreateSelect(ir.CreateICmpEQ(from, kernel.index(0)), sum,
                                isFloat ? ir.CreateFAdd(before, sum)
                                        : ir.CreateAdd(before, sum));
        }
        kernel.set(total, sum);
      });
  return kernel.get(total);
}

LogicalResult emitProduct(CudaKernelBuilder &kernel, ElementEmitter &emitter,
                          Product &p) {
  auto outputs =
      productOutputs(kernel.func, emitter.context, p.root, p.resultIndex);
  if (failed(outputs))
    return failure();
  if (suitsTiles(p)) {
    emitTiledProduct(kernel, emitter, p, *outputs);
    return success();
  }
  int64_t elements = p.batches * p.rows * p.columns;
  kernel.info.items = elements;
  kernel.forEachItem([&](llvm::Value *item) {
    ElementEmitter::Scope scope(emitter);
    llvm::Value *line = kernel.divide(item, p.columns, elements);
    emitter.bind(p.column, kernel.modulo(item, p.columns, elements));
    emitter.bind(p.row, kernel.modulo(line, p.rows, elements));
    emitter.bind(p.batch, kernel.divide(line, p.rows, elements));
    emitOutputs(emitter, p, *outputs, emitSum(emitter, p));
  });
  return success();
}

} // namespace zcc::cuda
