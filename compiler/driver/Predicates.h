// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of predicates in texts of newer writers.
#ifndef ZCC_COMPILER_DRIVER_PREDICATES_H
#define ZCC_COMPILER_DRIVER_PREDICATES_H

#include <string>

namespace zcc {

/// Newer versions of MLIR write a large constant of i1 in hex with one byte an
/// element, the parser here reads one bit. Rewrites them in place; places in
/// the text stay what they are.
void packPredicates(std::string &text);

} // namespace zcc

#endif
