// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs Dijkstra's algorithm over placements, which are made as they are
// reached. An exchange of boxes leads to the target from almost anywhere, so
// only placements that cost no more than that are visited. Axes that both ends
// have in front in a dim stay there. If many axes move, only steps towards the
// target's dims are looked at, and as a last resort there is a way that needs
// no search.
#include "passes/Distribute/Partition/ReshardPath.h"
#include <algorithm>
#include <set>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using MoveKind = ReshardMove::Kind;

// If more axes move, only the mesh's order of axes is tried, without detours.
static constexpr size_t mostPermuted = 3;
// The most placements that are visited: far more than reshards of models need.
static constexpr size_t mostVisited = 2000;

namespace {
// Lists the steps from one placement.
struct Expansion {
  const ReshardProblem &problem;
  const MeshAxes &mesh = problem.mesh;
  const Placement &at;
  std::vector<ReshardMove> moves;
  SmallVector<size_t> pinned; // axes in front of each dim that stay
  bool isSmall = false;

  Expansion(const ReshardProblem &problem, const Placement &at)
      : problem(problem), at(at) {
    DenseSet<unsigned> moving(problem.from.partial.begin(),
                              problem.from.partial.end());
    for (unsigned d = 0; d < at.dims.size(); ++d) {
      ArrayRef<unsigned> has = problem.from.dims[d], wants = problem.to.dims[d];
      size_t same = 0;
      while (problem.from.extents[d] == problem.to.extents[d] &&
             same < std::min(has.size(), wants.size()) &&
             has[same] == wants[same])
        ++same;
      pinned.push_back(same);
      moving.insert(has.begin() + same, has.end());
      moving.insert(wants.begin() + same, wants.end());
    }
    isSmall = moving.size() <= mostPermuted;
  }
  // Returns true if a step that gives `axes` to `dim` is worth a look.
  bool leadsOn(unsigned dim, ArrayRef<unsigned> axes) const {
    return isSmall || llvm::all_of(axes, [&](unsigned axis) {
             return llvm::is_contained(problem.to.dims[dim], axis);
           });
  }

  void add(MoveKind kind, ArrayRef<unsigned> axes, unsigned dim,
           unsigned source, Placement after) {
    ReshardMove move{kind, AxisList(axes), dim, source, std::move(after), 0};
    move.cost = problem.costOf(at, move);
    moves.push_back(std::move(move));
  }

  bool fits(unsigned dim, ArrayRef<unsigned> more) const {
    return at.extents[dim] % (mesh.shards(at.dims[dim]) * mesh.shards(more)) ==
           0;
  }
  bool isFree(unsigned axis) const {
    return !at.uses(axis) && !llvm::is_contained(at.partial, axis);
  }
  // Returns the axes of `at.partial` that the target lacks.
  AxisList toSum(bool temporal) const {
    AxisList axes;
    for (unsigned axis : at.partial)
      if (!llvm::is_contained(problem.to.partial, axis) &&
          mesh.isTemporal(axis) == temporal)
        axes.push_back(axis);
    return axes;
  }
  static Placement without(Placement p, ArrayRef<unsigned> partial) {
    llvm::erase_if(p.partial, [&](unsigned axis) {
      return llvm::is_contained(partial, axis);
    });
    return p;
  }

  void resize() {
    for (unsigned d = 0; d < at.dims.size(); ++d) {
      if (!at.dims[d].empty())
        continue;
      std::set<int64_t> extents = {problem.shape[d], problem.from.extents[d],
                                   problem.to.extents[d]};
      for (int64_t extent : extents)
        if (extent != at.extents[d]) {
          Placement after = at;
          after.extents[d] = extent;
          add(MoveKind::Resize, {}, d, 0, std::move(after));
        }
    }
  }

  void makeParts() {
    AxisList axes;
    for (unsigned axis : problem.to.partial)
      if (isFree(axis))
        axes.push_back(axis);
    if (axes.empty())
      return;
    Placement after = at;
    if (at.partial.empty())
      after.reduction = train::ReduceKind::add;
    after.partial.append(axes);
    llvm::sort(after.partial);
    add(MoveKind::MakeParts, axes, 0, 0, std::move(after));
  }

