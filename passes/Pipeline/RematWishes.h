// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the user's choice of values that are kept for the backward pass.
#ifndef ZCC_PASSES_PIPELINE_REMATWISHES_H
#define ZCC_PASSES_PIPELINE_REMATWISHES_H

#include "passes/Pipeline/StepTasks.h"
#include "passes/Train/Globs.h"
#include <functional>

namespace zcc {

// Returns the wish for each op of the forward pass. `remat` says what is
// computed again: full (all but values between repeated blocks); with none,
// only values that `globs` name, FILE:LINE or FILE:LINE#k.
std::function<Keep(mlir::Operation *)>
readWishes(const StepTasks &tasks, llvm::StringRef remat, Globs &globs);

} // namespace zcc

#endif
