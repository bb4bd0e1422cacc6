// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which attention is cuDNN's: in 16 bits, of all keys or of those up to a
// query's own place. The gradient is when it has the attention's result in the
// place of `delta` and the statistics transposed (train.attention_gradient),
// which a task's gradients are given where they can be had.
#ifndef ZCC_COMPILER_CUDA_LIBRARYATTENTION_H
#define ZCC_COMPILER_CUDA_LIBRARYATTENTION_H

#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>

namespace zcc::cuda {

/// `ops` in any order.
bool isLibraryAttention(llvm::ArrayRef<mlir::Operation *> ops,
                        llvm::ArrayRef<mlir::Value> outputs);
/// train.attention or its gradient alone, its operands in memory or views of
/// it.
bool isLibraryAttention(mlir::Operation *op);
/// Of such an op: the operands that are no views as cuDNN reads them, so that
/// they are stored as they are.
llvm::SmallVector<mlir::Value> getCopied(mlir::Operation *op);

struct AttentionCall {
  std::string message; // a serialized rt::format::Kernel with the attention
  uint64_t workspaceBytes;
};
/// Of a kernel that is one, its buffers the arguments and the results.
std::optional<AttentionCall> buildAttention(mlir::func::FuncOp kernel);

/// Makes a gradient the library's, where it is one but for its operands.
void takeResult(train::AttentionGradientOp op);

} // namespace zcc::cuda

#endif
