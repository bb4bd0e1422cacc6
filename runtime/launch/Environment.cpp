// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding the launcher by its variables.

#include "runtime/launch/Environment.h"

#include "runtime/core/Error.h"

#include <charconv>
#include <cstdlib>

namespace zcc::rt {

namespace {

/// How many ports after the first are tried: torchrun itself may listen there.
constexpr int portChoices = 8;

class Variables {
public:
  explicit Variables(const GetVariable &get) : get(get) {}

  std::string text(const char *name) const {
    const char *value = get(name);
    return value ? value : "";
  }
  bool has(const char *name) const { return !text(name).empty(); }
  int number(const char *name, int low, int high) const {
    std::string value = text(name);
    int number = 0;
    const char *end = value.data() + value.size();
    auto result = std::from_chars(value.data(), end, number);
    if (value.empty())
      badInput("--ranks env: ", name, " is not set");
    if (result.ec != std::errc() || result.ptr != end || number < low ||
        number > high)
      badInput(name, ": expected an integer from ", low, " to ", high,
               ", found ", value);
    return number;
  }

private:
  const GetVariable &get;
};

constexpr int mostRanks = 1 << 20;

void usePorts(LaunchEnvironment &found, int first, bool firstIsTaken) {
  for (int i = firstIsTaken ? 1 : 0; i < portChoices; ++i)
    if (first + i <= 65535)
      found.ports.push_back(first + i);
}

LaunchEnvironment torchrun(const Variables &variables) {
  LaunchEnvironment found;
  found.kind = RankKind::Env;
  found.size = variables.number("WORLD_SIZE", 1, mostRanks);
  found.rank = variables.number("RANK", 0, found.size - 1);
  found.address = variables.text("MASTER_ADDR");
  if (found.address.empty())
    badInput("--ranks env: MASTER_ADDR is not set");
  // torchrun's agent holds the port itself.
  usePorts(found, variables.number("MASTER_PORT", 1, 65535),
           variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True");
  return found;
}

const char *slurmTasks(const Variables &variables) {
  return variables.has("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS"
                                               : "SLURM_NTASKS";
}

LaunchEnvironment slurm(const Variables &variables) {
  LaunchEnvironment found;
  found.kind = RankKind::Env;
  found.size = variables.number(slurmTasks(variables), 1, mostRanks);
  found.rank = variables.number("SLURM_PROCID", 0, found.size - 1);
  found.address = variables.text("MASTER_ADDR");
  for (const char *name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"})
    if (found.address.empty())
      found.address = firstHost(variables.text(name));
  if (found.address.empty())
    badInput("--ranks env: SLURM_STEP_NODELIST is not set");
  // Steps of one job, and jobs on one node, should not meet.
  unsigned job = unsigned(variables.number("SLURM_JOB_ID", 0, INT32_MAX));
  unsigned step =
      variables.has("SLURM_STEP_ID")
          ? unsigned(variables.number("SLURM_STEP_ID", 0, INT32_MAX))
          : 0;
  int first = variables.has("MASTER_PORT")
                  ? variables.number("MASTER_PORT", 1, 65535)
                  : 20000 + int((job * 131 + step * 17) % 10000);
  usePorts(found, first, false);
  return found;
}

} // namespace

std::string firstHost(const std::string &list) {
  size_t end = list.find_first_of(",[");
  std::string host = list.substr(0, end);
  if (end == std::string::npos || list[end] == ',')
    return host;
  size_t stop = list.find_first_of(",-]", end + 1);
  host += list.substr(end + 1, stop - end - 1);
  size_t close = list.find(']', end);
  if (close != std::string::npos)
    host += list.substr(close + 1, list.find(',', close) - close - 1);
  return host;
}

LaunchEnvironment findEnvironment(const std::string &wanted,
                                  const GetVariable &get) {
  Variables variables(get);
  bool torch = variables.has("RANK") && variables.has("WORLD_SIZE");
  // A batch script has most of Slurm's variables too; a step has its number.
  bool step = variables.has("SLURM_PROCID") && variables.has("SLURM_STEP_ID") &&
              !variables.has("OMPI_COMM_WORLD_SIZE");
  std::string kind = wanted;
  if (kind.empty()) {
    auto several = [&](const char *name) {
      return std::atoi(variables.text(name).c_str()) > 1;
    };
    bool slurmed = step && several(slurmTasks(variables));
    if (several("OMPI_COMM_WORLD_SIZE") ||
        (slurmed && variables.has("PMIX_RANK")))
      kind = "mpi";
    else if ((torch && several("WORLD_SIZE")) || slurmed)
      kind = "env";
    else if (several("PMI_SIZE"))
      kind = "mpi";
    else
      kind = "local";
  }
  if (kind == "env")
    return !torch && step ? slurm(variables) : torchrun(variables);
  LaunchEnvironment found;
  if (kind == "mpi")
    found.kind = RankKind::Mpi;
  else if (kind != "local")
    badInput("--ranks: expected local, mpi or env, found ", kind);
  return found;
}

} // namespace zcc::rt
