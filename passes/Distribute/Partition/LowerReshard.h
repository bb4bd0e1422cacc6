// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowers a reshard to collectives and local steps on shards.
#ifndef ZCC_PASSES_DISTRIBUTE_PARTITION_LOWERRESHARD_H
#define ZCC_PASSES_DISTRIBUTE_PARTITION_LOWERRESHARD_H

#include "passes/Distribute/Partition/Localize.h"
#include "passes/Distribute/Partition/ReshardPath.h"

namespace zcc::distribute {

// The attributes of a collective that tell what is moved and why.
struct Cause {
  dist::MovedKind what;
  mlir::StringAttr value, why;
};

// Moves the shard `v` from one placement to the other, by the cheapest path.
mlir::Value lowerReshard(mlir::OpBuilder &b, mlir::Location loc, mlir::Value v,
                         const ReshardProblem &problem, ReshardPaths &paths,
                         const Cause &cause, Origins &origins);

} // namespace zcc::distribute

#endif
