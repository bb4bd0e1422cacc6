// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Improves by local search which factor of each op carries one axis of the
// mesh.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_IMPROVESHARDING_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_IMPROVESHARDING_H

#include "passes/Distribute/Place/AxisChoices.h"

namespace zcc::distribute {

// Moves ops that are not fixed to where their neighbors have the axis, as long
// as that saves bytes.
void improveSharding(mlir::Block &block, const AxisChoices &choices,
                     StepSharding &step);

} // namespace zcc::distribute

#endif
