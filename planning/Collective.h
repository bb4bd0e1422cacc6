// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The account of a collective: which bytes cross the network, and between which
// ranks. Code that counts or times collectives builds this from its own
// representation (for ops: passes/Distribute/Sharding/CollectiveAccount.h) and
// asks here for bytes, or CostModel for seconds. The collectives themselves are
// ops of dist and exec: they send the elements of their operand, in its type
// (docs/where.md says how to make them send less).
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
  Permute, // every rank sends to one other
  Send,    // from one rank to one other
  Receive, // the other end of a send
};
inline constexpr CollectiveKind collectiveKinds[] = {
    CollectiveKind::AllReduce,     CollectiveKind::AllGather,
    CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
    CollectiveKind::Permute,       CollectiveKind::Send,
    CollectiveKind::Receive};

/// Returns the name that reports and explanations use: "all-reduce", ...
std::string_view getName(CollectiveKind kind);

/// Returns how often the larger end crosses the network, except the part that
/// stays on its device: an all-reduce scatters sums, then gathers them.
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

/// Returns the bytes that each of `devices` sends in one crossing of a
/// collective whose larger end has `bytes`.
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
  // For an exchange of boxes (which may overlap): the most bytes that any
  // device gets from others, if known.
  std::optional<double> moved = std::nullopt;

  double devices() const {
    double devices = 1;
    for (const AxisGroup &axis : group)
      devices *= static_cast<double>(axis.size);
    return devices;
  }
  /// The bytes that a device sends in one crossing, and in all crossings; it
  /// receives as many.
  double sentOnce() const {
    return moved.value_or(planning::sentOnce(kind, devices(), bytes));
  }
  double bytesSent() const { return crossings(kind) * sentOnce(); }
};

/// Small collectives of one kind, group and type cross the network together
/// (BucketCollectives) if nothing orders them. CostModel::smallBytes() says
/// which are small.
struct Buckets {
  /// The most members of a bucket, and its most bytes as a multiple of
  /// CostModel::smallBytes().
  static constexpr int64_t mostMembers = 256, mostSmall = 8;
  /// The threshold if the links are unknown: ranks that share a node's memory
  /// synchronize in some ten microseconds, in which they copy about this many
  /// bytes.
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
