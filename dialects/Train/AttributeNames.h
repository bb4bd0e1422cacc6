// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes by which arguments and results of functions of train ops say what
// they are; from the phase `graph` on.
#ifndef ZCC_DIALECTS_TRAIN_ATTRIBUTENAMES_H
#define ZCC_DIALECTS_TRAIN_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

namespace zcc {

inline constexpr llvm::StringLiteral parameterAttrName =
    "zcc.parameter";                                                // string
inline constexpr llvm::StringLiteral inputAttrName = "zcc.input";   // string
inline constexpr llvm::StringLiteral resultAttrName = "zcc.result"; // string
inline constexpr llvm::StringLiteral partAttrName =
    "zcc.part"; // array<i64>, one entry a dim of the file's tensor
inline constexpr llvm::StringLiteral fileShapeAttrName =
    "zcc.file_shape"; // array<i64>
// Of attention (unit): its sequence may be sharded, keys and values are passed
// around a ring (dist.ring) then.
inline constexpr llvm::StringLiteral ringAttrName = "train.ring";
// Of ops of an update that is no train.update (string): the symbol of the
// parameter; and which of its dims the op's result has (array<i64>).
inline constexpr llvm::StringLiteral updateOfAttrName = "train.update_of";
inline constexpr llvm::StringLiteral updateDimsAttrName = "train.update_dims";
// Of an integer input: array<i64: low, high>, its values are in [low, high).
inline constexpr llvm::StringLiteral limitAttrName = "zcc.limit";

} // namespace zcc

#endif
