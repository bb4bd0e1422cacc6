// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step's batch in the arenas.

#include "runtime/data/Inputs.h"

#include "runtime/core/Copy.h"
#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <cstring>

namespace zcc::rt {

std::vector<InputSpec> inputSpecs(const format::Executable &executable) {
  std::vector<InputSpec> specs;
  for (const format::Stage &stage : executable.stages())
    for (const format::Input &input : stage.inputs()) {
      const format::Tensor &tensor = input.tensor();
      if (std::any_of(specs.begin(), specs.end(), [&](const InputSpec &spec) {
            return spec.name == tensor.name();
          }))
        continue;
      specs.push_back({tensor.name(),
                       static_cast<ElementType>(tensor.type()),
                       {tensor.shape().begin(), tensor.shape().end()},
                       input.low(),
                       input.limit()});
    }
  return specs;
}

int64_t tokensPerStep(const std::vector<InputSpec> &inputs) {
  for (const InputSpec &input : inputs)
    if (isInteger(input.type) && input.shape.size() == 2)
      return input.shape[0] * input.shape[1];
  for (const InputSpec &input : inputs)
    if (!input.shape.empty())
      return input.shape[0];
  return 0;
}

void loadInputs(const format::Executable &executable, const Mesh &mesh,
                int rank, const std::vector<InputSpec> &specs,
                const Batch &batch, Device &device) {
  const format::Stage &stage = executable.stages(mesh.stageOf(rank));
  for (const format::Input &input : stage.inputs()) {
    size_t index = 0;
    while (specs[index].name != input.tensor().name())
      ++index;
    const TensorView &view = batch.inputs[index];
    Sharding sharding = toSharding(input.sharding());
    int temporal = -1;
    for (const DimSplit &dim : sharding)
      for (uint32_t axis : dim.axes)
        if (mesh.axes()[axis].temporal)
          temporal = int(axis);
    Coordinates coordinates = mesh.coordinates(rank);
    for (int part = 0; part < input.offsets_size(); ++part) {
      if (temporal >= 0)
        coordinates[temporal] = part;
      Shard shard = shardAt(mesh, sharding, view.shape, coordinates);
      std::vector<int64_t> zero(view.shape.size(), 0);
      auto type = static_cast<ElementType>(input.tensor().type());
      size_t bytes = volume(shard.shape) * byteSize(type);
      HostView place(device, device.at(input.offsets(part)), bytes,
                     Access::Write);
      if (shard.isPadded())
        std::memset(place.data(), 0, bytes);
      if (!copyBox({view.data, view.type, view.shape, shard.start},
                   {place.data(), type, shard.shape, zero}, shard.extent))
        badInput("input \"", input.tensor().name(), "\": a value of type ",
                 typeName(view.type), " does not fit in ", typeName(type));
      place.commit();
    }
  }
}

} // namespace zcc::rt
