// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Machine.h"
#include <algorithm>

namespace zcc::planning {

const MachinePeak *Machine::findPeak(std::string_view type) const {
  for (const MachinePeak &peak : peaks)
    if (peak.type == type)
      return &peak;
  return nullptr;
}

const MachineMemory *Machine::findMemory(MemorySpace space) const {
  for (const MachineMemory &memory : memories)
    if (memory.space == space)
      return &memory;
  return nullptr;
}

int64_t Machine::ranksOnNode(int64_t ranks) const {
  return devicesPerNode == 0 ? ranks : std::min(ranks, devicesPerNode);
}

double Machine::bytesPerDevice(int64_t ranks, MemorySpace space) const {
  const MachineMemory *memory = findMemory(space);
  if (!memory)
    return space == MemorySpace::Host && ranksShareNode ? bytesPerDevice(ranks)
                                                        : 0;
  bool shared = ranksShareNode || memory->perNode;
  double bytes =
      memory->bytes / (shared ? static_cast<double>(ranksOnNode(ranks)) : 1);
  return space == MemorySpace::Device ? bytes - libraryBytes : bytes;
}

double Machine::flopsPerDevice(std::string_view type, int64_t ranks) const {
  const MachinePeak *peak = findPeak(type);
  if (!peak)
    peak = findPeak("f32");
  if (!peak)
    return 0;
  double parts = ranksShareNode ? static_cast<double>(ranksOnNode(ranks)) : 1;
  return peak->flops / parts;
}

MachineFacts Machine::getFacts(int64_t ranks) const {
  return {bytesPerDevice(ranks)};
}

} // namespace zcc::planning
