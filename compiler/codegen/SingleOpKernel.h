// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of one op that is no loop, reduction or product: scatter, cumulative,
// sort, reduce_window, select_and_scatter, attention. Their operands are
// buffers or splat constants. Each generator splits the result into disjoint
// parts, an item a part, and does the whole work of a part in the order that
// the op prescribes, so that any split of the items gives the same bits.
#ifndef ZCC_COMPILER_CODEGEN_SINGLEOPKERNEL_H
#define ZCC_COMPILER_CODEGEN_SINGLEOPKERNEL_H

#include "compiler/codegen/ElementEmitter.h"
#include "compiler/codegen/KernelForm.h"

namespace zcc {

class SingleOpKernel {
public:
  // An operand: a buffer, or one value for all elements.
  struct Source {
    TensorBuffer buffer;
    llvm::Value *splat = nullptr;
    mlir::RankedTensorType type;
  };

  SingleOpKernel(KernelBuilder &kernel, mlir::Operation *op);

  KernelBuilder &kernel;
  mlir::Operation *op;
  llvm::IRBuilder<> &ir;
  llvm::SmallVector<Source> sources;
  // The buffers of result `i` of the op, one for each time that the kernel
  // returns it.
  llvm::SmallVector<llvm::SmallVector<TensorBuffer, 1>> targets;

  // Loads one element, or lanes() consecutive ones, in register form.
  llvm::Value *load(const Source &source, llvm::Value *offset, bool vector,
                    llvm::Value *mask = nullptr);
  llvm::Value *gather(const Source &source, llvm::Value *offsets,
                      llvm::Value *mask);
  // Rounds to the element type and writes to every target of the result.
  void store(llvm::Value *value, unsigned result, llvm::Value *offset,
             bool vector, llvm::Value *mask = nullptr);
  // Loads a stored result.
  llvm::Value *reload(unsigned result, llvm::Value *offset, bool vector,
                      llvm::Value *mask = nullptr);

  // The type in which elements are combined: f32 for f16 and bf16.
  static mlir::Type accumulatorType(mlir::Type elementType);
  llvm::Value *combine(train::ReduceKind kind, mlir::Type elementType,
                       llvm::Value *a, llvm::Value *b) {
    return emitCombine(kernel, kind, accumulatorType(elementType), a, b);
  }
  llvm::Value *identity(train::ReduceKind kind, mlir::Type elementType,
                        unsigned lanes) {
    return reduceIdentity(kernel, kind, accumulatorType(elementType), lanes);
  }

  // i64 arithmetic with constants.
  llvm::Value *times(llvm::Value *v, int64_t factor);
  llvm::Value *plus(llvm::Value *v, int64_t term);
  llvm::Value *plus(llvm::Value *a, llvm::Value *b) {
    return ir.CreateNSWAdd(a, b);
  }
  llvm::Value *quotient(llvm::Value *v, int64_t divisor);
  llvm::Value *remainder(llvm::Value *v, int64_t divisor);
  // Returns the mask of lanes below `limit`; null if every vector that begins
  // at a multiple of lanes() is whole.
  llvm::Value *tail(llvm::Value *base, int64_t limit);

  // Declares the items and emits `body` for each item of this call. With
  // `team`, a block of a GPU works on each (KernelBuilder::forEachItemOfTeam).
  void items(int64_t count, double itemNanoseconds,
             llvm::function_ref<void(llvm::Value *)> body) {
    items(count, itemNanoseconds, /*team=*/false, body);
  }
  void items(int64_t count, double itemNanoseconds, bool team,
             llvm::function_ref<void(llvm::Value *)> body);
  // Loops from 0 to `extent`; one pass without a loop if it is 1.
  void loop(int64_t extent, llvm::function_ref<void(llvm::Value *)> body);
};

// Kernels of the form Special.
mlir::LogicalResult emitSingleOpKernel(KernelBuilder &kernel,
                                       const codegen::KernelForm &form);

void emitScatter(SingleOpKernel &special, train::ScatterOp op);
void emitCumulative(SingleOpKernel &special, train::CumulativeOp op);
void emitSort(SingleOpKernel &special, train::SortOp op);
void emitReduceWindow(SingleOpKernel &special, train::ReduceWindowOp op);
void emitSelectAndScatter(SingleOpKernel &special,
                          train::SelectAndScatterOp op);

// Returns the row-major strides of a shape.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace zcc

#endif
