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

void writePart(const InputPart &part, const std::vector<InputSpec> &specs,
               const Batch &batch, char *to) {
  const format::Tensor &tensor = part.input->tensor();
  size_t index = 0;
  while (specs[index].name != tensor.name())
    ++index;
  const TensorView &view = batch.inputs[index];
  auto type = static_cast<ElementType>(tensor.type());
  const Shard &shard = part.shard;
  if (shard.isPadded())
    std::memset(to, 0, part.bytes);
  std::vector<int64_t> zero(view.shape.size(), 0);
  if (!copyBox({view.data, view.type, view.shape, shard.start},
               {to, type, shard.shape, zero}, shard.extent))
    badInput("input \"", tensor.name(), "\": a value of type ",
             typeName(view.type), " does not fit in ", typeName(type));
}

void loadInputs(const std::vector<InputPart> &parts,
                const std::vector<InputSpec> &specs, const Batch &batch,
                Device &device) {
  for (const InputPart &part : parts) {
    HostView place(device, device.at(part.offset), part.bytes, Access::Write);
    writePart(part, specs, batch, place.data());
    place.commit();
  }
}

void loadInputs(const format::Executable &executable, const Mesh &mesh,
                int rank, const std::vector<InputSpec> &specs,
                const Batch &batch, Device &device) {
  loadInputs(inputParts(executable.stages(mesh.stageOf(rank)), mesh, rank),
             specs, batch, device);
}

} // namespace zcc::rt
