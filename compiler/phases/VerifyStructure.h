// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may stand where in the text of a phase that is resumed: the passes take
// it for granted.
#ifndef ZCC_COMPILER_PHASES_VERIFYSTRUCTURE_H
#define ZCC_COMPILER_PHASES_VERIFYSTRUCTURE_H

#include "compiler/phases/Phases.h"
#include "mlir/IR/BuiltinOps.h"

namespace zcc {

/// Beside what each op verifies itself: a module holds declarations, functions
/// and tasks; a function is one block of ops of train and dist, a ring's body
/// one of train; tasks, buckets and repeats hold steps, tables actions; values
/// outside of tasks are tensors of static shape. Of phase `input`, nothing.
mlir::LogicalResult verifyStructure(Phase phase, mlir::ModuleOp module);

} // namespace zcc

#endif
