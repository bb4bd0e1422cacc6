// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mesh and the arithmetic of shards.

#include "runtime/format/Mesh.h"

#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt {

static int countRanks(const std::vector<MeshAxis> &axes) {
  int count = 1;
  for (const MeshAxis &axis : axes)
    if (!axis.temporal)
      count *= axis.size;
  return count;
}

static std::vector<MeshAxis> axesOf(const format::Executable &executable) {
  std::vector<MeshAxis> axes;
  for (const format::Axis &axis : executable.mesh())
    axes.push_back({axis.name(), axis.size(), axis.temporal()});
  return axes;
}

Mesh::Mesh(std::vector<MeshAxis> axes, int pipeAxis)
    : meshAxes(std::move(axes)), pipe(pipeAxis),
      rankCount(countRanks(meshAxes)) {}

Mesh::Mesh(const format::Executable &executable)
    : Mesh(axesOf(executable), executable.pipe_axis()) {}

Coordinates Mesh::coordinates(int rank) const {
  Coordinates result(meshAxes.size(), 0);
  for (size_t i = meshAxes.size(); i-- > 0;) {
    if (meshAxes[i].temporal)
      continue;
    result[i] = rank % meshAxes[i].size;
    rank /= meshAxes[i].size;
  }
  return result;
}

int Mesh::rankAt(const Coordinates &coordinates) const {
  int rank = 0;
  for (size_t i = 0; i < meshAxes.size(); ++i)
    if (!meshAxes[i].temporal)
      rank = rank * meshAxes[i].size + coordinates[i];
  return rank;
}

int Mesh::stageOf(int rank) const {
  return pipe < 0 ? 0 : coordinates(rank)[pipe];
}

int Mesh::inStage(int rank, int stage) const {
  if (pipe < 0)
    return rank;
  Coordinates place = coordinates(rank);
  place[pipe] = stage;
  return rankAt(place);
}

std::vector<int> Mesh::group(int rank,
                             const std::vector<uint32_t> &axes) const {
  std::vector<int> ranks;
  Coordinates place = coordinates(rank);
  for (uint32_t axis : axes)
    place[axis] = 0;
  for (;;) {
    ranks.push_back(rankAt(place));
    size_t i = axes.size();
    while (i > 0 && ++place[axes[i - 1]] == meshAxes[axes[i - 1]].size)
      place[axes[--i]] = 0;
    if (i == 0)
      return ranks;
  }
}

int Mesh::temporalAxis() const {
  for (size_t i = 0; i < meshAxes.size(); ++i)
    if (meshAxes[i].temporal)
      return static_cast<int>(i);
  return -1;
}

std::string Mesh::describe() const {
  std::string out;
  for (const MeshAxis &axis : meshAxes)
    if (!axis.temporal)
      out += (out.empty() ? "" : ",") + axis.name + "=" +
             std::to_string(axis.size);
  return out.empty() ? "1" : out;
}

Shard shardAt(const Mesh &mesh, const Sharding &sharding,
              const std::vector<int64_t> &shape,
              const Coordinates &coordinates) {
  Shard shard;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t shards = 1, index = 0, whole = shape[dim];
    if (dim < sharding.size()) {
      for (uint32_t axis : sharding[dim].axes) {
        shards *= mesh.axes()[axis].size;
        index = index * mesh.axes()[axis].size + coordinates[axis];
      }
      if (sharding[dim].padded)
        whole = sharding[dim].padded;
    }
    int64_t size = (whole + shards - 1) / shards;
    int64_t start = std::min(shape[dim], index * size);
    shard.start.push_back(start);
    shard.extent.push_back(std::min(size, shape[dim] - start));
    shard.shape.push_back(size);
  }
  return shard;
}

Shard windowAt(const Mesh &mesh, const Sharding &sharding,
               const std::vector<int64_t> &windows,
               const std::vector<int64_t> &shape,
               const Coordinates &coordinates) {
  Shard shard;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t index = 0;
    for (uint32_t axis : sharding[dim].axes)
      index = index * mesh.axes()[axis].size + coordinates[axis];
    const int64_t *own = &windows[5 * dim];
    int64_t start = index * own[0] / own[1] * own[2] + own[3], size = own[4];
    shard.start.push_back(start);
    shard.extent.push_back(std::min(size, shape[dim] - start));
    shard.shape.push_back(size);
  }
  return shard;
}

bool isFirstCopy(const Mesh &mesh, const Sharding &sharding,
                 const Coordinates &coordinates) {
  for (size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    if (coordinates[axis] == 0 || static_cast<int>(axis) == mesh.pipeAxis())
      continue;
    bool splits = false;
    for (const DimSplit &dim : sharding)
      splits |=
          std::find(dim.axes.begin(), dim.axes.end(), axis) != dim.axes.end();
    if (!splits)
      return false;
  }
  return true;
}

} // namespace zcc::rt
