// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/InputParts.h"

#include "runtime/format/ElementType.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt {

// Parts begin on lines.
static constexpr uint64_t alignment = 64;

static uint64_t endOf(const InputPart &part) {
  return (part.room + part.bytes + alignment - 1) / alignment * alignment;
}

/// The temporal axis that the input is split over; -1: none.
static int temporalAxisOf(const Sharding &sharding, const Mesh &mesh) {
  for (const DimSplit &dim : sharding)
    for (uint32_t axis : dim.axes)
      if (mesh.axes()[axis].temporal)
        return int(axis);
  return -1;
}

std::vector<InputPart> inputParts(const format::Stage &stage, const Mesh &mesh,
                                  int rank) {
  std::vector<InputPart> parts;
  for (const format::Input &input : stage.inputs()) {
    const format::Tensor &tensor = input.tensor();
    Sharding sharding = toSharding(input.sharding());
    int temporal = temporalAxisOf(sharding, mesh);
    Coordinates coordinates = mesh.coordinates(rank);
    for (int i = 0; i < input.offsets_size(); ++i) {
      if (temporal >= 0)
        coordinates[temporal] = uint32_t(i);
      InputPart part{&input, {}, input.offsets(i), 0, 0, {}};
      part.shard = shardAt(mesh, sharding,
                           {tensor.shape().begin(), tensor.shape().end()},
                           coordinates);
      part.start = part.shard.start;
      part.bytes = size_t(volume(part.shard.shape)) *
                   byteSize(static_cast<ElementType>(tensor.type()));
      part.room = parts.empty() ? 0 : endOf(parts.back());
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

/// The dim along which an input's parts follow each other; the first one if it
/// has only one part.
static size_t splitDim(const InputPart &first, const InputPart &second) {
  for (size_t d = 0; d < first.shard.start.size(); ++d)
    if (first.shard.start[d] != second.shard.start[d])
      return d;
  return 0;
}

std::vector<InputPart> partsOfLocalBatch(std::vector<InputPart> parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    InputPart &part = parts[i];
    std::fill(part.start.begin(), part.start.end(), 0);
    if (i == 0 || parts[i - 1].input != part.input || part.start.empty())
      continue;
    const InputPart &before = parts[i - 1];
    size_t first = i - 1;
    while (first > 0 && parts[first - 1].input == part.input)
      --first;
    const size_t dim = splitDim(parts[first], parts[first + 1]);
    part.start[dim] = before.start[dim] + before.shard.extent[dim];
  }
  return parts;
}

std::vector<int64_t> localShape(const std::vector<InputPart> &parts,
                                const format::Input &input) {
  std::vector<int64_t> shape;
  for (const InputPart &part : parts) {
    if (part.input != &input)
      continue;
    shape.resize(part.start.size());
    for (size_t d = 0; d < shape.size(); ++d)
      shape[d] = std::max(shape[d], part.start[d] + part.shard.extent[d]);
  }
  return shape;
}

size_t inputRoomBytes(const std::vector<InputPart> &parts) {
  return parts.empty() ? 0 : endOf(parts.back());
}

} // namespace zcc::rt
