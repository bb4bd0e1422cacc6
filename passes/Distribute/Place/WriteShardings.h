// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what was decided into the IR: `dist.sharding` of arguments,
// `dist.shardings` of ops, a `dist.reshard` where producer and consumer differ.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_WRITESHARDINGS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_WRITESHARDINGS_H

#include "passes/Distribute/Place/Propagation.h"

namespace zcc::dist {

// Of a reshard that sums over microbatches and devices: over devices first.
inline constexpr llvm::StringLiteral reduceFirstAttrName = "dist.reduce_first";

void writeShardings(mlir::func::FuncOp func, const MeshAxes &mesh,
                    const StepSharding &step, const Partials &partials);

} // namespace zcc::dist

#endif
