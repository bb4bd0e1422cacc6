// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces attention whose sequence is sharded by a ring: keys and values go
// around the devices.
#ifndef ZCC_PASSES_DISTRIBUTE_PARTITION_RINGS_H
#define ZCC_PASSES_DISTRIBUTE_PARTITION_RINGS_H

#include "passes/Distribute/Partition/Localize.h"

namespace zcc::distribute {

// Replaces an attention op by a dist.ring, if it is marked and its sequence is
// sharded. Its operands must have their local types already. Returns false for
// any other op, and only removes the mark.
bool makeRing(mlir::Operation *op, llvm::ArrayRef<Lives> operands,
              llvm::ArrayRef<Lives> results, const MeshAxes &mesh,
              Origins &origins);

} // namespace zcc::distribute

#endif
