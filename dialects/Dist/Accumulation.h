// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the parts that microbatches compute of a value become one, from
// dist.accumulate to the results of tasks.
#ifndef ZCC_DIALECTS_DIST_ACCUMULATION_H
#define ZCC_DIALECTS_DIST_ACCUMULATION_H

#include "llvm/ADT/StringRef.h"

namespace zcc::dist {

// Of a result with dist.accumulate that is no sum: the kind of its reduction.
inline constexpr llvm::StringLiteral reductionAttrName = "dist.reduction";

} // namespace zcc::dist

#endif
