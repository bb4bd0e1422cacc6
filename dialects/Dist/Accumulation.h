// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says how the parts of a value that microbatches compute are combined, from
// dist.accumulate to the results of tasks.
#ifndef ZCC_DIALECTS_DIST_ACCUMULATION_H
#define ZCC_DIALECTS_DIST_ACCUMULATION_H

#include "llvm/ADT/StringRef.h"

namespace zcc::dist {

// The reduction of a result with dist.accumulate that is not a sum.
inline constexpr llvm::StringLiteral reductionAttrName = "dist.reduction";

} // namespace zcc::dist

#endif
