// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the text of an einsum: "ij,jk->ik", with "..." for dims that have no
// letter.
#ifndef ZCC_DIALECTS_STABLEHLO_EINSUM_H
#define ZCC_DIALECTS_STABLEHLO_EINSUM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace zcc::stablehlo {

struct Einsum {
  // One label for each dim. Labels of "..." are negative: the last is -1,
  // because dims are aligned at their ends.
  llvm::SmallVector<llvm::SmallVector<int64_t>> operands;
  llvm::SmallVector<int64_t> result;
};

/// Reads `text` for operands of these ranks. Returns what is wrong with it, or
/// "". Without "->" the result has the labels that occur once, in alphabetical
/// order, after those of "...".
std::string parseEinsum(llvm::StringRef text, llvm::ArrayRef<int64_t> ranks,
                        Einsum &einsum);

} // namespace zcc::stablehlo

#endif
