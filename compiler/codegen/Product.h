// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batched matrix product inside a kernel: result(batch, row, column) = sum
// over step of left(batch, row, step) * right(batch, step, column). dot_general
// and convolution define the elements of the operands; the rest of a target's
// code is the same for both.
#ifndef ZCC_COMPILER_CODEGEN_PRODUCT_H
#define ZCC_COMPILER_CODEGEN_PRODUCT_H

#include "compiler/codegen/ElementEmitter.h"
#include "compiler/codegen/KernelForm.h"

namespace zcc {

/// Steps of one chain of fused multiply-adds; the chains' sums are added in
/// order.
inline constexpr int64_t blockSteps = 256;

struct ProductOperand {
  const train::IndexVar *free = nullptr; // row or column
  const train::IndexVar *step = nullptr;
  // Emits the element for the bound variables, in the register form of
  // `elementType`.
  std::function<llvm::Value *(ElementEmitter &)> emit;
  mlir::Type elementType;
  // Set if the operand is in memory: the element is at `offset` of `buffer`.
  std::optional<TensorBuffer> buffer;
  train::IndexExpr offset;
  // The variable along which the memory that most elements come from is
  // contiguous.
  enum { Free, Step, Neither } contiguous = Neither;
  // Operations per element, for the choice of tiles.
  double work = 0;

  // Returns true for plain memory whose addresses are linear in `free` and
  // `step`.
  bool isLinear() const;
};

struct Product {
  mlir::Operation *root = nullptr; // the op whose result the product is
  llvm::Type *type = nullptr;      // the type of the accumulators
  int64_t batches = 1, rows = 1, columns = 1, steps = 1; // any may be 0
  const train::IndexVar *batch = nullptr, *row = nullptr, *column = nullptr,
                        *step = nullptr;
  ProductOperand left, right;
  train::ElementIndex
      resultIndex; // the index of root's result for these variables
  // Null, or emits which products for the bound variables count (i1, by lane or
  // for all); the others have a factor 0.
  std::function<llvm::Value *(ElementEmitter &)> inside;
};

/// Returns the accumulator's type for a result and operands of these element
/// types.
llvm::Type *accumulatorType(KernelBuilder &kernel, mlir::Type result,
                            mlir::Type left, mlir::Type right);

/// Fills `contiguous`, `buffer`, `offset` and `work` of an operand that is the
/// element `index` of `value`.
void analyzeOperand(ProductOperand &operand, train::IndexContext &context,
                    KernelBuilder &kernel, mlir::Value value,
                    const train::ElementIndex &index);

/// An output: its value, its index for the product's variables, and the
/// position in the buffer.
struct ProductOutput {
  mlir::Value value;
  train::ElementIndex index;
  train::IndexExpr offset;
  bool plain; // true if it is the product itself, only moved
};
/// Returns the outputs of the kernel.
mlir::FailureOr<std::vector<ProductOutput>>
productOutputs(mlir::func::FuncOp func, train::IndexContext &context,
               mlir::Operation *root, const train::ElementIndex &resultIndex);

/// Stores the outputs at the bound row and column, computed from the product's
/// sum in the accumulator's type.
void emitOutputs(ElementEmitter &emitter, const Product &product,
                 llvm::ArrayRef<ProductOutput> outputs, llvm::Value *sum);

/// Emits the whole kernel around a product.
using ProductEmitter =
    llvm::function_ref<mlir::LogicalResult(ElementEmitter &, Product &)>;

/// Kernels of the forms Dot (DotKernel.cpp) and Convolution (ConvKernel.cpp).
mlir::LogicalResult emitDotKernel(KernelBuilder &kernel,
                                  const codegen::KernelForm &form,
                                  ProductEmitter emitProduct);
mlir::LogicalResult emitConvolutionKernel(KernelBuilder &kernel,
                                          const codegen::KernelForm &form,
                                          ProductEmitter emitProduct);

} // namespace zcc

#endif
