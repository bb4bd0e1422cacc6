// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/InputParts.h"

#include "runtime/format/ElementType.h"
#include "runtime/format/executable.pb.h"

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
      InputPart part{&input, {}, input.offsets(i), 0, 0};
      part.shard = shardAt(mesh, sharding,
                           {tensor.shape().begin(), tensor.shape().end()},
                           coordinates);
      part.bytes = size_t(volume(part.shard.shape)) *
                   byteSize(static_cast<ElementType>(tensor.type()));
      part.room = parts.empty() ? 0 : endOf(parts.back());
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

size_t inputRoomBytes(const std::vector<InputPart> &parts) {
  return parts.empty() ? 0 : endOf(parts.back());
}

} // namespace zcc::rt
