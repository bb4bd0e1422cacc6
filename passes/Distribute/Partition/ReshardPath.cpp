// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Costs of steps, the check of a path, and paths that were found. The search is
// in ReshardSearch.cpp.
#include "passes/Distribute/Partition/ReshardPath.h"
#include <algorithm>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using Kind = ReshardMove::Kind;

// A machine of which nothing is known. The figures' ratios decide, and all are
// of the order of today's accelerators.
static constexpr planning::LinkFacts assumedLink = {0, 5e-6, 100e9};
// Devices whose boxes are compared.
static constexpr int64_t mostEnumerated = 1024;
static constexpr double assumedMemoryBandwidth = 1e12, assumedLaunch = 2e-6;

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

// The axes that are summed over on the way.
static AxisList summed(const ReshardProblem &problem) {
  AxisList axes;
  for (unsigned axis : problem.from.partial)
    if (!llvm::is_contained(problem.to.partial, axis))
      axes.push_back(axis);
  return axes;
}

// The innermost level of links that connects devices which differ in `axes`.
static planning::LinkFacts linkOf(const ReshardProblem &problem,
                                  const planning::MachineFacts &machine,
                                  ArrayRef<unsigned> axes) {
  int64_t span = 1, stride = 1;
  for (unsigned axis = problem.mesh.size(); axis-- > 0;) {
    if (problem.mesh.isTemporal(axis))
      continue;
    stride *= problem.mesh.sizeOf(axis);
    if (llvm::is_contained(axes, axis))
      span = stride;
  }
  planning::LinkFacts link = assumedLink;
  for (const planning::LinkFacts &level : machine.links) {
    link = level;
    if (level.devices == 0 || level.devices >= span)
      break;
  }
  if (link.bandwidth <= 0)
    link.bandwidth = assumedLink.bandwidth;
  return link;
}

// Only which device holds which box changes.
static bool areSameBoxes(const ReshardProblem &problem, const Placement &a,
                         const Placement &b) {
  for (auto [some, others] : llvm::zip_equal(a.dims, b.dims))
    if (problem.mesh.shards(some) != problem.mesh.shards(others))
      return false;
  return a.extents == b.extents;
}

// What the device with the least of its box at hand gets from others; an upper
// bound where there are many devices to look at.
static double receivedBytes(const ReshardProblem &problem,
                            const Placement &before, const Placement &after) {
  const MeshAxes &mesh = problem.mesh;
  double bytes = problem.localBytes(after);
  AxisList axes;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (before.uses(axis) || after.uses(axis))
      axes.push_back(axis);
  if (mesh.shards(axes) > mostEnumerated)
    return bytes;
  SmallVector<int64_t> coordinates(mesh.size(), 0);
  auto box = [&](const Placement &p, unsigned d) {
    int64_t index = 0, size = p.extents[d] / mesh.shards(p.dims[d]);
    for (unsigned axis : p.dims[d])
      index = index * mesh.sizeOf(axis) + coordinates[axis];
    return std::pair(index * size, (index + 1) * size);
  };
  double least = bytes;
  for (int64_t device = 0; device < mesh.shards(axes); ++device) {
    int64_t rest = device;
    for (unsigned axis : axes) {
      coordinates[axis] = rest % mesh.sizeOf(axis);
      rest /= mesh.sizeOf(axis);
    }
    double common = problem.elementBytes;
    for (unsigned d = 0; d < problem.shape.size(); ++d) {
      auto [a, b] = box(before, d);
      auto [c, e] = box(after, d);
      common *= std::max<int64_t>(0, std::min(b, e) - std::max(a, c));
    }
    least = std::min(least, common);
  }
  return bytes - least;
}

int64_t ReshardProblem::costOf(const Placement &before,
                               const ReshardMove &move) const {
  static const planning::MachineFacts unknown;
  const planning::MachineFacts &facts =
      summed(*this).size() > 1 ? unknown : machine;
  double source = localBytes(before), target = localBytes(move.after);
  double k = mesh.shards(move.axes);
  double launch = facts.launchSeconds > 0 ? facts.launchSeconds : assumedLaunch;
  double memoryBandwidth = facts.memoryBandwidth > 0 ? facts.memoryBandwidth
                                                     : assumedMemoryBandwidth;
  double received = 0, seconds = 0;
  switch (move.kind) {
  case Kind::Resize:
  case Kind::MakeParts:
  case Kind::Accumulate:
  case Kind::Slice:
    return static_cast<int64_t>(1e12 * (launch + 2 * target / memoryBandwidth));
  case Kind::AllReduce:
    received = 2 * (k - 1) / k * source;
    break;
  case Kind::ReduceScatter:
  case Kind::AllToAll:
    received = (k - 1) / k * source;
    break;
  case Kind::AllGather:
    received = (k - 1) * source;
    break;
  case Kind::ExchangeBoxes:
    received = receivedBytes(*this, before, move.after);
    // Parts of boxes are packed and unpacked.
    if (!areSameBoxes(*this, before, move.after))
      seconds = 2 * launch + 2 * (source + target) / memoryBandwidth;
    break;
  }
  planning::LinkFacts link = linkOf(*this, facts, move.axes);
  seconds += link.latency + received / link.bandwidth;
  return static_cast<int64_t>(1e12 * seconds);
}

std::optional<BoxExchange> dist::boxesBetween(const ReshardProblem &problem,
                                              const Placement &from,
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

int64_t dist::costOf(ArrayRef<ReshardMove> path) {
  int64_t sum = 0;
  for (const ReshardMove &move : path)
    sum += move.cost;
  return sum;
}

// ---------------------------------------------------------------- check

// Whether a placement can be: axes are used once, and shards are of one size.
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

// Where a step leads, from its kind, dims and axes alone; nullopt if it cannot
// be taken there.
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
             problem.mesh.isTemporal(axis) == (move.kind == Kind::Accumulate);
    });
    return at.partial.size() + move.axes.size() == before;
  };
  bool fits = true;
  switch (move.kind) {
  case Kind::Resize:
    fits = at.dims[move.dim].empty();
    at.extents[move.dim] = move.after.extents[move.dim];
    break;
  case Kind::MakeParts:
    if (at.partial.empty())
      at.reduction = train::ReduceKind::add;
    at.partial.append(move.axes);
    llvm::sort(at.partial);
    break;
  case Kind::Accumulate:
  case Kind::AllReduce:
    fits = sum();
    break;
  case Kind::ReduceScatter:
    fits = sum();
    enter();
    break;
  case Kind::Slice:
    enter();
    break;
  case Kind::AllGather:
    fits = leave(move.dim);
    break;
  case Kind::AllToAll:
    fits = leave(move.source) && move.source != move.dim;
    enter();
    break;
  case Kind::ExchangeBoxes:
    fits = boxesBetween(problem, at, move.after).has_value();
    at.dims = move.after.dims;
    at.extents = move.after.extents;
    break;
  }
  return fits && isValid(problem, at) ? std::optional<Placement>(at)
                                      : std::nullopt;
}

bool dist::verify(const ReshardProblem &problem, ArrayRef<ReshardMove> path,
                  std::string &error) {
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

// The mesh and the machine are those of all problems.
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
