// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates, for plans, how much memory a device saves by computing values of
// the forward pass again for the backward pass, and how many seconds that
// takes.
#ifndef ZCC_PASSES_DISTRIBUTE_ESTIMATE_RESIDUALCURVE_H
#define ZCC_PASSES_DISTRIBUTE_ESTIMATE_RESIDUALCURVE_H

#include "passes/Distribute/Estimate/StepCost.h"

namespace zcc::distribute {

// Returns the curve of a placed step.
ResidualCurve measureResiduals(mlir::Block &block, const PlacedStep &placed,
                               const StepCost &cost);

} // namespace zcc::distribute

#endif
