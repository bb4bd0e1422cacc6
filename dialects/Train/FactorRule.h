// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The factor rule of an op, like an einsum: `(i k, k j) -> i j : reduce k`. Every dim of every operand and result is a
// product of factors (major to minor); a factor that is sharded is sharded wherever it stands.
#ifndef ZCC_DIALECTS_TRAIN_FACTORRULE_H
#define ZCC_DIALECTS_TRAIN_FACTORRULE_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace zcc::train {
enum class ReduceKind : uint32_t;

struct FactorRule {
  enum class Kind {
    Pass,      // may be sharded; the op works on the shard alone
    Reduce,    // a sharded one leaves those results partial that lack it
    Replicate, // the op needs all of it on every device
  };
  struct Factor {
    int64_t size;
    Kind kind;
    ReduceKind reduction; // of a Reduce factor
  };
  using Dim = llvm::SmallVector<unsigned, 1>; // factor ids, major to minor; none: an extent of 1 that means nothing
  using Tensor = llvm::SmallVector<Dim, 4>;   // one entry a dim

  llvm::SmallVector<Factor, 6> factors;
  llvm::SmallVector<Tensor, 3> operands, results;
};
} // namespace zcc::train

#endif
