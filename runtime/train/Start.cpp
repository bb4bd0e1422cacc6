// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/train/Start.h"

#include "runtime/checkpoint/Folder.h"
#include "runtime/data/Parameters.h"
#include "runtime/data/Rename.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/Processes.h"

namespace zcc::rt {

Readers readersOf(const format::Executable &executable, Processes *processes) {
  Readers readers;
  if (!processes)
    return readers;
  readers.index = processes->rank();
  readers.count = processes->size();
  readers.gather = [processes](const std::string &mine) {
    return processes->channel().gather(mine);
  };
  Mesh mesh(executable);
  if (processes->size() == mesh.ranks())
    readers.needs = slicesOfRank(executable, mesh, processes->rank());
  return readers;
}

WeightSet openParameters(const format::Executable &executable,
                         const std::string &path, const std::string &rename,
                         Processes *processes, const Say &warn) {
  Readers readers = readersOf(executable, processes);
  if (!rename.empty())
    readers.needs = nullptr; // it is known under other names
  const std::string file = weightsFile(path);
  WeightSet weights = isFolder(file)
                          ? openForParameters(file, readers, warn).parameters()
                          : openWeights(file);
  if (!rename.empty()) {
    std::vector<std::string> names;
    for (const format::Tensor &tensor : executable.parameters())
      names.push_back(tensor.name());
    weights = renameWeights(rename, weights, names);
  }
  checkParameters(executable, weights);
  return weights;
}

void initialize(const format::Executable &executable, RankHost &ranks,
                uint64_t seed) {
  auto keyType = static_cast<ElementType>(executable.key_type());
  ranks.onAllRanks([&](int rank) {
    Device &device = ranks.device(rank);
    Address key = device.at(ranks.stage(rank).key_offset());
    const uint32_t halves[2] = {uint32_t(seed >> 32), uint32_t(seed)};
    if (keyType == ElementType::U32)
      device.copyIn(device.mainStream(), key, halves, sizeof(halves));
    else
      device.copyIn(device.mainStream(), key, &seed, byteSize(keyType));
    ranks.runInit(rank);
    initializeSlots(executable, ranks.mesh(), rank, device);
    startAverages(executable, ranks.mesh(), rank, device);
  });
}

} // namespace zcc::rt
