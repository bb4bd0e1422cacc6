// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out who started this process: nobody, mpirun, Slurm, or something that
// sets the variables of torchrun.

#ifndef ZCC_RUNTIME_LAUNCH_ENVIRONMENT_H
#define ZCC_RUNTIME_LAUNCH_ENVIRONMENT_H

#include <functional>
#include <string>
#include <vector>

namespace zcc::rt {

/// A process among several, as torchrun's or Slurm's variables describe it.
struct LaunchEnvironment {
  int rank = 0, size = 1;
  std::string address;    // of rank 0
  std::vector<int> ports; // where rank 0 may listen, in this order
};

using GetVariable = std::function<const char *(const char *name)>;

/// Returns the transport that the launcher's variables call for, as --ranks
/// names it; "local" (threads of this process) without a launcher.
std::string findRanks(const GetVariable &get);

/// For a transport that does not find ranks by itself; `ranks` is its name.
/// Throws bad input that names the variable that is missing or wrong.
LaunchEnvironment readEnvironment(const std::string &ranks,
                                  const GetVariable &get);

/// Returns this process's number on its machine as the launcher counts, from
/// LOCAL_RANK, SLURM_LOCALID or OMPI_COMM_WORLD_LOCAL_RANK; -1 if none is set.
int findLocalRank(const GetVariable &get);

/// The first host of a Slurm list: "node[003-007,9],login" gives "node003".
std::string firstHost(const std::string &list);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_LAUNCH_ENVIRONMENT_H
