// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device needs of a dim that its op reads by windows
// (train::FactorRule::Window): a box of the whole dim, its shard and the edges
// of its neighbors', and what that moves.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_WINDOW_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_WINDOW_H

#include "passes/Distribute/Place/Placement.h"

namespace zcc::dist {

struct OpSharding;
struct StepSharding;

// The box begins at floor(index step / divisor) scale + offset, where index is
// the device's in the leader's axes; see dist.exchange_boxes.
struct BoxWindow {
  int64_t step, divisor, scale, offset, size;

  // The box `begin` to `begin + size`, on every device.
  static BoxWindow fixed(int64_t begin, int64_t size) {
    return {0, 1, 1, begin, size};
  }
  int64_t start(int64_t index) const {
    return index * step / divisor * scale + offset;
  }
  // Whether the box of one of `shards` devices reaches beyond a dim.
  bool leaves(int64_t extent, int64_t shards) const;
};

// What positions of the leader read on one device. Where the holes of a dilated
// dim lie differently for each shard, a device begins at the last position
// before its first at which they lie as everywhere, at most `align` - 1 before.
struct WindowPlan {
  BoxWindow box;
  int64_t count;               // of the leader's positions
  int64_t align;               // 1: they begin with the device's first
  int64_t holesLow, holesHigh; // before and after the box's elements; the
                               // latter negative where the last are not read
};
// `local`: the leader's positions on one device; `shards`: of the leader. With
// one shard the box is within the dim of `extent` elements.
WindowPlan planWindow(const train::FactorRule::Window &window, int64_t local,
                      int64_t shards, int64_t extent);

// The leader, of those that the factor has, that is sharded; else the first.
const train::FactorRule::Window *
leadingWindow(const train::FactorRule &rule, unsigned factor,
              llvm::ArrayRef<FactorShards> factors);

// Whether an op can be sharded so, as far as windows go: of the leaders of a
// factor one is sharded, and what microbatches have stays theirs. (That every
// tensor can be written down is MeshAxes::toDims' affair.)
bool windowsFit(const MeshAxes &mesh, const train::FactorRule &rule,
                llvm::ArrayRef<FactorShards> factors);

// The factors that are sharded with `factor` so that devices need little more
// than their own: the dims that windows of it read.
llvm::SmallVector<unsigned, 2> followersOf(const train::FactorRule &rule,
                                           unsigned factor);

// Makes dims whole that may be split by optimizations which are off:
// `exchange-halos`, `split-scans`, `split-picks`.
void forbidDisabled(StepSharding &step, llvm::ArrayRef<std::string> disable);

// What devices exchange while the op runs: edges of shards that windows read,
// totals of scans, the best of what an arg_reduce compares, blocks of a ring.
struct Exchange {
  planning::Collective collective;
  double times = 1;
};
llvm::SmallVector<Exchange, 1> exchangesOf(mlir::Operation *op,
                                           const MeshAxes &mesh,
                                           const OpSharding &sharding);
// Bytes that a device receives by them.
double haloBytes(mlir::Operation *op, const MeshAxes &mesh,
                 const OpSharding &sharding);

} // namespace zcc::dist

#endif
