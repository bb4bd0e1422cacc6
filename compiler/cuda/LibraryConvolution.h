// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds convolutions that cuDNN computes: one train.convolution of tensors in
// memory, in its forward form or in those of its gradients. Features are either
// the last dim of all three tensors or the second one; the filter's output
// features come first.
#ifndef ZCC_COMPILER_CUDA_LIBRARYCONVOLUTION_H
#define ZCC_COMPILER_CUDA_LIBRARYCONVOLUTION_H

#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>

namespace zcc::cuda {

/// Returns true if cuDNN computes `ops`, in any order, with the single output.
bool isLibraryConvolution(llvm::ArrayRef<mlir::Operation *> ops,
                          llvm::ArrayRef<mlir::Value> outputs);

/// Returns a serialized rt::format::Kernel with the convolution of a kernel,
/// whose buffers are the arguments and the result; nullopt if cuDNN does not
/// compute it. `asTf32` allows it to round operands in f32 to tf32.
std::optional<std::string> buildConvolution(mlir::func::FuncOp kernel,
                                            bool asTf32 = false);

/// Changes an op, if possible, so that cuDNN computes it: transposes the
/// filter, makes the op itself round its result, and widens operands.
void suitLibrary(train::ConvolutionOp op);

/// Returns true if cuDNN computes the op, given operands in memory, which are
/// therefore stored.
bool isLibraryConvolution(train::ConvolutionOp op);

} // namespace zcc::cuda

#endif
