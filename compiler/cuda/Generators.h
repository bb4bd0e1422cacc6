// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generators of kernels for GPUs, one per form of
// compiler/codegen/KernelForm.h; those of other forms are in compiler/codegen.
// Each emits the body of `kernel.function` and declares by setBlocks() or
// forEachItem() how it is launched. Sums have the order that the ops prescribe,
// so that results have the same bits as on cores.
#ifndef ZCC_COMPILER_CUDA_GENERATORS_H
#define ZCC_COMPILER_CUDA_GENERATORS_H

#include "compiler/codegen/KernelForm.h"
#include "compiler/codegen/Product.h"
#include "compiler/cuda/CudaKernelBuilder.h"

namespace zcc::cuda {

// LoopKernel.cpp
/// Returns how many elements of the widest type of an argument or result of
/// `count` elements fit into 16 bytes; at most 8.
int64_t lanesOf16Bytes(mlir::func::FuncOp func, int64_t count);
mlir::LogicalResult emitLoopKernel(CudaKernelBuilder &kernel);
// RowKernel.cpp
mlir::LogicalResult emitRowKernel(CudaKernelBuilder &kernel);
// ColumnKernel.cpp
mlir::LogicalResult emitColumnKernel(CudaKernelBuilder &kernel);
// ColumnSumsKernel.cpp: those of large tensors, in two launches. The first one
// sets info.second; the code of each is emitted by a builder of its own.
bool suitsColumnSums(CudaKernelBuilder &kernel);
void emitColumnSums(CudaKernelBuilder &kernel);
// SquaresKernel.cpp
mlir::LogicalResult emitSquaresKernel(CudaKernelBuilder &kernel,
                                      const codegen::KernelForm &form);
// AttentionKernel.cpp: attention whose tiles fit into shared memory.
bool suitsSharedAttention(mlir::Operation *op);
void emitSharedAttention(CudaKernelBuilder &kernel, mlir::Operation *op);
// AttentionGradientKernel.cpp: its gradient, likewise.
bool suitsSharedGradient(mlir::Operation *op);
void emitSharedGradient(CudaKernelBuilder &kernel, mlir::Operation *op);
// RowScatterKernel.cpp: scatters of whole rows at places along one dim.
bool suitsRowScatter(mlir::Operation *op);
void emitRowScatter(CudaKernelBuilder &kernel, mlir::Operation *op);
// MatrixAttention.cpp, MatrixAttentionGradient.cpp: those in 16 bits, by tensor
// cores, where the op has exec::tensorCoresAttrName.
bool suitsMatrixAttention(mlir::Operation *op);
void emitMatrixAttention(CudaKernelBuilder &kernel, mlir::Operation *op);
bool suitsMatrixGradient(mlir::Operation *op);
void emitMatrixGradient(CudaKernelBuilder &kernel, mlir::Operation *op);
// ProductKernel.cpp
mlir::LogicalResult emitProduct(CudaKernelBuilder &kernel,
                                ElementEmitter &emitter, Product &product);

// CollectiveReductionKernel.cpp: reductions for collectives, which are called
// as runtime/format/ReductionWords.h defines.
mlir::func::FuncOp declareReduction(mlir::OpBuilder &builder,
                                    const CollectiveReduction &reduction);
bool isReduction(mlir::func::FuncOp kernel);
void emitReductionKernel(CudaKernelBuilder &kernel);

/// Emits the element of an operand for the bound variables, as a factor.
llvm::Value *emitFactor(ElementEmitter &emitter, const Product &product,
                        const ProductOperand &operand);
/// Emits the sum of the bound row and column, by this thread alone and without
/// vectors.
llvm::Value *emitSum(ElementEmitter &emitter, const Product &product);
// TiledProduct.cpp: products with tiles in shared memory, for results that are
// large enough.
bool suitsTiles(const Product &product);
void emitTiledProduct(CudaKernelBuilder &kernel, ElementEmitter &emitter,
                      Product &product, llvm::ArrayRef<ProductOutput> outputs);

} // namespace zcc::cuda

#endif
