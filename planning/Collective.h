// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The account of a collective: what crosses the network, between whom, and how
// much of it. Whoever counts or times one makes this of what it knows (ops:
// passes/Distribute/Account.h) and asks here, or CostModel for seconds.
#ifndef ZCC_PLANNING_COLLECTIVE_H
#define ZCC_PLANNING_COLLECTIVE_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace zcc::planning {

enum class CollectiveKind {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Permute, // everyone to one other
  Send,    // one to one
  Receive, // the other end of a send
};
inline constexpr CollectiveKind collectiveKinds[] = {
    CollectiveKind::AllReduce,     CollectiveKind::AllGather,
    CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
    CollectiveKind::Permute,       CollectiveKind::Send,
    CollectiveKind::Receive};

/// "all-reduce", ...: as reports and explanations call it.
std::string_view getName(CollectiveKind kind);
std::optional<CollectiveKind> findCollectiveKind(std::string_view name);

/// How often the larger end crosses the network, but for the part that stays:
/// an all-reduce scatters sums, then gathers them.
inline double crossings(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce ? 2 : 1;
}

/// An axis of the mesh: its size, and how many ranks lie between neighbours.
struct AxisGroup {
  int64_t size = 1, stride = 1;

  bool operator==(const AxisGroup &other) const {
    return size == other.size && stride == other.stride;
  }
};

/// Of a larger end of `bytes`, what each of `devices` sends in one crossing.
inline double sentOnce(CollectiveKind kind, double devices, double bytes) {
  switch (kind) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
    return (devices - 1) / devices * bytes;
  case CollectiveKind::Permute:
  case CollectiveKind::Send:
  case CollectiveKind::Receive:
    return devices > 1 ? bytes : 0;
  }
  return bytes;
}

struct Collective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::vector<AxisGroup> group; // in any order
  double bytes = 0;             // its larger end on one device
  std::string_view type = "f32";
  // Of an exchange of boxes, what the device that needs most gets from others,
  // where that is known: boxes may overlap.
  std::optional<double> moved = std::nullopt;

  double devices() const {
    double devices = 1;
    for (const AxisGroup &axis : group)
      devices *= static_cast<double>(axis.size);
    return devices;
  }
  /// Bytes that a device sends in one crossing, and in all; it receives as
  /// many.
  double sentOnce() const {
    return moved.value_or(planning::sentOnce(kind, devices(), bytes));
  }
  double bytesSent() const { return crossings(kind) * sentOnce(); }
};

/// Small collectives of one kind, group and type cross the network together
/// (BucketCollectives), where nothing orders them. What is small is the links'
/// affair: CostModel::smallBytes().
struct Buckets {
  /// A bucket takes so many members, and so many times what is small.
  static constexpr int64_t mostMembers = 256, mostSmall = 8;
  /// Where nothing is known of the links: ranks that share a node's memory meet
  /// in some ten microseconds, in which they copy about this much.
  static constexpr double defaultSmall = 64 << 10;

  static bool mayJoin(const Collective &collective) {
    switch (collective.kind) {
    case CollectiveKind::AllReduce:
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll:
      return true;
    case CollectiveKind::Permute:
    case CollectiveKind::Send:
    case CollectiveKind::Receive:
      return false;
    }
    return false;
  }
};

} // namespace zcc::planning

#endif
