// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writers of the ops that bring a tensor into a number format
// (planning/NumberFormat.h) and back.
#ifndef ZCC_DIALECTS_TRAIN_NUMBERFORMATS_H
#define ZCC_DIALECTS_TRAIN_NUMBERFORMATS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "planning/NumberFormat.h"

namespace zcc::train {

// Writes the ops that encode `v`, floats of rank one or more with at least one
// element. Returns the codes, then the scales if the format has any.
//
// The codes have the shape of `v`, or, where several blocks divide the last
// dim, the numbers of a block as a last dim. The scales (f32) have the shape of
// `v` without its last dim, in whose place stand the blocks if there are
// several.
//
// Zero stays zero and nothing else becomes zero (in bf16, some numbers that are
// not normal do), so signs stay and divisors do not become zero. An element
// that is not finite makes all elements that share its scale not finite. The
// error is at most half a code (bf16 2^-9 and f8 2^-4 relative, int8 1/254 of
// the block's largest), and one code for the smallest elements.
llvm::SmallVector<mlir::Value> encode(mlir::OpBuilder &b, mlir::Value v,
                                      planning::NumberFormat format);

// Writes the ops that turn what encode() returned into a value of `type`.
mlir::Value decode(mlir::OpBuilder &b, mlir::Location loc,
                   mlir::ValueRange encoded, planning::NumberFormat format,
                   mlir::RankedTensorType type);

} // namespace zcc::train

#endif
