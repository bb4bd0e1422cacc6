// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the decided shardings into the IR: `dist.sharding` on arguments,
// `dist.shardings` on ops, and a `dist.reshard` where producer and consumer
// differ.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_WRITESHARDINGS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_WRITESHARDINGS_H

#include "passes/Distribute/Sharding/StepSharding.h"

namespace zcc::distribute {

void writeShardings(mlir::func::FuncOp func, const MeshAxes &mesh,
                    const StepSharding &step, const Partials &partials);

} // namespace zcc::distribute

#endif
