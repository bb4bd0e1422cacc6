// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts constants of predicates (i1) in texts of newer writers.
#ifndef ZCC_COMPILER_DRIVER_PREDICATES_H
#define ZCC_COMPILER_DRIVER_PREDICATES_H

#include <string>

namespace zcc {

/// Newer versions of MLIR write large constants of i1 in hex with one byte per
/// element, but the parser here reads one bit. This rewrites them in place; the
/// positions of all other text stay the same.
void packPredicates(std::string &text);

} // namespace zcc

#endif
