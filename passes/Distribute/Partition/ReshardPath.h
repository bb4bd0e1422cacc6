// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths of a value from one placement to another: the problem, a search for the
// cheapest path, and a check of paths that knows nothing of the search.
//
// Nodes are placements, edges are collectives and local steps. No value on the
// way has fewer shards than the end with fewer shards. So none is larger than
// the larger end (but for padding), unless there is no such path.
// larger end (but for padding), unless there is no such path.
#ifndef ZCC_PASSES_DISTRIBUTE_PARTITION_RESHARDPATH_H
#define ZCC_PASSES_DISTRIBUTE_PARTITION_RESHARDPATH_H

#include "passes/Distribute/Sharding/Placement.h"
#include "planning/CostModel.h"
#include <map>

namespace zcc::distribute {

struct ReshardMove {
  enum class Kind {
    Resize,        // of a dim that is not split: cut or filled at its end
    MakeParts,     // a whole value becomes the first device's partial value
    Accumulate,    // sums of microbatches, over `axes`
    Slice,         // each device takes its part of `dim`
    AllReduce,     //
    ReduceScatter, // onto `dim`
    AllGather,     // of `dim`
    AllToAll,      // the axes leave the dim `source` for `dim`
    ExchangeBoxes, // anything else that moves elements
  };
  Kind kind;
  AxisList axes;
  unsigned dim = 0, source = 0;
  Placement after;
  int64_t cost = 0; // picoseconds
};
using ReshardPath = std::vector<ReshardMove>;

struct ReshardProblem {
  const MeshAxes &mesh;
  llvm::SmallVector<int64_t> shape; // of the whole value, without padding
  int64_t elementBytes;
  Placement from, to;
  // True if sums cross the network before they are accumulated over time.
  bool reduceFirst = false;
  // Used by lowering only: if false, a sum that a path scatters is reduced
  // whole and then cut.
  bool reduceScatter = true;
  // Null if nothing is known of the machine. Not read if more than one axis is
  // summed over: the order of sums must not depend on the machine.
  const planning::CostModel *costs = nullptr;

  ReshardProblem(const MeshAxes &mesh, llvm::ArrayRef<int64_t> shape,
                 int64_t elementBytes, Placement from, Placement to)
      : mesh(mesh), shape(shape), elementBytes(elementBytes),
        from(std::move(from)), to(std::move(to)) {}

  // Returns the number of shards of all dims together. A device holds the less,
  // the larger it is.
  int64_t shards(const Placement &placement) const;
  int64_t localBytes(const Placement &placement) const;
  // Returns the picoseconds of a step, of the device that it takes longest.
  int64_t costOf(const Placement &before, const ReshardMove &move) const;
  // Returns all single steps from a placement.
  std::vector<ReshardMove> movesFrom(const Placement &placement) const;
};

// The boxes of an exchange: without the axes that both placements have in front
// in a dim, if padding does not differ.
struct BoxExchange {
  llvm::SmallVector<int64_t> shape;
  Placement from, to;
  AxisList group; // ascending
};
// Returns the boxes between two placements; nullopt if they cannot be
// exchanged, because a temporal axis moves, or if nothing moves.
std::optional<BoxExchange> boxesBetween(const ReshardProblem &problem,
                                        const Placement &from,
                                        const Placement &to);

// Returns the cheapest path (Dijkstra). Ties are broken by the number of steps,
// then by placement.
ReshardPath findReshardPath(const ReshardProblem &problem);

// Returns true if the path leads from one end to the other step by step; else
// sets the error.
bool verify(const ReshardProblem &problem, llvm::ArrayRef<ReshardMove> path,
            std::string &error);

int64_t costOf(llvm::ArrayRef<ReshardMove> path);

// Keeps paths that were found: a model has many reshards, but few different
// ones.
class ReshardPaths {
public:
  const ReshardPath &find(const ReshardProblem &problem);

private:
  std::map<std::vector<int64_t>, ReshardPath> known;
};

} // namespace zcc::distribute

#endif
