// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds attention that cuDNN computes: in 16 bits, over all keys or those up to
// a query's own position. cuDNN also computes the gradient if it has the
// attention's result instead of `delta`, and the statistics transposed
// (train.attention_gradient); takeResult() changes gradients of a task
// accordingly if possible.
#ifndef ZCC_COMPILER_CUDA_LIBRARYATTENTION_H
#define ZCC_COMPILER_CUDA_LIBRARYATTENTION_H

#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>

namespace zcc::cuda {

/// Returns true if cuDNN computes `ops`, which may be in any order.
bool isLibraryAttention(llvm::ArrayRef<mlir::Operation *> ops,
                        llvm::ArrayRef<mlir::Value> outputs);
/// Returns true if cuDNN computes this train.attention or gradient alone, given
/// its operands in memory or as views of it.
bool isLibraryAttention(mlir::Operation *op);
/// Returns those operands of such an op that are not views that cuDNN can read,
/// and so must be stored.
llvm::SmallVector<mlir::Value> getCopied(mlir::Operation *op);

struct AttentionCall {
  std::string message; // a serialized rt::format::Kernel with the attention
  uint64_t workspaceBytes;
};
/// Returns the call of a kernel that is one, whose buffers are the arguments
/// and the results; nullopt for other kernels.
std::optional<AttentionCall> buildAttention(mlir::func::FuncOp kernel);

/// Changes a gradient that cuDNN would compute except for its operands, so that
/// cuDNN computes it.
void takeResult(train::AttentionGradientOp op);

} // namespace zcc::cuda

#endif
