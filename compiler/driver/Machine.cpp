// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Machine.h"
#include <cstdlib>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace zcc {
Machine getHostMachine() {
  Machine machine;
  machine.cores = std::max(1u, std::thread::hardware_concurrency());
  machine.memoryBytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  machine.name = "CPU";
  // The processors are alike: the first one's block says it all.
  std::ifstream info("/proc/cpuinfo");
  double vectorFlops = 0, hertz = 0;
  for (std::string line; std::getline(info, line) && !line.empty();) {
    size_t colon = line.find(": ");
    if (colon == std::string::npos)
      continue;
    std::string value = line.substr(colon + 2);
    if (line.rfind("model name", 0) == 0)
      machine.name = value;
    else if (line.rfind("bogomips", 0) == 0) // twice the nominal clock: `cpu MHz` moves
      hertz = std::strtod(value.c_str(), nullptr) / 2 * 1e6;
    else if (line.rfind("flags", 0) == 0) // two vector units, two operations a lane
      vectorFlops = value.find("avx512f") != std::string::npos ? 64 : value.find("avx2") != std::string::npos ? 32 : 0;
  }
  machine.peakFlops = machine.cores * vectorFlops * hertz;
  machine.name += ", " + std::to_string(machine.cores) + (machine.cores == 1 ? " core" : " cores");
  return machine;
}
} // namespace zcc
