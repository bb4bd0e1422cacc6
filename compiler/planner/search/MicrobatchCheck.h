// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides whether a step whose sharding is decided can be computed microbatch
// by microbatch. AssignRegions finds the same in the partitioned step; this is
// for plans that are only measured.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_MICROBATCHCHECK_H
#define ZCC_COMPILER_PLANNER_SEARCH_MICROBATCHCHECK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Distribute/Sharding/PlacedStep.h"

namespace zcc::planner {

// Returns false if the loop over microbatches reads a sum over the whole batch
// that no loop before it can compute, or has parts of an array that leaves the
// step. `accepted`: globs of locations whose sums
// may be taken over one microbatch.
bool runsInMicrobatches(mlir::func::FuncOp step,
                        const distribute::PlacedStep &placed,
                        llvm::ArrayRef<std::string> accepted);

} // namespace zcc::planner

#endif
