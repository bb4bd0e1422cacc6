// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks which ops stand where in a text from which a phase is resumed, because
// the passes rely on it.
#ifndef ZCC_COMPILER_PHASES_VERIFYSTRUCTURE_H
#define ZCC_COMPILER_PHASES_VERIFYSTRUCTURE_H

#include "compiler/phases/Phases.h"
#include "mlir/IR/BuiltinOps.h"

namespace zcc {

/// Checks, in addition to the verifiers of ops: a module holds declarations,
/// functions and tasks; a function is one block of ops of train and dist, the
/// body of a ring one of train; tasks, buckets and repeats hold steps, tables
/// hold actions; values outside of tasks are tensors of static shape. Checks
/// nothing in phase `input`.
mlir::LogicalResult verifyStructure(Phase phase, mlir::ModuleOp module);

} // namespace zcc

#endif
