// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which cores a rank runs on. The cores of a machine are shared out among its
// ranks in the order of NUMA nodes, so that a rank's threads and the memory
// that they touch first lie in one node where they can.

#ifndef ZCC_RUNTIME_LAUNCH_CORES_H
#define ZCC_RUNTIME_LAUNCH_CORES_H

#include <cstdint>
#include <string>
#include <vector>

namespace zcc::rt {

/// Numbers of processors as the system counts them.
using CoreSet = std::vector<int>;

/// "0-3,8" as /sys writes it.
CoreSet parseCoreList(const std::string &text);

/// The processors that this thread may run on.
CoreSet allowedCores();

/// The NUMA nodes of `allowed`, each with its own part of it; cores that share
/// a physical core are neighbours. `sys` is where the system describes itself.
std::vector<CoreSet>
coresByNode(const CoreSet &allowed,
            const std::string &sys = "/sys/devices/system");

/// The share of rank `index` of `ranks` on a machine: equal numbers of
/// neighbours, no core twice. Empty if there are fewer cores than ranks: then
/// nobody is bound, and the system moves them about.
CoreSet shareOfCores(const std::vector<CoreSet> &nodes, int index, int ranks);

/// The same where a rank's device is near the cores of a node: `near` has the
/// place of that node in `nodes` by rank, -1 where nobody knows. The ranks of a
/// node share out its cores, if all are known and there are enough: elsewhere
/// each has all of them. `enough`: whether all ranks' threads have a core of
/// their own; a rank that has none, nor a node, is not bound: empty.
CoreSet shareOfCores(const std::vector<CoreSet> &nodes,
                     const std::vector<int> &near, int index, bool enough);

/// The place in `nodes` of the system's node of that number; -1: none.
int placeOfNode(const std::vector<CoreSet> &nodes, int number,
                const std::string &sys = "/sys/devices/system");

/// Binds the calling thread, and those that it starts later. An empty set does
/// nothing.
void bindThread(const CoreSet &cores);

/// Memory and swap of this machine; 0: unknown.
uint64_t machineMemoryBytes();

} // namespace zcc::rt

#endif // ZCC_RUNTIME_LAUNCH_CORES_H
