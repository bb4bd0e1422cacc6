// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared parts of the generators of special kernels, and the choice among
// them.
#include "compiler/codegen/SingleOpKernel.h"
#include "compiler/codegen/SpecialAttention.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zcc {

SingleOpKernel::SingleOpKernel(KernelBuilder &kernel, Operation *op)
    : kernel(kernel), op(op), ir(kernel.ir) {
  train::IndexContext context;
  ElementEmitter constants(kernel, context);
  for (mlir::Value operand : op->getOperands()) {
    Source source;
    source.type = train::tensorType(operand);
    source.buffer.elementType = source.type.getElementType();
    if (auto argument = dyn_cast<BlockArgument>(operand))
      source.buffer = kernel.argument(argument.getArgNumber());
    else // equal elements: any index will do
      source.splat =
          constants.emit(operand, train::ElementIndex(source.type.getRank()));
    sources.push_back(source);
  }
  targets.resize(op->getNumResults());
  Operation *terminator = kernel.func.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
    if (value.getDefiningOp() == op)
      targets[cast<OpResult>(value).getResultNumber()].push_back(
          kernel.result(i));
}

llvm::Value *SingleOpKernel::load(const Source &source, llvm::Value *offset,
                                  bool vector, llvm::Value *mask) {
  if (source.splat)
    return vector ? kernel.toLanes(source.splat) : source.splat;
  return vector ? kernel.loadVector(source.buffer, offset, mask)
                : kernel.loadScalar(source.buffer, offset);
}

llvm::Value *SingleOpKernel::gather(const Source &source, llvm::Value *offsets,
                                    llvm::Value *mask) {
  if (source.splat)
    return kernel.toLanes(source.splat);
  return kernel.gather(source.buffer, offsets, mask);
}

void SingleOpKernel::store(llvm::Value *value, unsigned result,
                           llvm::Value *offset, bool vector,
                           llvm::Value *mask) {
  for (const TensorBuffer &target : targets[result]) {
    llvm::Value *rounded = kernel.roundTo(target.elementType, value);
    if (vector)
      kernel.storeVector(rounded, target, offset, mask);
    else
      kernel.storeScalar(rounded, target, offset);
  }
}

llvm::Value *SingleOpKernel::reload(unsigned result, llvm::Value *offset,
                                    bool vector, llvm::Value *mask) {
  const TensorBuffer &target = targets[result].front();
  return vector ? kernel.loadVector(target, offset, mask)
                : kernel.loadScalar(target, offset);
}

Type SingleOpKernel::accumulatorType(Type elementType) {
  if (elementType.isF16() || elementType.isBF16())
    return Float32Type::get(elementType.getContext());
  return elementType;
}

llvm::Value *SingleOpKernel::times(llvm::Value *v, int64_t factor) {
  return factor == 1 ? v : ir.CreateNSWMul(v, ir.getInt64(factor));
}
llvm::Value *SingleOpKernel::plus(llvm::Value *v, int64_t term) {
  return term == 0 ? v : ir.CreateNSWAdd(v, ir.getInt64(term));
}
llvm::Value *SingleOpKernel::quotient(llvm::Value *v, int64_t divisor) {
  return divisor == 1 ? v : ir.CreateUDiv(v, ir.getInt64(divisor));
}
llvm::Value *SingleOpKernel::remainder(llvm::Value *v, int64_t divisor) {
  return divisor == 1 ? (llvm::Value *)ir.getInt64(0)
                      : ir.CreateURem(v, ir.getInt64(divisor));
}

llvm::Value *SingleOpKernel::tail(llvm::Value *base, int64_t limit) {
  if (limit % kernel.lanes() == 0)
    return nullptr;
  return kernel.tailMask(base, ir.getInt64(limit));
}

void SingleOpKernel::items(int64_t count, double itemNanoseconds, bool team,
                           llvm::function_ref<void(llvm::Value *)> body) {
  kernel.info.items = count;
  kernel.info.itemNanoseconds = static_cast<uint64_t>(itemNanoseconds) + 1;
  if (team)
    kernel.forEachItemOfTeam(body);
  else
    kernel.forEachLongItem(body);
}

void SingleOpKernel::loop(int64_t extent,
                          llvm::function_ref<void(llvm::Value *)> body) {
  if (extent == 1)
    return body(ir.getInt64(0));
  kernel.loop(ir.getInt64(0), ir.getInt64(extent), 1, body);
}

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

LogicalResult emitSingleOpKernel(KernelBuilder &kernel,
                                 const codegen::KernelForm &form) {
  // Without elements there is nothing to write.
  if (llvm::all_of(form.root->getResults(), [](mlir::Value result) {
        return train::tensorType(result).getNumElements() == 0;
      })) {
    kernel.info.items = 0;
    return success();
  }
  if (train::Attention::isAttention(form.root))
    return emitAttentionKernel(kernel, form.root);
  SingleOpKernel special(kernel, form.root);
  return llvm::TypeSwitch<Operation *, LogicalResult>(form.root)
      .Case([&](train::ScatterOp op) {
        emitScatter(special, op);
        return success();
      })
      .Case([&](train::CumulativeOp op) {
        emitCumulative(special, op);
        return success();
      })
      .Case([&](train::SortOp op) {
        emitSort(special, op);
        return success();
      })
      .Case([&](train::ReduceWindowOp op) {
        emitReduceWindow(special, op);
        return success();
      })
      .Case([&](train::SelectAndScatterOp op) {
        emitSelectAndScatter(special, op);
        return success();
      })
      .Default([&](Operation *op) {
        return op->emitError("no kernel generator for this op");
      });
}

} // namespace zcc
