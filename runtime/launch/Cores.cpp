// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cores from the system's own description: sched_getaffinity and /sys say all
// that is needed, so that no library has to.

#include "runtime/launch/Cores.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <sys/sysinfo.h>
#include <utility>

namespace zcc::rt {

namespace {
constexpr int mostCores = 8192;

std::string firstLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}
} // namespace

CoreSet parseCoreList(const std::string &text) {
  CoreSet cores;
  for (const char *at = text.c_str(); *at;) {
    char *end;
    long first = std::strtol(at, &end, 10), last = first;
    if (end == at)
      break;
    if (*end == '-')
      last = std::strtol(end + 1, &end, 10);
    for (long core = first; core <= last && core < mostCores; ++core)
      cores.push_back(int(core));
    at = *end == ',' ? end + 1 : end;
    if (*end != ',')
      break;
  }
  return cores;
}

CoreSet allowedCores() {
  CoreSet cores;
  cpu_set_t *set = CPU_ALLOC(mostCores);
  size_t bytes = CPU_ALLOC_SIZE(mostCores);
  CPU_ZERO_S(bytes, set);
  if (sched_getaffinity(0, bytes, set) == 0)
    for (int core = 0; core < mostCores; ++core)
      if (CPU_ISSET_S(core, bytes, set))
        cores.push_back(core);
  CPU_FREE(set);
  return cores;
}

std::vector<CoreSet> coresByNode(const CoreSet &allowed,
                                 const std::string &sys) {
  std::vector<CoreSet> nodes;
  CoreSet rest = allowed;
  for (int node : parseCoreList(firstLine(sys + "/node/online"))) {
    CoreSet mine;
    for (int core : parseCoreList(
             firstLine(sys + "/node/node" + std::to_string(node) + "/cpulist")))
      if (auto at = std::find(rest.begin(), rest.end(), core);
          at != rest.end()) {
        mine.push_back(core);
        rest.erase(at);
      }
    if (!mine.empty())
      nodes.push_back(mine);
  }
  if (!rest.empty()) // the system does not say
    nodes.push_back(rest);
  // Puts threads of one physical core beside each other.
  for (CoreSet &node : nodes) {
    std::vector<std::pair<int, int>> keyed;
    for (int core : node) {
      std::string topology =
          sys + "/cpu/cpu" + std::to_string(core) + "/topology";
      CoreSet siblings =
          parseCoreList(firstLine(topology + "/thread_siblings_list"));
      keyed.emplace_back(siblings.empty() ? core : siblings[0], core);
    }
    std::sort(keyed.begin(), keyed.end());
    for (size_t i = 0; i < node.size(); ++i)
      node[i] = keyed[i].second;
  }
  return nodes;
}

CoreSet shareOfCores(const std::vector<CoreSet> &nodes, int index, int ranks) {
  CoreSet all;
  for (const CoreSet &node : nodes)
    all.insert(all.end(), node.begin(), node.end());
  size_t each = all.size() / size_t(ranks);
  // Shares out whole nodes if that comes out even, so that no share straddles.
  size_t count = nodes.size();
  if (count > 1 && size_t(ranks) % count == 0) {
    size_t perNode = size_t(ranks) / count;
    const CoreSet &node = nodes[size_t(index) / perNode];
    size_t share = node.size() / perNode;
    auto begin = node.begin() + long(size_t(index) % perNode * share);
    return {begin, begin + long(share)};
  }
  auto begin = all.begin() + long(size_t(index) * each);
  return {begin, begin + long(each)};
}

CoreSet shareOfCores(const std::vector<CoreSet> &nodes,
                     const std::vector<int> &near, int index, bool enough) {
  std::vector<size_t> sharing(nodes.size()); // ranks, by node
  size_t before = 0;                         // of the rank's node
  bool known = true;
  for (int rank = 0; rank < int(near.size()); ++rank) {
    int node = near[size_t(rank)];
    known &= node >= 0;
    if (node < 0)
      continue;
    ++sharing[size_t(node)];
    if (rank < index && node == near[size_t(index)])
      ++before;
  }
  if (near[size_t(index)] < 0)
    return enough ? shareOfCores(nodes, index, int(near.size())) : CoreSet();
  auto own = size_t(near[size_t(index)]);
  size_t each = nodes[own].size() / sharing[own];
  if (!enough || !known || each == 0)
    return nodes[own];
  auto begin = nodes[own].begin() + long(before * each);
  return {begin, begin + long(each)};
}

int placeOfNode(const std::vector<CoreSet> &nodes, int number,
                const std::string &sys) {
  CoreSet cores = parseCoreList(
      firstLine(sys + "/node/node" + std::to_string(number) + "/cpulist"));
  for (size_t i = 0; i < nodes.size() && number >= 0; ++i)
    if (std::find(cores.begin(), cores.end(), nodes[i].front()) != cores.end())
      return int(i);
  return -1;
}

void bindThread(const CoreSet &cores) {
  if (cores.empty())
    return;
  cpu_set_t *set = CPU_ALLOC(mostCores);
  size_t bytes = CPU_ALLOC_SIZE(mostCores);
  CPU_ZERO_S(bytes, set);
  for (int core : cores)
    CPU_SET_S(core, bytes, set);
  // Not being bound costs time, not correctness.
  (void)sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
}

uint64_t machineMemoryBytes() {
  struct sysinfo system;
  if (sysinfo(&system) != 0)
    return 0;
  return (uint64_t(system.totalram) + system.totalswap) * system.mem_unit;
}

} // namespace zcc::rt
