// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reshard as collectives and slices on shards.
#ifndef ZCC_PASSES_DISTRIBUTE_LOWERRESHARD_H
#define ZCC_PASSES_DISTRIBUTE_LOWERRESHARD_H

#include "passes/Distribute/Localize.h"

namespace zcc::dist {

// What a collective says of itself.
struct Cause {
  mlir::StringAttr what, value, why;
};

// Brings the shard `v` from one placement to another. The steps, each over as
// many axes at once as possible: reduce (scattering where the target is split
// by the same axis), exchange axes between dims, gather, slice. No value on the
// way is larger than the larger end, as gathering comes last but for slices,
// and slices first where they can.
mlir::Value lowerReshard(mlir::OpBuilder &b, mlir::Location loc, mlir::Value v,
                         Placement from, const Placement &to,
                         const Cause &cause, const MeshAxes &mesh,
                         Origins &origins);

} // namespace zcc::dist

#endif
