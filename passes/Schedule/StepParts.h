// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets steps of a task run part by part, so that one part is computed while
// another one is sent.
#ifndef ZCC_PASSES_SCHEDULE_STEPPARTS_H
#define ZCC_PASSES_SCHEDULE_STEPPARTS_H

#include "dialects/Exec/Exec.h"
#include "passes/Schedule/KernelParts.h"

namespace zcc {

/// Splits collectives of activations into equal parts, with the steps before,
/// between and after them that can be split alike. Returns the number of split
/// steps; if it is 0, nothing has changed.
unsigned splitIntoParts(exec::TaskOp task, KernelParts &kernels, int64_t parts);

} // namespace zcc

#endif
