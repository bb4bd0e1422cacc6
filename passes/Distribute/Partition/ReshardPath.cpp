// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Costs of steps, the check of a path, and the cache of paths. The search is in
// ReshardSearch.cpp.
#include "passes/Distribute/Partition/ReshardPath.h"
#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include <algorithm>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using MoveKind = ReshardMove::Kind;

int64_t ReshardProblem::shards(const Placement &placement) const {
  int64_t count = 1;
  for (const AxisList &axes : placement.dims)
    count *= mesh.shards(axes);
  return count;
}

int64_t ReshardProblem::localBytes(const Placement &placement) const {
  int64_t bytes = elementBytes;
  for (auto [extent, axes] : llvm::zip_equal(placement.extents, placement.dims))
    bytes *= extent / mesh.shards(axes);
  return bytes;
}

// Returns the axes that are summed over on the way.
static AxisList summed(const ReshardProblem &problem) {
  AxisList axes;
  for (unsigned axis : problem.from.partial)
    if (!llvm::is_contained(problem.to.partial, axis))
      axes.push_back(axis);
  return axes;
}

// Returns the account of a step on the network; nullopt if nothing crosses it.
static std::optional<planning::Collective>
accountOf(const ReshardProblem &problem, const Placement &before,
          const ReshardMove &move) {
  using planning::CollectiveKind;
  auto make = [&](CollectiveKind kind) {
    return planning::Collective{
        kind, problem.mesh.groupOf(move.axes),
        static_cast<double>(std::max(problem.localBytes(before),
                                     problem.localBytes(move.after)))};
  };
  switch (move.kind) {
  case MoveKind::Resize:
  case MoveKind::MakeParts:
  case MoveKind::Accumulate:
  case MoveKind::Slice:
    return std::nullopt;
  case MoveKind::AllReduce:
    return make(CollectiveKind::AllReduce);
  case MoveKind::ReduceScatter:
    return make(CollectiveKind::ReduceScatter);
  case MoveKind::AllGather:
    return make(CollectiveKind::AllGather);
  case MoveKind::AllToAll:
    return make(CollectiveKind::AllToAll);
  case MoveKind::ExchangeBoxes:
    return accountOfBoxes(problem.mesh, problem.elementBytes, before,
                          move.after, move.axes);
  }
  llvm_unreachable("unknown step");
}

int64_t ReshardProblem::costOf(const Placement &before,
                               const ReshardMove &move) const {
  const planning::CostModel &model = costs && summed(*this).size() <= 1
                                         ? *costs
                                         : planning::CostModel::assumed();
  auto copy = [&](const Placement &placement) {
    planning::KernelWork work;
    work.bytes = 2 * static_cast<double>(localBytes(placement));
    return model.kernelSeconds(work);
  };
  double seconds = 0;
  if (auto collective = accountOf(*this, before, move)) {
    // Each further step costs another launch.
    seconds = model.launchSeconds() + model.collectiveSeconds(*collective);
    // An exchange of parts of boxes packs and unpacks them.
    if (move.kind == MoveKind::ExchangeBoxes &&
        collective->kind == planning::CollectiveKind::AllToAll)
      seconds += copy(before) + copy(move.after);
  } else {
    seconds = copy(move.after);
  }
  return static_cast<int64_t>(1e12 * seconds);
}

std::optional<BoxExchange>
distribute::boxesBetween(const ReshardProblem &problem, const Placement &from,
                         const Placement &to) {
  const MeshAxes &mesh = problem.mesh;
  BoxExchange out{problem.shape, from, to, {}};
  out.from.partial.clear();
  out.to.partial.clear();
  for (unsigned d = 0; d < problem.shape.size(); ++d) {
    AxisList &has = out.from.dims[d], &wants = out.to.dims[d];
    size_t same = 0;
    while (from.extents[d] == to.extents[d] && same < has.size() &&
           same < wants.size() && has[same] == wants[same])
      ++same;
    if (same) {
      int64_t shards = mesh.shards(ArrayRef<unsigned>(has).take_front(same));
      out.shape[d] = out.from.extents[d] = out.to.extents[d] =
          from.extents[d] / shards;
      has.erase(has.begin(), has.begin() + same);
      wants.erase(wants.begin(), wants.begin() + same);
    }
    for (unsigned axis : wants)
      if (mesh.isTemporal(axis))
        return std::nullopt;
    for (unsigned axis : has) {
      if (mesh.isTemporal(axis))
        return std::nullopt;
      out.group.push_back(axis);
    }
  }
  llvm::sort(out.group);
  if (out.group.empty())
    return std::nullopt;
  return out;
}

int64_t distribute::costOf(ArrayRef<ReshardMove> path) {
  int64_t sum = 0;
  for (const ReshardMove &move : path)
    sum += move.cost;
  return sum;
}

