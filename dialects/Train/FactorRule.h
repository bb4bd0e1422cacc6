// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The factor rule of an op is like an einsum: `(i k, k j) -> i j : reduce k`. Every dim of every operand and result is
// a product of factors (major to minor). A factor that is sharded is sharded wherever it occurs.
//
// If an op moves along a dim, its operand's dim is a factor of its own, of kind Window. The op reads a few positions of
// it around each position of another factor, the leader. The two may be sharded alike, which makes a device need its
// neighbors' edges (a halo), or each by itself.
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
    Reduce,    // if it is sharded, results that lack it are partial
    Replicate, // the op needs all of it on every device
    Window,    // read by windows that move with another factor
    Scan,      // combined in order: a device needs the total of those before it
  };
  struct Factor {
    int64_t size;
    Kind kind;
    ReduceKind reduction; // of a Reduce factor
    // The op reads only some of its positions, which are known at run time: those at a computed place, or the best one.
    // A device picks among its own positions.
    bool picked = false;
  };
  using Dim = llvm::SmallVector<unsigned, 1>; // factor ids, major to minor; none: extent 1
  using Tensor = llvm::SmallVector<Dim, 4>;   // one entry for each dim

  // Position p of the leader reads the positions p stride + low + [0, extent) of the dim, which has dilation - 1 holes
  // between its elements.
  struct Window {
    unsigned factor;                // of kind Window
    std::optional<unsigned> leader; // none: an extent of 1
    int64_t stride, low, extent, dilation;
  };

  llvm::SmallVector<Factor, 6> factors;
  llvm::SmallVector<Window, 2> windows; // one for each leader of a factor
  llvm::SmallVector<Tensor, 3> operands, results;

  // Returns true if a device that has a shard of the factor needs others' elements, or its place among them.
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
