// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes placements, values and ops in words, for explanations.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINTEXTS_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINTEXTS_H

#include "compiler/emission/Report.h"
#include "passes/Distribute/Sharding/Placement.h"
#include <string>

namespace zcc::planner {

// "a, b, c and 4 more".
std::string listFew(llvm::ArrayRef<std::string> names, size_t most = 3);

// "split over data in dim 0, each device of tensor has a part of the sum".
std::string tellPlacement(const distribute::MeshAxes &mesh,
                          const distribute::Placement &placement);
// Returns the placement as --shard writes it, after `lead` dims of a stack:
// "-,data,-".
std::string shardOption(const distribute::MeshAxes &mesh,
                        const distribute::Placement &placement, unsigned lead);
// "'wte'", "state", or the op that computes it.
std::string tellValue(mlir::Value v);
// "train.dot_general at zoo.py:133 (backward)".
std::string tellOp(mlir::Operation *op);

} // namespace zcc::planner

#endif
