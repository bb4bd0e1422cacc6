// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which convolutions are cuDNN's: one train.convolution of tensors in memory,
// in its forward form or in those that its gradients have. Features are either
// the last dim of all three tensors or the second, the filter's output features
// the first.
#ifndef ZCC_COMPILER_CUDA_LIBRARYCONVOLUTION_H
#define ZCC_COMPILER_CUDA_LIBRARYCONVOLUTION_H

#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>

namespace zcc::cuda {

/// `ops` in any order, with the one output.
bool isLibraryConvolution(llvm::ArrayRef<mlir::Operation *> ops,
                          llvm::ArrayRef<mlir::Value> outputs);

/// A serialized rt::format::Kernel with the convolution of a kernel that is
/// one, its buffers the arguments and the result. `asTf32`: operands in f32 may
/// be rounded to tf32.
std::optional<std::string> buildConvolution(mlir::func::FuncOp kernel,
                                            bool asTf32 = false);

/// Makes an op one by transposing the filter, rounding the result in it and
/// widening operands, where only these are in the way.
void suitLibrary(train::ConvolutionOp op);

/// Whether the op alone, with operands in memory, is one: these are stored.
bool isLibraryConvolution(train::ConvolutionOp op);

} // namespace zcc::cuda

#endif
