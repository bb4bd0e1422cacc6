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

const MachineMemory *Machine::findMemory(std::string_view wanted) const {
  for (const MachineMemory &memory : memories)
    if (memory.name == wanted)
      return &memory;
  return nullptr;
}

int64_t Machine::ranksOnNode(int64_t ranks) const {
  return devicesPerNode == 0 ? ranks : std::min(ranks, devicesPerNode);
}

double Machine::bytesPerDevice(int64_t ranks) const {
  const MachineMemory *memory = findMemory("device");
  if (!memory)
    return 0;
  bool shared = ranksShareNode || memory->perNode;
  double parts = shared ? static_cast<double>(ranksOnNode(ranks)) : 1;
  return memory->bytes / parts - libraryBytes;
}

double Machine::hostBytesPerDevice(int64_t ranks) const {
  const MachineMemory *memory = findMemory("host");
  if (!memory)
    return ranksShareNode ? bytesPerDevice(ranks) : 0;
  bool shared = ranksShareNode || memory->perNode;
  return memory->bytes / (shared ? static_cast<double>(ranksOnNode(ranks)) : 1);
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
