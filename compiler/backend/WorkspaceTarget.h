// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target whose kernels use memory of the device beside their operands, which
// is part of the arena (compiler/emission/SizeWorkspaces.h). Targets that bring
// their own are none.
#ifndef ZCC_COMPILER_BACKEND_WORKSPACETARGET_H
#define ZCC_COMPILER_BACKEND_WORKSPACETARGET_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc {

class WorkspaceTarget {
public:
  virtual ~WorkspaceTarget() = default;

  /// Bytes that a run of the kernel uses; runs on one stream share them.
  virtual uint64_t getWorkspaceBytes(mlir::func::FuncOp kernel) const = 0;
  /// Bytes of the tables by which a batch of these kernels is launched, one
  /// entry a member; without the operands' addresses.
  virtual uint64_t
  getSegmentBytes(llvm::ArrayRef<mlir::func::FuncOp> members) const = 0;
};

} // namespace zcc

#endif
