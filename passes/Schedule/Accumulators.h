// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What accumulators hold before the first microbatch, and how a part is taken
// in.
#ifndef ZCC_PASSES_SCHEDULE_ACCUMULATORS_H
#define ZCC_PASSES_SCHEDULE_ACCUMULATORS_H

#include "dialects/Train/Train.h"

namespace zcc {

/// Of two values the one that a reduction of `kind` makes of them.
mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc,
                    train::ReduceKind kind, mlir::Value whole,
                    mlir::Value part);

/// Bits of an element that combined with any part gives that part. A sum begins
/// as -0.0: +0.0 would turn the sum of negative zeros.
uint64_t accumulatorStart(train::ReduceKind kind, mlir::Type element);

} // namespace zcc

#endif
