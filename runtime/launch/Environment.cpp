// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding the launcher by its variables.

#include "runtime/launch/Environment.h"

#include "runtime/core/Error.h"

#include <charconv>
#include <cstdlib>

namespace zcc::rt {

namespace {

/// The number of ports after the first that are tried: torchrun itself may
/// listen on the first.
constexpr int portChoices = 8;

class Variables {
public:
  /// `ranks` is for messages.
  Variables(const std::string &ranks, const GetVariable &get)
      : ranks(ranks), get(get) {}

  [[noreturn]] void isNotSet(const char *name) const {
    badInput("--ranks ", ranks, ": ", name, " is not set");
  }

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
      isNotSet(name);
    if (result.ec != std::errc() || result.ptr != end || number < low ||
        number > high)
      badInput(name, ": expected an integer from ", low, " to ", high,
               ", found ", value);
    return number;
  }

private:
  const std::string &ranks;
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
  found.size = variables.number("WORLD_SIZE", 1, mostRanks);
  found.rank = variables.number("RANK", 0, found.size - 1);
  found.address = variables.text("MASTER_ADDR");
  if (found.address.empty())
    variables.isNotSet("MASTER_ADDR");
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
  found.size = variables.number(slurmTasks(variables), 1, mostRanks);
  found.rank = variables.number("SLURM_PROCID", 0, found.size - 1);
  found.address = variables.text("MASTER_ADDR");
  for (const char *name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"})
    if (found.address.empty())
      found.address = firstHost(variables.text(name));
  if (found.address.empty())
    variables.isNotSet("SLURM_STEP_NODELIST");
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

bool isTorch(const Variables &variables) {
  return variables.has("RANK") && variables.has("WORLD_SIZE");
}

/// A batch script has most of Slurm's variables too; a step has its number.
bool isSlurmStep(const Variables &variables) {
  return variables.has("SLURM_PROCID") && variables.has("SLURM_STEP_ID") &&
         !variables.has("OMPI_COMM_WORLD_SIZE");
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

std::string findRanks(const GetVariable &get) {
  const std::string none;
  Variables variables(none, get);
  auto several = [&](const char *name) {
    return std::atoi(variables.text(name).c_str()) > 1;
  };
  bool slurmed = isSlurmStep(variables) && several(slurmTasks(variables));
  if (several("OMPI_COMM_WORLD_SIZE") ||
      (slurmed && variables.has("PMIX_RANK")))
    return "mpi";
  if ((isTorch(variables) && several("WORLD_SIZE")) || slurmed)
    return "env";
  if (several("PMI_SIZE"))
    return "mpi";
  return "local";
}

int findLocalRank(const GetVariable &get) {
  const std::string none;
  Variables variables(none, get);
  // Other variables may come from the environment that this launcher ran in.
  const char *name = variables.has("OMPI_COMM_WORLD_SIZE")
                         ? "OMPI_COMM_WORLD_LOCAL_RANK"
                     : isTorch(variables)     ? "LOCAL_RANK"
                     : isSlurmStep(variables) ? "SLURM_LOCALID"
                                              : "";
  return variables.has(name) ? variables.number(name, 0, mostRanks) : -1;
}

LaunchEnvironment readEnvironment(const std::string &ranks,
                                  const GetVariable &get) {
  Variables variables(ranks, get);
  return !isTorch(variables) && isSlurmStep(variables) ? slurm(variables)
                                                       : torchrun(variables);
}

} // namespace zcc::rt
