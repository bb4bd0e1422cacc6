// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who started this process: nobody, mpirun, Slurm, or something that sets the
// variables of torchrun.

#ifndef ZCC_RUNTIME_LAUNCH_ENVIRONMENT_H
#define ZCC_RUNTIME_LAUNCH_ENVIRONMENT_H

#include <functional>
#include <string>
#include <vector>

namespace zcc::rt {

enum class RankKind {
  Local, // threads of this process
  Mpi,   // processes that MPI knows
  Env    // processes that the environment names
};

struct LaunchEnvironment {
  RankKind kind = RankKind::Local;
  int rank = 0, size = 1; // Env only
  std::string address;    // of rank 0; Env only
  std::vector<int> ports; // where rank 0 may listen, in this order; Env only
};

using GetVariable = std::function<const char *(const char *name)>;

/// `wanted` is "local", "mpi", "env" or empty: found from the variables. Throws
/// bad input that names the variable that is missing or wrong.
LaunchEnvironment findEnvironment(const std::string &wanted,
                                  const GetVariable &get);

/// The first host of a Slurm list: "node[003-007,9],login" gives "node003".
std::string firstHost(const std::string &list);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_LAUNCH_ENVIRONMENT_H
