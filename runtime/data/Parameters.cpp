// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters between files and the arenas of the ranks.

#include "runtime/data/Parameters.h"

#include "runtime/core/Copy.h"
#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/core/Spaces.h"
#include "runtime/format/States.h"

#include <algorithm>
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

StateBox::StateBox(const Mesh &mesh, const format::State &state, int rank)
    : shard(shardAt(mesh, shardingOf(state), shapeOf(state.extent()),
                    mesh.coordinates(rank))),
      start(shapeOf(state.start())), zero(start.size(), 0) {
  for (size_t i = 0; i < start.size(); ++i)
    start[i] += shard.start[i];
}

std::string parameterProblems(const format::Executable &executable,
                              const WeightSet &weights, bool all) {
  std::vector<std::string> missing, surplus, misshapen;
  std::set<std::string> known;
  for (const format::Tensor &tensor : executable.parameters()) {
    known.insert(tensor.name());
    auto at = weights.tensors.find(tensor.name());
    if (at == weights.tensors.end()) {
      if (all)
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
  // JAX leaves arguments that are not read out of the text.
  if (!problems.empty())
    badInput(weights.path, ": parameters do not fit: ", problems,
             problems.find("surplus: ") == std::string::npos
                 ? ""
                 : " (parameters that a JAX loss does not read are in its text "
                   "only with jax.jit(loss, keep_unused=True))");
}

static const format::Stage &stageAt(const format::Executable &executable,
                                    const Mesh &mesh, int rank) {
  return executable.stages(mesh.stageOf(rank));
}

void initializeSlots(const format::Executable &executable, const Mesh &mesh,
                     int rank, Device &device) {
  for (const format::State &state : stageAt(executable, mesh, rank).states()) {
    const format::StateTensor &tensor = tensorOf(executable, state);
    if (!hasInitialValue(kindOf(tensor)))
      continue;
    ElementType type = typeOf(state.type());
    uint64_t one = 0; // little endian, as elements are
    double initial = tensor.initial();
    if (!convert(&initial, ElementType::F64, &one, type, 1))
      fail(tensor.name(), " of ", typeName(type), " cannot begin as ", initial);
    device.fill(
        device.mainStream(), addressOf(device, state), one, byteSize(type),
        volume(StateBox(mesh, state, rank).shard.shape) * byteSize(type));
  }
}

void loadState(const format::Executable &executable, const Mesh &mesh,
               const format::State &state, int rank, const WeightSet &weights,
               Device &device) {
  const std::string &name = fileNameOf(executable, state);
  std::string where = text(weights.path, ": tensor ", jsonText(name));
  StateBox place(mesh, state, rank);
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
    if (isInFiles(executable, state))
      loadState(executable, mesh, state, rank, weights, device);
  initializeSlots(executable, mesh, rank, device);
  startAverages(executable, mesh, rank, device);
}

/// Returns the state of the rank's stage that an average begins as.
static const format::State &startOf(const format::Executable &executable,
                                    const format::Stage &stage,
                                    const format::State &average) {
  const format::State *best = nullptr;
  for (const format::State &state : stage.states())
    if (isInFiles(executable, state) &&
        fileTensorOf(executable, state) == fileTensorOf(executable, average) &&
        shapeOf(state.start()) == shapeOf(average.start()) &&
        shapeOf(state.extent()) == shapeOf(average.extent()) &&
        (!best ||
         isPreferred(kindOf(executable, state), kindOf(executable, *best))))
      best = &state;
  if (!best)
    fail("the average of ", jsonText(fileNameOf(executable, average)),
         " is on a stage without the parameter");
  return *best;
}

void startAverage(const format::Executable &executable, const Mesh &mesh,
                  const format::State &average, int rank, Device &device) {
  const format::State &source =
      startOf(executable, stageAt(executable, mesh, rank), average);
  StateBox from(mesh, source, rank), to(mesh, average, rank);
  Shape start = to.start;
  for (size_t i = 0; i < start.size(); ++i) {
    start[i] -= from.start[i];
    if (to.shard.extent[i] != 0 &&
        (start[i] < 0 || start[i] + to.shard.extent[i] > from.shard.extent[i]))
      fail("a rank holds more of the average of ",
           jsonText(fileNameOf(executable, average)), " than of the parameter");
  }
  ElementType fromType = typeOf(source.type()), toType = typeOf(average.type());
  HostView read(device, addressOf(device, source),
                volume(from.shard.shape) * byteSize(fromType), Access::Read);
  size_t bytes = volume(to.shard.shape) * byteSize(toType);
  HostView written(device, addressOf(device, average), bytes, Access::Write);
  if (to.shard.isPadded())
    std::memset(written.data(), 0, bytes);
  if (!copyBox({read.data(), fromType, from.shard.shape, start},
               {written.data(), toType, to.shard.shape, to.zero},
               to.shard.extent))
    fail("a parameter of type ", typeName(fromType),
         " cannot begin an average of type ", typeName(toType));
  written.commit();
}

void startAverages(const format::Executable &executable, const Mesh &mesh,
                   int rank, Device &device) {
  for (const format::State &state : stageAt(executable, mesh, rank).states())
    if (beginsAsParameter(kindOf(executable, state)))
      startAverage(executable, mesh, state, rank, device);
}

static Part partOf(const Mesh &mesh, const format::State &state, int rank) {
  return {rank, &state,
          volume(StateBox(mesh, state, rank).shard.shape) *
              byteSize(typeOf(state.type()))};
}

std::vector<Part> savedParts(const format::Executable &executable,
                             const Mesh &mesh, ParameterValues values) {
  // Each part is written from one stage and one kind of state.
  using Key = std::tuple<uint32_t, Shape, Shape>;
  std::map<Key, std::pair<int, const format::State *>> chosenOf;
  for (int i = 0; i < executable.stages_size(); ++i)
    for (const format::State &state : executable.stages(i).states()) {
      if (!hasValues(kindOf(executable, state), values))
        continue;
      auto &chosen =
          chosenOf[{uint32_t(fileTensorOf(executable, state)),
                    shapeOf(state.start()), shapeOf(state.extent())}];
      if (!chosen.second || isPreferred(kindOf(executable, state),
                                        kindOf(executable, *chosen.second)))
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

void gatherParameters(const format::Executable &executable, const Mesh &mesh,
                      ParameterValues values,
                      const std::function<const void *(const Part &)> &dataOf,
                      const std::vector<char *> &targets,
                      const CopyProgress &targetDone) {
  for (const Part &part : savedParts(executable, mesh, values)) {
    const format::State &state = *part.state;
    const int parameter = fileTensorOf(executable, state);
    if (!targets[parameter])
      continue;
    const format::Tensor &tensor = executable.parameters(parameter);
    const ElementType type = typeOf(tensor.type());
    StateBox place(mesh, state, part.rank);
    if (!copyBox(
            {dataOf(part), typeOf(state.type()), place.shard.shape, place.zero},
            {targets[parameter], type, shapeOf(tensor.shape()), place.start},
            place.shard.extent, nullptr, targetDone))
      fail("parameter ", jsonText(tensor.name()), " cannot be converted to ",
           typeName(type));
  }
}

std::unique_ptr<SafeTensorsWriter>
makeParameterFile(const format::Executable &executable,
                  const std::string &path) {
  std::vector<SafeTensorsWriter::Entry> entries;
  for (const format::Tensor &tensor : executable.parameters())
    entries.push_back(
        {tensor.name(), typeOf(tensor.type()), shapeOf(tensor.shape())});
  return std::make_unique<SafeTensorsWriter>(path, entries);
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

Gradients::Gradients(const format::Executable &executable, const Mesh &mesh)
    : mesh(mesh), observed(executable.parameters_size()),
      targets(executable.parameters_size()) {
  for (const format::Stage &stage : executable.stages())
    for (const format::Task &task : stage.tasks())
      for (const format::Step &step : task.steps())
        for (const format::State &state : step.observe().states())
          observed[fileTensorOf(executable, state)] = true;
  for (const format::StateTensor &tensor : executable.states())
    parameters.push_back(fileTensorOf(tensor));
  for (const format::Tensor &tensor : executable.parameters())
    shapes.push_back(shapeOf(tensor.shape()));
}

Gradients::Gradients(const format::Executable &executable, const Mesh &mesh,
                     const std::string &path)
    : Gradients(executable, mesh) {
  std::vector<SafeTensorsWriter::Entry> entries;
  for (int i = 0; i < executable.parameters_size(); ++i)
    if (observed[i])
      entries.push_back(
          {executable.parameters(i).name(), ElementType::F32, shapes[i]});
  if (entries.empty())
    badInput("--save-grads: the executable has no gradients");
  writer = std::make_unique<SafeTensorsWriter>(path, entries);
  size_t entry = 0;
  for (int i = 0; i < executable.parameters_size(); ++i)
    if (observed[i])
      targets[i] = writer->data(entry++);
}

Gradients::Gradients(const format::Executable &executable, const Mesh &mesh,
                     const std::map<std::string, float *> &wanted)
    : Gradients(executable, mesh) {
  std::vector<std::string> names, unknown;
  for (int i = 0; i < executable.parameters_size(); ++i) {
    names.push_back(executable.parameters(i).name());
    auto target = wanted.find(names.back());
    if (target == wanted.end())
      continue;
    if (observed[i])
      targets[i] = reinterpret_cast<char *>(target->second);
    else // it is not trained
      std::fill_n(target->second, volume(shapes[i]), 0.0f);
  }
  for (const auto &[name, target] : wanted)
    if (std::find(names.begin(), names.end(), name) == names.end())
      unknown.push_back(name);
  if (!unknown.empty())
    badInput("the executable has no parameters ", listText(unknown),
             "; it has ", listText(names));
}

void Gradients::commit() {
  if (writer)
    writer->commit();
}

void Gradients::take(int rank, const format::State &state, const void *data,
                     float divisor) {
  if (!isFirstCopy(mesh, shardingOf(state), mesh.coordinates(rank)))
    return;
  StateBox place(mesh, state, rank);
  int64_t count = volume(place.shard.shape);
  if (count == 0)
    return;
  ElementType type = typeOf(state.type());
  const int parameter = parameters[state.tensor()];
  const Shape &shape = shapes[parameter];
  char *target = targets[parameter];
  if (!target)
    return;
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
    if (writer && (written >= slab || i + 1 == rows)) {
      MappedFile::release(target + (start[0] + 1) * whole - written, written);
      written = 0;
    }
    ++start[0];
  }
}

} // namespace zcc::rt
