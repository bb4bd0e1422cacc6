// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on one device that need their neighbors' elements.
#ifndef ZCC_PASSES_DISTRIBUTE_PARTITION_LOCALIZEWINDOWS_H
#define ZCC_PASSES_DISTRIBUTE_PARTITION_LOCALIZEWINDOWS_H

#include "passes/Distribute/Partition/Localize.h"

namespace zcc::dist {

// Makes `op`, whose operands and results have their local types, the op on this
// device's part where it moves along a sharded dim; false if it does not, and
// nothing is changed. May replace the op. The op's other sharded dims are done.
bool localizeWindows(mlir::Operation *op, const train::FactorRule &rule,
                     llvm::ArrayRef<Lives> operands,
                     llvm::ArrayRef<Lives> results, const MeshAxes &mesh,
                     Origins &origins);

} // namespace zcc::dist

#endif
