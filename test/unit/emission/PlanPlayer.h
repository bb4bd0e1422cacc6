// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays a step on one device twice, with the reference evaluator: the task
// functions as values, and the planned program as bytes in an arena that is
// filled with rubbish at first. Both must leave the same states and outputs: a
// wrong order, a wrong lifetime or a wrong place shows as a wrong number.
#ifndef ZCC_TEST_UNIT_EMISSION_PLANPLAYER_H
#define ZCC_TEST_UNIT_EMISSION_PLANPLAYER_H

#include "dialects/Train/Evaluator.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>

namespace zcc {

/// States, inputs ("x" or, split over microbatches, "x#0", ...), hyper, key
/// and, after a step, outputs, by symbol.
using Memory = std::map<std::string, train::Tensor>;

/// Random contents for what the module declares.
Memory makeMemory(mlir::ModuleOp module, unsigned seed);

/// Plays phase `tasks`. `error` is empty if it could.
Memory playTasks(mlir::ModuleOp module, Memory memory, std::string &error);
/// Plays phase `planned`.
Memory playPlan(mlir::ModuleOp module, const Memory &memory,
                std::string &error);

/// What differs between two memories; empty if nothing does.
std::string difference(const Memory &a, const Memory &b);

} // namespace zcc

#endif
