// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters between files and the arenas of the ranks.

#include "runtime/data/Parameters.h"

#include "runtime/core/Copy.h"
#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/core/Spaces.h"
#include "runtime/format/States.h"

#include <cstring>
#include <map>
#include <set>

namespace zcc::rt {

using Shape = std::vector<int64_t>;

static ElementType typeOf(format::Type type) {
  return static_cast<ElementType>(type);
}

static Sharding shardingOf(const format::State &state) {
  return toSharding(state.sharding());
}

Place::Place(const Mesh &mesh, const format::State &state, int rank)
    : shard(shardAt(mesh, shardingOf(state), shapeOf(state.extent()),
                    mesh.coordinates(rank))),
      start(shapeOf(state.start())), zero(start.size(), 0) {
  for (size_t i = 0; i < start.size(); ++i)
    start[i] += shard.start[i];
}

std::string parameterProblems(const format::Executable &executable,
                              const WeightSet &weights) {
  std::vector<std::string> missing, surplus, misshapen;
  std::set<std::string> known;
  for (const format::Tensor &tensor : executable.parameters()) {
    known.insert(tensor.name());
    auto at = weights.tensors.find(tensor.name());
    if (at == weights.tensors.end()) {
      missing.push_back(tensor.name());
      continue;
    }
    const Weight &weight = at->second;
    Shape shape = shapeOf(tensor.shape());
    ElementType type = typeOf(tensor.type());
    bool convertible =
        isFloat(type) ? isFloat(weight.type) : weight.type == type;
    if (weight.shape == shape && convertible)
      continue;
    bool transposed = convertible && shape.size() == 2 &&
                      weight.shape == Shape{shape[1], shape[0]};
    misshapen.push_back(
        text(tensor.name(), " (expected ", typeName(type), " ", shape,
             ", found ", typeName(weight.type), " ", weight.shape,
             transposed ? ": transposed? --rename can turn it" : "", ")"));
  }
  for (const auto &entry : weights.tensors)
    if (!known.count(entry.first))
      surplus.push_back(entry.first);
  std::string problems;
  auto add = [&](const char *what, const std::vector<std::string> &names) {
    if (!names.empty())
      problems +=
          text(problems.empty() ? "" : "; ", what, ": ", listText(names));
  };
  add("missing", missing);
  add("surplus", surplus);
  add("misshapen", misshapen);
  return problems;
}

void checkParameters(const format::Executable &executable,
                     const WeightSet &weights) {
  std::string problems = parameterProblems(executable, weights);
  if (!problems.empty())
    badInput(weights.path, ": parameters do not fit: ", problems);
}

static const format::Stage &stageAt(const format::Executable &executable,
                                    const Mesh &mesh, int rank) {
  return executable.stages(mesh.stageOf(rank));
}

void initializeSlots(const format::Executable &executable, const Mesh &mesh,
                     int rank, Device &device) {
  for (const format::State &state : stageAt(executable, mesh, rank).states()) {
    if (!isSlot(executable, state))
      continue;
    const format::StateTensor &tensor = tensorOf(executable, state);
    ElementType type = typeOf(state.type());
    uint64_t one = 0; // little endian, as elements are
    double initial = tensor.initial();
    if (!convert(&initial, ElementType::F64, &one, type, 1))
      fail(tensor.slot(), " of ", typeName(type), " cannot begin as ", initial);
    device.fill(device.mainStream(), addressOf(device, state), one,
                byteSize(type),
                volume(Place(mesh, state, rank).shard.shape) * byteSize(type));
  }
}

void loadState(const format::Executable &executable, const Mesh &mesh,
               const format::State &state, int rank, const WeightSet &weights,
               Device &device) {
  const std::string &name =
      executable.parameters(parameterOf(executable, state)).name();
  std::string where = text(weights.path, ": tensor ", jsonText(name));
  Place place(mesh, state, rank);
  ElementType type = typeOf(state.type());
  size_t bytes = volume(place.shard.shape) * byteSize(type);
  HostView view(device, addressOf(device, state), bytes, Access::Write);
  if (place.shard.isPadded())
    std::memset(view.data(), 0, bytes);
  if (!copyWeight(where, weights.tensors.at(name), place.start,
                  {view.data(), type, place.shard.shape, place.zero},
                  place.shard.extent))
    badInput(where, " cannot be converted to ", typeName(type));
  view.commit();
}

void loadParameters(const format::Executable &executable, const Mesh &mesh,
                    int rank, const WeightSet &weights, Device &device) {
  for (const format::State &state : stageAt(executable, mesh, rank).states())
    if (!isSlot(executable, state))
      loadState(executable, mesh, state, rank, weights, device);
  initializeSlots(executable, mesh, rank, device);
}

static Part partOf(const Mesh &mesh, const format::State &state, int rank) {
  return {rank, &state,
          volume(Place(mesh, state, rank).shard.shape) *
              byteSize(typeOf(state.type()))};
}

std::vector<Part> savedParts(const format::Executable &executable,
                             const Mesh &mesh) {
  // Each part is written from one stage and one kind of state.
  using Key = std::tuple<uint32_t, Shape, Shape>;
  std::map<Key, std::pair<int, const format::State *>> chosenOf;
  for (int i = 0; i < executable.stages_size(); ++i)
    for (const format::State &state : executable.stages(i).states()) {
      if (isSlot(executable, state))
        continue;
      auto &chosen =
          chosenOf[{uint32_t(parameterOf(executable, state)),
                    shapeOf(state.start()), shapeOf(state.extent())}];
      if (!chosen.second || (isMaster(executable, state) &&
                             !isMaster(executable, *chosen.second)))
        chosen = {i, &state};
    }
  std::vector<Part> parts;
  for (const auto &[key, chosen] : chosenOf)
    for (int rank = 0; rank < mesh.ranks(); ++rank)
      if (mesh.stageOf(rank) == chosen.first &&
          isFirstCopy(mesh, shardingOf(*chosen.second), mesh.coordinates(rank)))
        parts.push_back(partOf(mesh, *chosen.second, rank));
  return parts;
}

void saveParameters(const format::Executable &executable, const Mesh &mesh,
                    const std::function<const void *(const Part &)> &dataOf,
                    const std::string &path) {
  std::vector<SafeTensorsWriter::Entry> entries;
  for (const format::Tensor &tensor : executable.parameters())
    entries.push_back(
        {tensor.name(), typeOf(tensor.type()), shapeOf(tensor.shape())});
  SafeTensorsWriter writer(path, entries);
  for (const Part &part : savedParts(executable, mesh)) {
    const format::State &state = *part.state;
    const int parameter = parameterOf(executable, state);
    const auto &entry = entries[parameter];
    Place place(mesh, state, part.rank);
    if (!copyBox(
            {dataOf(part), typeOf(state.type()), place.shard.shape, place.zero},
            {writer.data(parameter), entry.type, entry.shape, place.start},
            place.shard.extent, nullptr, MappedFile::release))
      fail(path, ": parameter ", jsonText(entry.name),
           " cannot be converted to ", typeName(entry.type));
  }
  writer.commit();
}

std::vector<Part> observedParts(const format::Executable &executable,
                                const Mesh &mesh, int rank) {
  std::vector<Part> parts;
  const format::Stage &stage = stageAt(executable, mesh, rank);
  for (const format::Action &action : stage.actions()) {
    if (!action.has_run())
      continue;
    for (const format::Step &step :
         stage.tasks(int(action.run().task())).steps())
      for (const format::State &state : step.observe().states())
        if (isFirstCopy(mesh, shardingOf(state), mesh.coordinates(rank))) {
          parts.push_back(partOf(mesh, state, rank));
          parts.back().scaled = step.observe().scaled();
        }
  }
  return parts;
}

GradientFile::GradientFile(const format::Executable &executable,
                           const Mesh &mesh, const std::string &path)
    : mesh(mesh), entryOf(executable.parameters_size(), -1) {
  std::set<uint32_t> observed;
  for (const format::Stage &stage : executable.stages())
    for (const format::Task &task : stage.tasks())
      for (const format::Step &step : task.steps())
        for (const format::State &state : step.observe().states())
          observed.insert(parameterOf(executable, state));
  if (observed.empty())
    badInput("--save-grads: the executable has no gradients");
  for (const format::StateTensor &tensor : executable.states())
    parameters.push_back(int(tensor.parameter()));
  std::vector<SafeTensorsWriter::Entry> entries;
  for (int i = 0; i < executable.parameters_size(); ++i) {
    const format::Tensor &tensor = executable.parameters(i);
    shapes.push_back(shapeOf(tensor.shape()));
    if (!observed.count(i))
      continue;
    entryOf[i] = int(entries.size());
    entries.push_back({tensor.name(), ElementType::F32, shapes.back()});
  }
  writer = std::make_unique<SafeTensorsWriter>(path, entries);
}

void GradientFile::take(int rank, const format::State &state, const void *data,
                        float divisor) {
  if (!isFirstCopy(mesh, shardingOf(state), mesh.coordinates(rank)))
    return;
  Place place(mesh, state, rank);
  int64_t count = volume(place.shard.shape);
  if (count == 0)
    return;
  ElementType type = typeOf(state.type());
  const int parameter = parameters[state.tensor()];
  const Shape &shape = shapes[parameter];
  char *target = writer->data(entryOf[parameter]);
  // Row by row of the part: no copy of a whole gradient is made.
  const Shard &shard = place.shard;
  int64_t rows = shard.extent.empty() ? 1 : shard.extent[0];
  int64_t rowSize = shard.shape.empty() ? 1 : count / shard.shape[0];
  std::vector<float> row(rowSize);
  Shape rowShape = shard.shape, extent = shard.extent, start = place.start;
  if (!rowShape.empty())
    rowShape[0] = extent[0] = 1;
  int64_t written = 0;
  constexpr int64_t slab = 8 << 20; // then its pages are let go
  for (int64_t i = 0; i < rows; ++i) {
    const char *from =
        static_cast<const char *>(data) + i * rowSize * int64_t(byteSize(type));
    if (!convert(from, type, row.data(), ElementType::F32, rowSize))
      fail("a gradient of type ", typeName(type), " cannot be saved");
    if (divisor != 1)
      for (float &value : row)
        value /= divisor;
    if (!copyBox({row.data(), ElementType::F32, rowShape, place.zero},
                 {target, ElementType::F32, shape, start}, extent))
      fail("a gradient cannot be saved");
    if (start.empty())
      break;
    // Between two rows of this part there is at most a whole row.
    int64_t whole = shape[0] ? volume(shape) / shape[0] * 4 : 0;
    written += whole;
    if (written >= slab || i + 1 == rows) {
      MappedFile::release(target + (start[0] + 1) * whole - written, written);
      written = 0;
    }
    ++start[0];
  }
}

} // namespace zcc::rt
