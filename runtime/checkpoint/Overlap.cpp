// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds overlaps of boxes by cuts: if a plane separates two groups of boxes and
// goes through none, no box of one overlaps one of the other. Meshes write
// grids, which fall apart into single boxes after sorting once along each dim.
// Only boxes that no plane separates are compared pair by pair.

#include "runtime/checkpoint/Overlap.h"

#include "runtime/format/Mesh.h"

#include <algorithm>

namespace zcc::rt {

using Slices = std::vector<CheckpointIndex::Slice>;
using Group = std::vector<size_t>;

/// Sorts the group along `dim`, and divides it into parts that planes separate.
static std::vector<Group> cut(const Slices &slices, Group &group, size_t dim) {
  std::sort(group.begin(), group.end(), [&](size_t a, size_t b) {
    return slices[a].start[dim] < slices[b].start[dim];
  });
  std::vector<Group> parts;
  int64_t end = 0;
  for (size_t i : group) {
    const CheckpointIndex::Slice &slice = slices[i];
    if (parts.empty() || slice.start[dim] >= end)
      parts.emplace_back();
    parts.back().push_back(i);
    end = std::max(end, slice.start[dim] + slice.shape[dim]);
  }
  return parts;
}

static bool overlap(const CheckpointIndex::Slice &a,
                    const CheckpointIndex::Slice &b) {
  for (size_t dim = 0; dim < a.start.size(); ++dim)
    if (a.start[dim] >= b.start[dim] + b.shape[dim] ||
        b.start[dim] >= a.start[dim] + a.shape[dim])
      return false;
  return true;
}

std::optional<std::pair<size_t, size_t>> findOverlap(const Slices &slices) {
  std::vector<Group> groups(1);
  for (size_t i = 0; i < slices.size(); ++i)
    if (volume(slices[i].shape) != 0)
      groups[0].push_back(i);
  while (!groups.empty()) {
    Group group = std::move(groups.back());
    groups.pop_back();
    if (group.size() < 2)
      continue;
    std::vector<Group> parts;
    for (size_t dim = 0; parts.size() < 2 && dim < slices[0].start.size();
         ++dim)
      parts = cut(slices, group, dim);
    if (parts.size() > 1) {
      std::move(parts.begin(), parts.end(), std::back_inserter(groups));
      continue;
    }
    for (size_t i = 0; i < group.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (overlap(slices[group[i]], slices[group[j]]))
          return std::minmax(group[i], group[j]);
  }
  return std::nullopt;
}

} // namespace zcc::rt
