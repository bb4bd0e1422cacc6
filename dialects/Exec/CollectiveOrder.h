// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells if collectives of a device may run at once.
#ifndef ZCC_DIALECTS_EXEC_COLLECTIVEORDER_H
#define ZCC_DIALECTS_EXEC_COLLECTIVEORDER_H

#include "llvm/ADT/StringRef.h"

namespace zcc::exec {

/// On a table: its collectives run one by one, whatever their streams. Two that
/// run at once on GPUs could each hold a resource that the other needs on
/// another GPU.
inline constexpr llvm::StringLiteral oneByOneAttrName = "exec.one_by_one";

} // namespace zcc::exec

#endif
