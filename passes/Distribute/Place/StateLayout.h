// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lays out state as ZeRO does (Rajbhandari et al., 2020): decides over which
// axes it is split beyond what the step computes with. Stage 1 splits slots and
// master weights; 2: gradients too; 3: parameters too. Stages 1 and 2 also
// store parameters split, but gather them only once a step. The sums of squares
// of gradients are of the same shards at any stage, so that the norm has the
// same bits.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_STATELAYOUT_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_STATELAYOUT_H

#include "passes/Distribute/Sharding/StepSharding.h"

namespace zcc::distribute {

// Decides where each argument lives, how each op of the update is sharded, and
// how the results and observed gradients of the step must be. Fills in
// `arguments`, `demands` and the shards of the update's ops. Runs after
// propagation. Takes each parameter's stage from `step.states`.
void placeState(mlir::func::FuncOp func, const MeshAxes &mesh,
                llvm::ArrayRef<unsigned> axes, StepSharding &step);

} // namespace zcc::distribute

#endif
