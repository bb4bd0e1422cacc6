// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether collectives of a device may run at once.
#ifndef ZCC_DIALECTS_EXEC_COLLECTIVEORDER_H
#define ZCC_DIALECTS_EXEC_COLLECTIVEORDER_H

#include "llvm/ADT/StringRef.h"

namespace zcc::exec {

/// Of a table: its collectives are one by one, whatever their streams. Two that
/// run at once on GPUs could each hold what the other needs on another one.
inline constexpr llvm::StringLiteral oneByOneAttrName = "exec.one_by_one";

} // namespace zcc::exec

#endif
