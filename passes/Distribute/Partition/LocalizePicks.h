// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on one device that pick positions along a sharded dim.
#ifndef ZCC_PASSES_DISTRIBUTE_PARTITION_LOCALIZEPICKS_H
#define ZCC_PASSES_DISTRIBUTE_PARTITION_LOCALIZEPICKS_H

#include "passes/Distribute/Partition/Localize.h"

namespace zcc::dist {

// Makes `op`, an arg_reduce or a slice or update at a computed place, the op on
// this device's shards where a dim in which it picks
// (train::FactorRule::Factor::picked) is sharded; false if none is, and nothing
// is changed. Operands and results have their local types; what the op does
// along other dims is done.
bool localizePicks(mlir::Operation *op, const train::FactorRule &rule,
                   llvm::ArrayRef<Lives> operands,
                   llvm::ArrayRef<Lives> results, const MeshAxes &mesh,
                   Origins &origins);

} // namespace zcc::dist

#endif
