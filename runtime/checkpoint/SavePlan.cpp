// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which rank writes which slices of a checkpoint. States are taken by
// size, the largest first. The k-th is written by the ranks that hold replica k
// modulo the number of replicas, so that ranks that hold the same data write
// about as much.

#include "runtime/checkpoint/SavePlan.h"

#include "runtime/data/Parameters.h"
#include "runtime/format/States.h"
#include "runtime/format/Text.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

namespace zcc::rt {

using Shape = std::vector<int64_t>;

TensorKind tensorKindOf(const format::Executable &executable,
                        const format::State &state) {
  const format::StateTensor &tensor = tensorOf(executable, state);
  const StateKind kind = kindOf(tensor);
  return isInFiles(kind)         ? parameterKind
         : hasInitialValue(kind) ? tensor.name()
                                 : std::string(nameOf(kind));
}

/// Parameters first, then all else by name.
static std::string orderOf(const TensorKind &kind) {
  return kind == parameterKind ? "" : kind;
}

namespace {

struct Chosen {
  int stage = 0;
  const format::State *state = nullptr;
  int64_t bytes = 0;
  size_t ordinal = 0; // ties keep their order
};

/// The index of the copy of its shard that a rank holds, and the number of
/// copies.
std::pair<int, int> replicaOf(const Mesh &mesh, const format::State &state,
                              const Coordinates &coordinates) {
  std::vector<bool> splits(mesh.axes().size(), false);
  for (const auto &dim : state.sharding())
    for (uint32_t axis : dim.axes())
      splits[axis] = true;
  int index = 0, count = 1;
  for (size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    if (splits[axis] || mesh.axes()[axis].temporal ||
        int(axis) == mesh.pipeAxis())
      continue;
    index = index * int(mesh.axes()[axis].size) + int(coordinates[axis]);
    count *= int(mesh.axes()[axis].size);
  }
  return {index, count};
}

} // namespace

SavePlan::SavePlan(const format::Executable &executable, const Mesh &mesh)
    : byRank(mesh.ranks()), fileOfRank(mesh.ranks(), -1) {
  // If several stages hold a part, one of them writes it, from master weights
  // if there are some.
  using Key = std::tuple<std::string, uint32_t, Shape, Shape>;
  std::map<Key, Chosen> chosenOf;
  for (int i = 0; i < executable.stages_size(); ++i)
    for (const format::State &state : executable.stages(i).states()) {
      Shape extent(state.extent().begin(), state.extent().end());
      Chosen &chosen = chosenOf[{orderOf(tensorKindOf(executable, state)),
                                 uint32_t(fileTensorOf(executable, state)),
                                 {state.start().begin(), state.start().end()},
                                 extent}];
      bool better =
          chosen.state && isPreferred(kindOf(executable, state),
                                      kindOf(executable, *chosen.state));
      if (!chosen.state || better)
        chosen = {i, &state,
                  volume(extent) *
                      int64_t(byteSize(static_cast<ElementType>(state.type()))),
                  0};
    }
  std::map<std::pair<std::string, uint32_t>, uint32_t> numberOf;
  std::vector<Chosen> order;
  for (const auto &[key, chosen] : chosenOf) {
    order.push_back(chosen);
    order.back().ordinal = order.size();
    std::pair<std::string, uint32_t> name = {std::get<0>(key),
                                             std::get<1>(key)};
    if (!numberOf.emplace(name, uint32_t(index.tensors.size())).second)
      continue;
    const format::StateTensor &tensor = tensorOf(executable, *chosen.state);
    index.tensors.push_back({executable.parameters(int(name.second)).name(),
                             tensorKindOf(executable, *chosen.state),
                             static_cast<ElementType>(chosen.state->type()),
                             {tensor.shape().begin(), tensor.shape().end()},
                             {}});
  }
  std::sort(order.begin(), order.end(), [](const Chosen &a, const Chosen &b) {
    return std::tie(b.bytes, a.ordinal) < std::tie(a.bytes, b.ordinal);
  });

  for (int rank = 0; rank < mesh.ranks(); ++rank) {
    Coordinates coordinates = mesh.coordinates(rank);
    int stage = mesh.stageOf(rank);
    for (size_t k = 0; k < order.size(); ++k) {
      const format::State &state = *order[k].state;
      if (order[k].stage != stage)
        continue;
      auto [replica, replicas] = replicaOf(mesh, state, coordinates);
      if (replica != int(k % size_t(replicas)))
        continue;
      StateBox place(mesh, state, rank);
      int64_t count = volume(place.shard.extent);
      if (count == 0)
        continue;
      uint32_t tensor =
          numberOf.at({orderOf(tensorKindOf(executable, state)),
                       uint32_t(fileTensorOf(executable, state))});
      byRank[rank].push_back(
          {&state, tensor, place.start, place.shard.extent,
           size_t(count) * byteSize(static_cast<ElementType>(state.type()))});
    }
    if (byRank[rank].empty())
      continue;
    fileOfRank[rank] = int(index.files.size());
    char name[40];
    std::snprintf(name, sizeof(name), "rank-%05d.safetensors", rank);
    index.files.push_back({name, "", 0});
    for (const SavedSlice &slice : byRank[rank])
      index.tensors[slice.tensor].slices.push_back(
          {uint32_t(fileOfRank[rank]), slice.start, slice.extent});
  }
  index.optimizer = executable.optimizer();
  index.precision = executable.precision();
  index.mesh = mesh.describe();
}

} // namespace zcc::rt
