// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a step, once it is decided where all is, can be computed microbatch
// by microbatch: what AssignRegions finds in the partitioned step, for plans
// that are only measured.
#ifndef ZCC_PASSES_DISTRIBUTE_CHOOSE_MICROBATCHES_H
#define ZCC_PASSES_DISTRIBUTE_CHOOSE_MICROBATCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Distribute/Place/PlacedStep.h"

namespace zcc::dist {

// False if the loop reads a sum over the whole batch that no loop before it can
// compute. `accepted`: globs of locations whose sums may be of one microbatch.
bool runsInMicrobatches(mlir::func::FuncOp step, const PlacedStep &placed,
                        llvm::ArrayRef<std::string> accepted);

} // namespace zcc::dist

#endif
