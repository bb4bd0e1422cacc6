// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of an accumulator before the first microbatch, and the op that adds
// a part to it.
#ifndef ZCC_PASSES_SCHEDULE_ACCUMULATORS_H
#define ZCC_PASSES_SCHEDULE_ACCUMULATORS_H

#include "dialects/Train/Train.h"

namespace zcc {

/// Returns the combination of two values by a reduction of `kind`.
mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc,
                    train::ReduceKind kind, mlir::Value whole,
                    mlir::Value part);

/// Returns the bits of an element that combined with any part gives that part.
/// A sum begins as -0.0: +0.0 would change the sum of negative zeros.
uint64_t accumulatorStart(train::ReduceKind kind, mlir::Type element);

} // namespace zcc

#endif
