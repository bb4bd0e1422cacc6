// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets steps of a task run part by part, so that one part is computed while
// another one is sent.
#ifndef ZCC_PASSES_SCHEDULE_STEPPARTS_H
#define ZCC_PASSES_SCHEDULE_STEPPARTS_H

#include "dialects/Exec/Exec.h"
#include "passes/Schedule/KernelParts.h"

namespace zcc {

/// Splits into equal parts the collectives of activations of a task, and what
/// stands before, between and behind them, as far as it can be split alike.
/// Returns how many steps were; with none nothing has changed.
unsigned splitIntoParts(exec::TaskOp task, KernelParts &kernels, int64_t parts);

} // namespace zcc

#endif
