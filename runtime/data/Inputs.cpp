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
                       input.limit(),
                       input.key()});
    }
  return specs;
}

int64_t tokensPerStep(const std::vector<InputSpec> &inputs) {
  for (const InputSpec &input : inputs)
    if (isInteger(input.type) && input.shape.size() == 2)
      return input.shape[0] * input.shape[1];
  for (const InputSpec &input : inputs)
    if (!input.shape.empty() && !input.isKey)
      return input.shape[0];
  return 0;
}

bool readsKey(const std::vector<InputSpec> &inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const InputSpec &input) { return input.isKey; });
}

void checkKeySeed(const std::vector<InputSpec> &inputs,
                  const std::optional<uint64_t> &seed) {
  if (!seed || readsKey(inputs))
    return;
  std::vector<std::string> names;
  for (const InputSpec &input : inputs)
    names.push_back(
        text(input.name, " ", typeName(input.type), " ", input.shape));
  badInput("--key-seed: expected an executable that reads a key of random "
           "numbers, this one reads ",
           names.empty() ? "no input" : listText(names),
           "; give the loss a last argument `key` (uint32 [2], as "
           "jax.random.key(0)), or leave out --key-seed");
}

Batch withKey(const std::vector<InputSpec> &inputs, Batch batch,
              const RandomKey &key) {
  if (batch.inputs.empty())
    batch.inputs.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].isKey && !batch.inputs[i].data)
      batch.inputs[i] = {ElementType::U32, inputs[i].shape,
                         reinterpret_cast<const char *>(key.data()),
                         sizeof(key)};
  return batch;
}

/// Returns the whole input that the part is of.
static const TensorView &viewOf(const InputPart &part,
                                const std::vector<InputSpec> &specs,
                                const Batch &batch) {
  size_t index = 0;
  while (specs[index].name != part.input->tensor().name())
    ++index;
  return batch.inputs[index];
}

const char *findPart(const InputPart &part, const std::vector<InputSpec> &specs,
                     const Batch &batch) {
  const TensorView &view = viewOf(part, specs, batch);
  auto type = static_cast<ElementType>(part.input->tensor().type());
  const Shard &shard = part.shard;
  if (view.type != type || shard.isPadded())
    return nullptr;
  // A box lies in one piece if, from the last dim on, it has all elements of
  // each dim up to one that it has a range of, and one element of all before.
  int64_t offset = 0, stride = 1;
  bool isRange = false;
  for (size_t i = view.shape.size(); i-- > 0;) {
    if (isRange && shard.extent[i] > 1)
      return nullptr;
    isRange |= shard.extent[i] != view.shape[i];
    offset += part.start[i] * stride;
    stride *= view.shape[i];
  }
  const char *data = view.data + size_t(offset) * byteSize(type);
  constexpr size_t leastAlignment = 4;
  size_t alignment = std::max<size_t>(byteSize(type), leastAlignment);
  return reinterpret_cast<uintptr_t>(data) % alignment == 0 ? data : nullptr;
}

void writePart(const InputPart &part, const std::vector<InputSpec> &specs,
               const Batch &batch, char *to) {
  const format::Tensor &tensor = part.input->tensor();
  const TensorView &view = viewOf(part, specs, batch);
  auto type = static_cast<ElementType>(tensor.type());
  const Shard &shard = part.shard;
  if (shard.isPadded())
    std::memset(to, 0, part.bytes);
  std::vector<int64_t> zero(view.shape.size(), 0);
  if (!copyBox({view.data, view.type, view.shape, part.start},
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
