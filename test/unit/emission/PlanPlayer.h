// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a step on one device twice: the task functions on values, one op after
// the other, and the executable of the planned program on the reference
// backend, in an arena that is filled with garbage at first. Both must leave
// the same states and outputs: a wrong order, lifetime or place shows as a
// wrong number.
#ifndef ZCC_TEST_UNIT_EMISSION_PLANPLAYER_H
#define ZCC_TEST_UNIT_EMISSION_PLANPLAYER_H

#include "mlir/IR/BuiltinOps.h"
#include "test/unit/evaluate/Evaluator.h"
#include <map>
#include <string>

namespace zcc {

/// States, inputs ("x" or, split over microbatches, "x#0", ...), hyper, key
/// and, after a step, outputs, by symbol.
using Contents = std::map<std::string, train::Tensor>;

/// Random contents for what the module declares.
Contents makeMemory(mlir::ModuleOp module, unsigned seed);

/// Plays phase `tasks`. `error` is empty if it could.
Contents playTasks(mlir::ModuleOp module, Contents memory, std::string &error);
/// Runs the executable of a module in phase `planned`.
Contents runPlan(mlir::ModuleOp module, const std::string &executable,
               const Contents &memory, std::string &error);

/// Describes the first difference between two memories; empty if there is none.
std::string difference(const Contents &a, const Contents &b);

} // namespace zcc

#endif
