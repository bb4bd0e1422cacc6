// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a backend notes at ops in prepare() for its own kernels: part of a
// kernel, as the ops' attributes are.
#ifndef ZCC_DIALECTS_EXEC_PRODUCTHINTS_H
#define ZCC_DIALECTS_EXEC_PRODUCTHINTS_H

#include "llvm/ADT/StringRef.h"

namespace zcc::exec {

// Unit attribute of an op that multiplies f32 operands which come of 16 bits:
// rounding them to tf32 changes nothing.
inline constexpr llvm::StringLiteral fitsTf32AttrName = "exec.fits_tf32";

} // namespace zcc::exec

#endif
