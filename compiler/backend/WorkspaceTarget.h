// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target whose kernels use device memory besides their operands. This memory
// is part of the arena (compiler/emission/SizeWorkspaces.h). Targets that
// allocate their own do not implement this.
#ifndef ZCC_COMPILER_BACKEND_WORKSPACETARGET_H
#define ZCC_COMPILER_BACKEND_WORKSPACETARGET_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc {

class WorkspaceTarget {
public:
  virtual ~WorkspaceTarget() = default;

  /// Returns the bytes that a run of the kernel uses; runs on one stream share
  /// them.
  virtual uint64_t getWorkspaceBytes(mlir::func::FuncOp kernel) const = 0;
  /// Returns the bytes of the tables by which a batch of these kernels is
  /// launched, which have one entry per member; the operands' addresses are not
  /// included.
  virtual uint64_t
  getSegmentBytes(llvm::ArrayRef<mlir::func::FuncOp> members) const = 0;
};

} // namespace zcc

#endif
