// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the cores that a rank runs on. The cores of a machine are shared out
// among its ranks in the order of NUMA nodes, so that a rank's threads and the
// memory that they touch first lie in one node if possible.

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

/// The same if a rank's device is near the cores of a node. `near` has, by
/// rank, the index of that node in `nodes`, or -1 if it is unknown. If all are
/// known and there are enough cores, the ranks of a node share out its cores;
/// otherwise each of them gets all cores of the node. `enough` is true if the
/// threads of all ranks have a core each. A rank that has neither cores nor a
/// node is not bound: the result is empty.
CoreSet shareOfCores(const std::vector<CoreSet> &nodes,
                     const std::vector<int> &near, int index, bool enough);

/// Returns the index in `nodes` of the node that the system numbers so; -1:
/// none.
int placeOfNode(const std::vector<CoreSet> &nodes, int number,
                const std::string &sys = "/sys/devices/system");

/// Binds the calling thread, and those that it starts later. An empty set does
/// nothing.
void bindThread(const CoreSet &cores);

/// Bytes of memory and swap of this machine; 0: unknown.
uint64_t machineMemoryBytes();

} // namespace zcc::rt

#endif // ZCC_RUNTIME_LAUNCH_CORES_H
