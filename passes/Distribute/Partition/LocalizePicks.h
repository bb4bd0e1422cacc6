// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns ops that pick positions along a sharded dim into ops on one device.
#ifndef ZCC_PASSES_DISTRIBUTE_PARTITION_LOCALIZEPICKS_H
#define ZCC_PASSES_DISTRIBUTE_PARTITION_LOCALIZEPICKS_H

#include "passes/Distribute/Partition/Localize.h"

namespace zcc::distribute {

// Turns `op`, an arg_reduce or a slice or update at a computed place, into the
// op on this device's shards, if it picks in a dim that is sharded
// (train::FactorRule::Factor::picked). Returns false and changes nothing if it
// does not. Operands and results have their local types already, and the op is
// localized along its other dims.
bool localizePicks(mlir::Operation *op, const train::FactorRule &rule,
                   llvm::ArrayRef<Lives> operands,
                   llvm::ArrayRef<Lives> results, const MeshAxes &mesh,
                   Origins &origins);

} // namespace zcc::distribute

#endif
