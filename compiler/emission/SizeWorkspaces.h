// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_COMPILER_EMISSION_SIZEWORKSPACES_H
#define ZCC_COMPILER_EMISSION_SIZEWORKSPACES_H

#include "compiler/backend/WorkspaceTarget.h"
#include "mlir/Pass/Pass.h"

namespace zcc {

/// The pass zcc-size-workspaces records at each stage's table how much memory
/// its kernels use besides their operands (workspacesAttrName,
/// tableBytesAttrName of passes/Memory/Timeline.h), for zcc-plan-memory. The
/// target must outlive the pass.
std::unique_ptr<mlir::Pass> createSizeWorkspaces(const WorkspaceTarget &target);

} // namespace zcc

#endif
