// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much less of the forward pass of a placed step a device can keep for the
// backward pass, for which seconds: an estimate, for plans.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_RESIDUALCURVE_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_RESIDUALCURVE_H

#include "passes/Distribute/Place/StepCost.h"

namespace zcc::dist {

ResidualCurve measureResiduals(mlir::Block &block, const PlacedStep &placed,
                               const StepCost &cost);

} // namespace zcc::dist

#endif
