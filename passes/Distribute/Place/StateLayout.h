// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ZeRO (Rajbhandari et al., 2020): over which axes state is split beyond what
// the step computes with. Stage 1: slots and master weights; 2: gradients too;
// 3: and parameters, which stages 1 and 2 store so too, but gather only once a
// step. Whatever the stage, the sums of squares of gradients are
// of the same shards, so that the norm has the same bits.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_STATELAYOUT_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_STATELAYOUT_H

#include "passes/Distribute/Place/Propagation.h"

namespace zcc::dist {

// Where each argument lives, what each op of the update is on, and what the
// results and observed gradients of the step must be: fills `arguments`,
// `demands` and the shards of the update's ops. After propagation.
// Takes each parameter's stage from `step.states`.
void placeState(mlir::func::FuncOp func, const MeshAxes &mesh,
                llvm::ArrayRef<unsigned> axes, StepSharding &step);

} // namespace zcc::dist

#endif
