// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/format/OwnFile.h"

#include <cstdint>
#include <cstdio>
#include <fstream>

namespace zcc::rt {

std::string fileOfCode(const void *address) {
  // A line is: FIRST-END access offset device inode   PATH
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    unsigned long first, end;
    int path = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %*s %*s %*s %n", &first, &end,
                    &path) < 2)
      continue;
    auto place = reinterpret_cast<uintptr_t>(address);
    if (place < first || place >= end)
      continue;
    return path > 0 && line.c_str()[path] == '/' ? line.substr(path) : "";
  }
  return "";
}

} // namespace zcc::rt
