// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/phases/Machine.h"
#include "compiler/phases/Choices.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace zcc {

planning::Machine getHostMachine() {
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  std::string name = "CPU";
  // All processors are alike, so the block of the first one is enough.
  std::ifstream info("/proc/cpuinfo");
  double vectorFlops = 0, hertz = 0;
  for (std::string line; std::getline(info, line) && !line.empty();) {
    size_t colon = line.find(": ");
    if (colon == std::string::npos)
      continue;
    std::string value = line.substr(colon + 2);
    auto has = [&](const char *flag) {
      return value.find(flag) != std::string::npos;
    };
    if (line.rfind("model name", 0) == 0)
      name = value;
    else if (line.rfind("bogomips", 0) == 0)
      // This is twice the nominal clock; `cpu MHz` varies.
      hertz = std::strtod(value.c_str(), nullptr) / 2 * 1e6;
    else if (line.rfind("flags", 0) == 0)
      // There are two vector units, with two operations per lane.
      vectorFlops = has("avx512f") ? 64 : has("avx2") ? 32 : 0;
  }
  planning::Machine machine;
  machine.name =
      name + ", " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
  machine.ranksShareNode = true;
  machine.units = cores;
  if (double flops = cores * vectorFlops * hertz; flops > 0) {
    planning::MachinePeak &peak = machine.peaks.emplace_back();
    peak.type = "f32";
    peak.flops = peak.vectorFlops = flops;
  }
  planning::MachineMemory memory;
  memory.bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                 static_cast<double>(sysconf(_SC_PAGE_SIZE));
  machine.memories.push_back(memory);
  return machine;
}

std::string checkNodes(const planning::Machine &machine, int64_t devices) {
  int64_t own = machine.devicesPerNode;
  if (!machine.links.empty() || own == 0 || devices <= own)
    return "";
  return "the machine '" + machine.name + "' has " + std::to_string(own) +
         (own == 1 ? " device" : " devices") + " a node and no links, and " +
         std::to_string(devices) +
         " devices are asked for: its description needs the link between nodes";
}

std::string findMachine(const std::string &nameOrFile,
                        planning::Machine &machine) {
  if (std::string_view text = planning::getMachineText(nameOrFile);
      !text.empty())
    return planning::parseMachine(text, nameOrFile, machine);
  auto buffer = llvm::MemoryBuffer::getFile(nameOrFile, /*IsText=*/true);
  if (buffer)
    return planning::parseMachine(std::string_view((*buffer)->getBufferStart(),
                                                   (*buffer)->getBufferSize()),
                                  nameOrFile, machine);
  std::string names;
  for (const std::string &name : planning::getMachineNames())
    names += (names.empty() ? "" : ", ") + name;
  return "error: --machine: expected " + names +
         " or the file of a description, found '" + nameOrFile +
         "': " + buffer.getError().message() +
         suggestChoice(nameOrFile, planning::getMachineNames()) + "\n";
}

} // namespace zcc