  // One sum over all of `axes` adds in their order. If there is more than one
  // axis, parts of them are tried, too: each may be scattered onto another dim.
  void reduce() {
    AxisList axes = toSum(/*temporal=*/false);
    if (axes.empty())
      return;
    for (unsigned set = 1; set < 1u << axes.size(); ++set) {
      AxisList some;
      for (unsigned i = 0; i < axes.size(); ++i)
        if (set >> i & 1)
          some.push_back(axes[i]);
      if (axes.size() > mostPermuted && some.size() != axes.size())
        continue;
      add(MoveKind::AllReduce, some, 0, 0, without(at, some));
      do {
        for (unsigned d = 0; d < at.dims.size(); ++d)
          if (fits(d, some) && leadsOn(d, some)) {
            Placement after = without(at, some);
            after.dims[d].append(some);
            add(MoveKind::ReduceScatter, some, d, 0, std::move(after));
          }
      } while (axes.size() <= mostPermuted &&
               std::next_permutation(some.begin(), some.end()));
    }
  }

  void slice() {
    for (const AxisList &list : problem.to.dims)
      for (unsigned axis : list)
        for (unsigned d = 0; isFree(axis) && d < at.dims.size(); ++d)
          if (fits(d, axis) && leadsOn(d, axis)) {
            Placement after = at;
            after.dims[d].push_back(axis);
            add(MoveKind::Slice, axis, d, 0, std::move(after));
          }
  }

  // Axes at the end of one dim leave it, for another dim or for none.
  void gather() {
    for (unsigned d = 0; d < at.dims.size(); ++d) {
      ArrayRef<unsigned> list = at.dims[d];
      for (size_t count = 1; count + pinned[d] <= list.size(); ++count) {
        ArrayRef<unsigned> axes = list.take_back(count);
        if (mesh.isTemporal(axes.front()))
          break;
        Placement left = at;
        left.dims[d].pop_back_n(count);
        for (unsigned other = 0; other < at.dims.size(); ++other)
          if (other != d && fits(other, axes) && leadsOn(other, axes)) {
            Placement after = left;
            after.dims[other].append(axes.begin(), axes.end());
            add(MoveKind::AllToAll, axes, other, d, std::move(after));
          }
        add(MoveKind::AllGather, axes, d, 0, std::move(left));
      }
    }
  }

  void exchangeTo(Placement after) {
    if (after == at)
      return;
    for (const AxisList &list : after.dims)
      for (unsigned axis : list)
        if (llvm::is_contained(at.partial, axis))
          return;
    if (std::optional<BoxExchange> boxes = boxesBetween(problem, at, after))
      add(MoveKind::ExchangeBoxes, boxes->group, 0, 0, std::move(after));
  }
  // Exchanges boxes to where the target wants them; or the same boxes to other
  // devices.
  void exchange() {
    Placement after = at;
    after.dims = problem.to.dims;
    after.extents = problem.to.extents;
    exchangeTo(after);
    AxisList axes;
    for (unsigned d = 0; d < at.dims.size(); ++d) {
      AxisList order = at.dims[d];
      auto *first = order.begin() + std::min(pinned[d], order.size());
      axes.append(first, order.end());
      std::sort(first, order.end());
      do {
        after = at;
        after.dims[d] = order;
        exchangeTo(after);
      } while (isSmall && std::next_permutation(first, order.end()));
    }
    for (const AxisList &list : problem.to.dims)
      for (unsigned other : list)
        for (unsigned axis : axes) {
          if (other == axis || mesh.sizeOf(other) != mesh.sizeOf(axis))
            continue;
          after = at;
          for (AxisList &dim : after.dims)
            for (unsigned &entry : dim)
              entry = entry == axis ? other : entry == other ? axis : entry;
          exchangeTo(after);
        }
  }