// ---------------------------------------------------------------- check

// Returns true if a placement is possible: axes are used once, and shards are
// of one size.
static bool isValid(const ReshardProblem &problem, const Placement &p) {
  AxisList used(p.partial);
  for (auto [d, axes] : llvm::enumerate(p.dims)) {
    used.append(axes.begin(), axes.end());
    if (p.extents[d] < problem.shape[d] ||
        p.extents[d] % problem.mesh.shards(axes))
      return false;
  }
  llvm::sort(used);
  return std::adjacent_find(used.begin(), used.end()) == used.end();
}

// Returns the placement to which a step leads, by its kind, dims and axes
// alone; nullopt if the step is impossible there.
static std::optional<Placement> take(const ReshardProblem &problem,
                                     Placement at, const ReshardMove &move) {
  auto leave = [&](unsigned dim) {
    AxisList &list = at.dims[dim];
    if (list.size() < move.axes.size() ||
        ArrayRef<unsigned>(list).take_back(move.axes.size()) !=
            ArrayRef<unsigned>(move.axes))
      return false;
    list.pop_back_n(move.axes.size());
    return true;
  };
  auto enter = [&] { at.dims[move.dim].append(move.axes); };
  auto sum = [&] {
    size_t before = at.partial.size();
    llvm::erase_if(at.partial, [&](unsigned axis) {
      return llvm::is_contained(move.axes, axis) &&
             problem.mesh.isTemporal(axis) ==
                 (move.kind == MoveKind::Accumulate);
    });
    return at.partial.size() + move.axes.size() == before;
  };
  bool fits = true;
  switch (move.kind) {
  case MoveKind::Resize:
    fits = at.dims[move.dim].empty();
    at.extents[move.dim] = move.after.extents[move.dim];
    break;
  case MoveKind::MakeParts:
    if (at.partial.empty())
      at.reduction = train::ReduceKind::add;
    at.partial.append(move.axes);
    llvm::sort(at.partial);
    break;
  case MoveKind::Accumulate:
  case MoveKind::AllReduce:
    fits = sum();
    break;
  case MoveKind::ReduceScatter:
    fits = sum();
    enter();
    break;
  case MoveKind::Slice:
    enter();
    break;
  case MoveKind::AllGather:
    fits = leave(move.dim);
    break;
  case MoveKind::AllToAll:
    fits = leave(move.source) && move.source != move.dim;
    enter();
    break;
  case MoveKind::ExchangeBoxes:
    fits = boxesBetween(problem, at, move.after).has_value();
    at.dims = move.after.dims;
    at.extents = move.after.extents;
    break;
  }
  return fits && isValid(problem, at) ? std::optional<Placement>(at)
                                      : std::nullopt;
}

bool distribute::verify(const ReshardProblem &problem,
                        ArrayRef<ReshardMove> path, std::string &error) {
  Placement at = problem.from;
  int64_t least =
      std::min(problem.shards(problem.from), problem.shards(problem.to));
  for (auto [i, move] : llvm::enumerate(path)) {
    std::optional<Placement> next = take(problem, at, move);
    if (!next || *next != move.after) {
      error = "step " + std::to_string(i) + " does not lead to its placement";
      return false;
    }
    if (problem.shards(*next) < least) {
      error = "after step " + std::to_string(i) +
              " a device holds more than at either end";
      return false;
    }
    if (problem.costOf(at, move) != move.cost) {
      error = "step " + std::to_string(i) + " has another cost";
      return false;
    }
    at = *next;
  }
  if (at != problem.to)
    error = "the path does not lead to its end";
  return at == problem.to;
}

// ---------------------------------------------------------------- memo

static void append(const Placement &placement, std::vector<int64_t> &key) {
  for (auto [axes, extent] :
       llvm::zip_equal(placement.dims, placement.extents)) {
    key.push_back(extent);
    key.push_back(axes.size());
    key.insert(key.end(), axes.begin(), axes.end());
  }
  key.push_back(placement.partial.size());
  key.insert(key.end(), placement.partial.begin(), placement.partial.end());
  if (!placement.partial.empty())
    key.push_back(static_cast<int64_t>(placement.reduction));
}

// The key leaves out the mesh and the machine, which are the same for all
// problems.
const ReshardPath &ReshardPaths::find(const ReshardProblem &problem) {
  std::vector<int64_t> key(problem.shape.begin(), problem.shape.end());
  key.push_back(problem.elementBytes);
  key.push_back(problem.reduceFirst);
  append(problem.from, key);
  append(problem.to, key);
  auto [it, isNew] = known.try_emplace(std::move(key));
  if (isNew)
    it->second = findReshardPath(problem);
  return it->second;
}
