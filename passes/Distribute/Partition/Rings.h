// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention whose sequence is sharded: keys and values go around a ring.
#ifndef ZCC_PASSES_DISTRIBUTE_PARTITION_RINGS_H
#define ZCC_PASSES_DISTRIBUTE_PARTITION_RINGS_H

#include "passes/Distribute/Partition/Localize.h"

namespace zcc::dist {

// Replaces an attention op that is marked and whose sequence is sharded, and
// whose operands have their local types already, by a dist.ring; false, and
// nothing done but that the mark is gone, if `op` is no such op.
bool makeRing(mlir::Operation *op, llvm::ArrayRef<Lives> operands,
              llvm::ArrayRef<Lives> results, const MeshAxes &mesh,
              Origins &origins);

} // namespace zcc::dist

#endif
