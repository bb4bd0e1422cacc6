// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The factor rule of an op, like an einsum: `(i k, k j) -> i j : reduce k`. Every dim of every operand and result is a
// product of factors (major to minor); a factor that is sharded is sharded wherever it stands.
//
// Where an op moves along a dim, its operand's dim is a factor of its own, of kind Window: the op reads there, around each position of
// another factor, the leader, a few positions. The two may be sharded alike, which makes a device need its neighbors' edges (a
// halo), or each by itself.
#ifndef ZCC_DIALECTS_TRAIN_FACTORRULE_H
#define ZCC_DIALECTS_TRAIN_FACTORRULE_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace zcc::train {
enum class ReduceKind : uint32_t;

struct FactorRule {
  enum class Kind {
    Pass,      // may be sharded; the op works on the shard alone
    Reduce,    // a sharded one leaves those results partial that lack it
    Replicate, // the op needs all of it on every device
    Window,    // read by windows that move with another factor
    Scan,      // combined in order: a device needs the total of those before it
  };
  struct Factor {
    int64_t size;
    Kind kind;
    ReduceKind reduction; // of a Reduce factor
    // The op picks some of its positions, which ones it finds out while it runs: at a computed place, or the best. A device
    // picks among its own.
    bool picked = false;
  };
  using Dim = llvm::SmallVector<unsigned, 1>; // factor ids, major to minor; none: an extent of 1 that means nothing
  using Tensor = llvm::SmallVector<Dim, 4>;   // one entry a dim

  // Position p of the leader reads the positions p stride + low + [0, extent) of the dim that has dilation - 1 holes between its
  // elements.
  struct Window {
    unsigned factor;                // of kind Window
    std::optional<unsigned> leader; // none: an extent of 1
    int64_t stride, low, extent, dilation;
  };

  llvm::SmallVector<Factor, 6> factors;
  llvm::SmallVector<Window, 2> windows; // of a factor one for each of its leaders
  llvm::SmallVector<Tensor, 3> operands, results;

  // Whether a device that has a shard of the factor needs others' elements, or its place among them.
  bool needsNeighbors(unsigned factor) const {
    if (factors[factor].kind == Kind::Window || factors[factor].kind == Kind::Scan || factors[factor].picked)
      return true;
    for (const Window &window : windows)
      if (window.leader == factor)
        return true;
    return false;
  }
};
} // namespace zcc::train

#endif
