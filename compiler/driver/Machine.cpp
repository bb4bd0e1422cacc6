// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Machine.h"
#include <fstream>
#include <thread>
#include <unistd.h>

namespace zcc {
Machine getHostMachine() {
  Machine machine;
  machine.cores = std::max(1u, std::thread::hardware_concurrency());
  machine.memoryBytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  machine.name = "CPU";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos) {
      machine.name = line.substr(line.find(": ") + 2);
      break;
    }
  machine.name += ", " + std::to_string(machine.cores) + (machine.cores == 1 ? " core" : " cores");
  return machine;
}
} // namespace zcc
