// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of the forward pass the user wants to be kept for the backward pass.
#ifndef ZCC_PASSES_PIPELINE_REMATWISHES_H
#define ZCC_PASSES_PIPELINE_REMATWISHES_H

#include "passes/Pipeline/StepTasks.h"
#include "passes/Train/Globs.h"
#include <functional>

namespace zcc {

// `remat`: none, full (all but what lies between repeated blocks), or what
// `globs` name is computed again, FILE:LINE or FILE:LINE#k.
std::function<Keep(mlir::Operation *)>
readWishes(const StepTasks &tasks, llvm::StringRef remat, Globs &globs);

} // namespace zcc

#endif
