// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns ops that need their neighbors' elements into ops on one device.
#ifndef ZCC_PASSES_DISTRIBUTE_PARTITION_LOCALIZEWINDOWS_H
#define ZCC_PASSES_DISTRIBUTE_PARTITION_LOCALIZEWINDOWS_H

#include "passes/Distribute/Partition/Localize.h"

namespace zcc::distribute {

// Turns `op`, whose operands and results have their local types, into the op on
// this device's part, if it moves along a sharded dim. Returns false and
// changes nothing if it does not. May replace the op. The op is localized along
// its other dims already.
bool localizeWindows(mlir::Operation *op, const train::FactorRule &rule,
                     llvm::ArrayRef<Lives> operands,
                     llvm::ArrayRef<Lives> results, const MeshAxes &mesh,
                     Origins &origins);

} // namespace zcc::distribute

#endif
