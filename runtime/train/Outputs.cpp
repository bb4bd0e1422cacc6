// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/train/Outputs.h"

#include "runtime/core/Copy.h"
#include "runtime/core/Error.h"
#include "runtime/format/executable.pb.h"

namespace zcc::rt {

static std::vector<int64_t> shapeOf(const format::Output &output) {
  return {output.shape().begin(), output.shape().end()};
}

static ElementType typeOf(const format::Output &output) {
  return static_cast<ElementType>(output.type());
}

std::vector<OutputSpec> outputSpecs(const format::Executable &executable) {
  std::vector<OutputSpec> specs;
  for (const format::Stage &stage : executable.stages())
    for (const format::Output &output : stage.outputs())
      if (output.kind() == format::Output::ARRAY)
        specs.push_back({output.name(), typeOf(output), shapeOf(output)});
  return specs;
}

std::vector<OutputPart> outputParts(const format::Executable &executable,
                                    const Mesh &mesh) {
  std::vector<OutputPart> parts;
  size_t index = 0;
  for (int i = 0; i < executable.stages_size(); ++i)
    for (const format::Output &output : executable.stages(i).outputs()) {
      if (output.kind() != format::Output::ARRAY)
        continue;
      Sharding sharding = toSharding(output.sharding());
      for (int rank = 0; rank < mesh.ranks(); ++rank) {
        Coordinates at = mesh.coordinates(rank);
        if (mesh.stageOf(rank) != i || !isFirstCopy(mesh, sharding, at))
          continue;
        Shard shard = shardAt(mesh, sharding, shapeOf(output), at);
        size_t bytes = size_t(volume(shard.shape)) * byteSize(typeOf(output));
        parts.push_back({index, rank, &output, std::move(shard), bytes});
      }
      ++index;
    }
  return parts;
}

void copyPart(const OutputPart &part, const void *data, char *whole) {
  ElementType type = typeOf(*part.output);
  std::vector<int64_t> zero(part.shard.shape.size(), 0);
  if (!copyBox({data, type, part.shard.shape, zero},
               {whole, type, shapeOf(*part.output), part.shard.start},
               part.shard.extent))
    fail("the output \"", part.output->name(), "\" of ", typeName(type),
         " cannot be copied");
}

} // namespace zcc::rt