  std::vector<ReshardMove> run() {
    makeParts();
    AxisList overTime = toSum(/*temporal=*/true);
    if (!overTime.empty()) {
      // Sums over time come before or after what crosses the network; nothing
      // else comes between.
      resize();
      if (!problem.reduceFirst || toSum(/*temporal=*/false).empty())
        add(MoveKind::Accumulate, overTime, 0, 0, without(at, overTime));
      else
        reduce();
      return std::move(moves);
    }
    resize();
    reduce();
    slice();
    gather();
    exchange();
    return std::move(moves);
  }
};

std::vector<int64_t> keyOf(const Placement &p) {
  std::vector<int64_t> key(p.extents.begin(), p.extents.end());
  for (const AxisList &axes : p.dims) {
    key.insert(key.end(), axes.begin(), axes.end());
    key.push_back(-1);
  }
  key.insert(key.end(), p.partial.begin(), p.partial.end());
  return key;
}

struct Distance {
  int64_t cost = 0, steps = 0;
  bool operator<(const Distance &other) const {
    return std::tie(cost, steps) < std::tie(other.cost, other.steps);
  }
};

// Returns an empty path if there is none, or if the ends are the same.
ReshardPath search(const ReshardProblem &problem, int64_t leastShards) {
  using Key = std::vector<int64_t>;
  struct Node {
    Distance distance;
    Key previous;
    ReshardMove move;
    bool done = false;
  };
  std::map<Key, Node> nodes;
  std::set<std::pair<Distance, Key>> queue;
  Key start = keyOf(problem.from), end = keyOf(problem.to);
  nodes[start].move.after = problem.from;
  queue.insert({Distance(), start});
  size_t visited = 0;
  while (!queue.empty() && visited++ < mostVisited) {
    Key key = queue.begin()->second;
    queue.erase(queue.begin());
    Node &node = nodes[key];
    node.done = true;
    if (key == end) {
      ReshardPath path;
      for (Key at = end; at != start; at = nodes[at].previous)
        path.push_back(nodes[at].move);
      std::reverse(path.begin(), path.end());
      return path;
    }
    for (ReshardMove &move : problem.movesFrom(node.move.after)) {
      if (problem.shards(move.after) < leastShards)
        continue;
      Key next = keyOf(move.after);
      Distance distance{node.distance.cost + move.cost,
                        node.distance.steps + 1};
      auto [it, isNew] = nodes.try_emplace(next);
      Node &other = it->second;
      if (!isNew && (other.done || !(distance < other.distance)))
        continue;
      if (!isNew)
        queue.erase({other.distance, next});
      other.distance = distance;
      other.previous = key;
      other.move = std::move(move);
      queue.insert({distance, next});
    }
  }
  return {};
}
} // namespace

std::vector<ReshardMove>
ReshardProblem::movesFrom(const Placement &placement) const {
  return Expansion(*this, placement).run();
}

// Returns the way that needs no search: all sums, then one exchange of boxes;
// if that is impossible all is gathered, then sliced.
static ReshardPath goDirectly(const ReshardProblem &problem) {
  ReshardPath path;
  Placement at = problem.from;
  // Takes the first step that is wanted; slices are in the target's order.
  auto take = [&](auto isWanted) {
    for (ReshardMove &move : problem.movesFrom(at))
      if (isWanted(move)) {
        at = move.after;
        path.push_back(std::move(move));
        return true;
      }
    return false;
  };
  auto is = [](MoveKind kind) {
    return [kind](const ReshardMove &move) { return move.kind == kind; };
  };
  auto resizes = [&](const ReshardMove &move) {
    return move.kind == MoveKind::Resize &&
           move.after.extents[move.dim] == problem.to.extents[move.dim];
  };
  auto slices = [&](const ReshardMove &move) {
    const AxisList &has = at.dims[move.dim], &wants = problem.to.dims[move.dim];
    return move.kind == MoveKind::Slice && has.size() < wants.size() &&
           ArrayRef<unsigned>(wants).take_front(has.size()) ==
               ArrayRef<unsigned>(has) &&
           wants[has.size()] == move.axes[0];
  };
  auto sums = [&](const ReshardMove &move) {
    return move.kind == MoveKind::Accumulate ||
           (move.kind == MoveKind::AllReduce &&
            llvm::all_of(at.partial, [&](unsigned axis) {
              return problem.mesh.isTemporal(axis) ||
                     llvm::is_contained(problem.to.partial, axis) ||
                     llvm::is_contained(move.axes, axis);
            }));
  };
  auto exchanges = [&](const ReshardMove &move) {
    return move.kind == MoveKind::ExchangeBoxes &&
           move.after.dims == problem.to.dims &&
           move.after.extents == problem.to.extents;
  };
  while (take(sums))
    ;
  if (!take(exchanges)) {
    while (take(is(MoveKind::AllGather)))
      ;
    while (take(resizes))
      ;
    while (take(slices))
      ;
  }
  take(is(MoveKind::MakeParts));
  return path;
}

ReshardPath distribute::findReshardPath(const ReshardProblem &problem) {
  if (problem.from == problem.to)
    return {};
  ReshardPath path = search(problem, std::min(problem.shards(problem.from),
                                              problem.shards(problem.to)));
  return path.empty() ? goDirectly(problem) : path;
}
