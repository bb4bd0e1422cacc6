// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes which elements of a dim a device needs if its op reads the dim by
// windows (train::FactorRule::Window): a box that is its shard and the edges of
// its neighbors' shards. Also computes what is moved for that.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_WINDOW_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_WINDOW_H

#include "passes/Distribute/Sharding/Placement.h"

namespace zcc::distribute {

struct OpSharding;
struct StepSharding;

// The box begins at floor(index step / divisor) scale + offset. The index is
// the device's in the leader's axes; see dist.exchange_boxes.
struct BoxWindow {
  int64_t step, divisor, scale, offset, size;

  // Returns the box from `begin` to `begin + size`, on every device.
  static BoxWindow fixed(int64_t begin, int64_t size) {
    return {0, 1, 1, begin, size};
  }
  int64_t start(int64_t index) const {
    return index * step / divisor * scale + offset;
  }
  // Returns true if the box of one of `shards` devices reaches beyond the dim.
  bool leaves(int64_t extent, int64_t shards) const;
};

// The elements that one device's positions of the leader read. The holes of a
// dilated dim may lie differently for each shard. Then a device begins before
// its first position, at the last one at which they lie as everywhere: at most
// `align` - 1 before.
struct WindowPlan {
  BoxWindow box;
  int64_t count;               // number of the leader's positions
  int64_t align;               // 1: they begin with the device's first
  int64_t holesLow, holesHigh; // before and after the box's elements; the
                               // latter negative where the last are not read
};
// Plans a window. `local`: the number of the leader's positions on one device.
// `shards`: the number of shards of the leader. With one shard the box is
// within the dim, which has `extent` elements.
WindowPlan planWindow(const train::FactorRule::Window &window, int64_t local,
                      int64_t shards, int64_t extent);

// Returns that leader of the factor that is sharded; the first one if none is.
const train::FactorRule::Window *
leadingWindow(const train::FactorRule &rule, unsigned factor,
              llvm::ArrayRef<FactorShards> factors);

// Returns true if the windows of an op allow it to be sharded so: at most one
// leader of each factor is sharded, and no window reads elements of another
// microbatch. (MeshAxes::toDims tells whether every tensor's sharding can be
// written down.)
bool windowsFit(const MeshAxes &mesh, const train::FactorRule &rule,
                llvm::ArrayRef<FactorShards> factors);

// Returns the factors that are sharded together with `factor`, so that devices
// need little more than their own elements: the dims that windows of it read.
llvm::SmallVector<unsigned, 2> followersOf(const train::FactorRule &rule,
                                           unsigned factor);

// Makes those dims whole that only optimizations which are off may split:
// `exchange-halos`, `split-scans`, `split-picks`.
void forbidDisabled(StepSharding &step, llvm::ArrayRef<std::string> disable);

// A message that devices exchange while the op runs: edges of shards that
// windows read, totals of scans, the best candidates of an arg_reduce, or
// blocks of a ring.
struct Exchange {
  planning::Collective collective;
  double times = 1;
};
llvm::SmallVector<Exchange, 1> exchangesOf(mlir::Operation *op,
                                           const MeshAxes &mesh,
                                           const OpSharding &sharding);
// Returns the bytes that a device receives by these exchanges.
double haloBytes(mlir::Operation *op, const MeshAxes &mesh,
                 const OpSharding &sharding);

} // namespace zcc::distribute

#endif
