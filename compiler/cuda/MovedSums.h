// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_COMPILER_CUDA_MOVEDSUMS_H
#define ZCC_COMPILER_CUDA_MOVEDSUMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc::cuda {

/// Makes sums read the transpose of a value, where all other readers read that
/// transpose. So the value itself need not be in memory. The order of the sums
/// stays.
void sumMoved(mlir::func::FuncOp task);

} // namespace zcc::cuda

#endif
