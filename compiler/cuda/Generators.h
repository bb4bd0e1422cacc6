// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generators of kernels for GPUs, one a form of
// compiler/codegen/KernelForm.h; those of other forms are in compiler/codegen.
// Each emits the body of `kernel.function` and says by setBlocks() or
// forEachItem() how it is launched. Sums have the order that the ops prescribe:
// the bits are a core's.
#ifndef ZCC_COMPILER_CUDA_GENERATORS_H
#define ZCC_COMPILER_CUDA_GENERATORS_H

#include "compiler/codegen/KernelForm.h"
#include "compiler/codegen/Product.h"
#include "compiler/cuda/CudaKernelBuilder.h"

namespace zcc::cuda {

// LoopKernel.cpp
mlir::LogicalResult emitLoopKernel(CudaKernelBuilder &kernel);
// RowKernel.cpp
mlir::LogicalResult emitRowKernel(CudaKernelBuilder &kernel);
// ColumnKernel.cpp
mlir::LogicalResult emitColumnKernel(CudaKernelBuilder &kernel);
// SquaresKernel.cpp
mlir::LogicalResult emitSquaresKernel(CudaKernelBuilder &kernel,
                                      const codegen::KernelForm &form);
// AttentionKernel.cpp: attention whose tiles fit shared memory.
bool suitsSharedAttention(mlir::Operation *op);
void emitSharedAttention(CudaKernelBuilder &kernel, mlir::Operation *op);
// AttentionGradientKernel.cpp: the same of its gradient.
bool suitsSharedGradient(mlir::Operation *op);
void emitSharedGradient(CudaKernelBuilder &kernel, mlir::Operation *op);
// ProductKernel.cpp
mlir::LogicalResult emitProduct(CudaKernelBuilder &kernel,
                                ElementEmitter &emitter, Product &product);

// ReductionKernel.cpp: what collectives reduce, called as
// runtime/format/ReductionWords.h says.
mlir::func::FuncOp declareReduction(mlir::OpBuilder &builder,
                                    const CollectiveReduction &reduction);
bool isReduction(mlir::func::FuncOp kernel);
void emitReductionKernel(CudaKernelBuilder &kernel);

/// The element of an operand that the bound variables mean, as a factor.
llvm::Value *emitFactor(ElementEmitter &emitter, const Product &product,
                        const ProductOperand &operand);
/// The sum of the bound row and column, of one lane, by this thread alone.
llvm::Value *emitSum(ElementEmitter &emitter, const Product &product);
// TiledProduct.cpp: with shared memory, where the result has room for its
// tiles.
bool suitsTiles(const Product &product);
void emitTiledProduct(CudaKernelBuilder &kernel, ElementEmitter &emitter,
                      Product &product, llvm::ArrayRef<ProductOutput> outputs);

} // namespace zcc::cuda

#endif
