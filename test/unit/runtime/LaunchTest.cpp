// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding the launcher by its variables, and sharing out cores.

#include "Files.h"
#include "runtime/core/Error.h"
#include "runtime/launch/Cores.h"
#include "runtime/launch/Environment.h"
#include "runtime/launch/Watchdog.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

using Variables = std::map<std::string, std::string>;

GetVariable from(const Variables &variables) {
  return [&](const char *name) {
    auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  };
}

std::string find(const Variables &variables) {
  return findRanks(from(variables));
}

LaunchEnvironment read(const Variables &variables) {
  return readEnvironment("env", from(variables));
}

const Variables torch = {{"RANK", "3"},
                         {"WORLD_SIZE", "4"},
                         {"MASTER_ADDR", "node1"},
                         {"MASTER_PORT", "29500"}};
const Variables slurm = {{"SLURM_PROCID", "5"},
                         {"SLURM_STEP_ID", "0"},
                         {"SLURM_NTASKS", "16"},
                         {"SLURM_JOB_ID", "77"},
                         {"SLURM_STEP_NODELIST", "gpu[07-08,11]"}};

TEST(EnvironmentTest, NothingMeansLocal) {
  EXPECT_EQ(find({}), "local");
  EXPECT_EQ(find({{"OMPI_COMM_WORLD_SIZE", "1"}}), "local");
  // A batch script is no step.
  Variables script = slurm;
  script.erase("SLURM_STEP_ID");
  EXPECT_EQ(find(script), "local");
}

TEST(EnvironmentTest, LaunchersAreFound) {
  EXPECT_EQ(find({{"OMPI_COMM_WORLD_SIZE", "4"}}), "mpi");
  EXPECT_EQ(find({{"PMI_SIZE", "4"}}), "mpi");
  EXPECT_EQ(find(torch), "env");
  LaunchEnvironment found = read(torch);
  EXPECT_EQ(found.rank, 3);
  EXPECT_EQ(found.size, 4);
  EXPECT_EQ(found.address, "node1");
  EXPECT_EQ(found.ports.front(), 29500);
  // torchrun's own store holds the port.
  Variables held = torch;
  held["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  EXPECT_EQ(read(held).ports.front(), 29501);
}

TEST(EnvironmentTest, LaunchersCountOnAMachine) {
  auto local = [](std::map<std::string, std::string> variables) {
    return findLocalRank(from(variables));
  };
  EXPECT_EQ(local({}), -1);
  EXPECT_EQ(local(torch), -1);
  // The variables of a Slurm job do not count if another launcher started this
  // process.
  Variables own = torch;
  own.insert({{"LOCAL_RANK", "3"}, {"SLURM_LOCALID", "0"}});
  EXPECT_EQ(local(own), 3);
  own = slurm;
  own["SLURM_LOCALID"] = "1";
  EXPECT_EQ(local(own), 1);
  own["OMPI_COMM_WORLD_SIZE"] = "16";
  own["OMPI_COMM_WORLD_LOCAL_RANK"] = "2";
  EXPECT_EQ(local(own), 2);
  own = torch;
  own["LOCAL_RANK"] = "x";
  try {
    local(own);
    ADD_FAILURE() << "no error";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(),
                 "LOCAL_RANK: expected an integer from 0 to 1048576, found x");
  }
}

TEST(EnvironmentTest, SlurmNamesTheFirstHost) {
  EXPECT_EQ(find(slurm), "env");
  LaunchEnvironment found = read(slurm);
  EXPECT_EQ(found.rank, 5);
  EXPECT_EQ(found.size, 16);
  EXPECT_EQ(found.address, "gpu07");
  Variables pmix = slurm;
  pmix["PMIX_RANK"] = "5";
  EXPECT_EQ(find(pmix), "mpi");
  EXPECT_EQ(firstHost("a1,b[2-3]"), "a1");
  EXPECT_EQ(firstHost("node[003-007,9],login"), "node003");
  EXPECT_EQ(firstHost("n[5]-ib,m"), "n5-ib");
}

TEST(EnvironmentTest, WhatIsMissingOrWrongIsNamed) {
  for (auto [name, value] :
       {std::pair<const char *, const char *>{"MASTER_ADDR", ""},
        {"MASTER_PORT", ""},
        {"MASTER_PORT", "x"},
        {"RANK", "4"},
        {"WORLD_SIZE", "-2"}}) {
    Variables wrong = torch;
    wrong[name] = value;
    try {
      read(wrong);
      ADD_FAILURE() << name << "=" << value;
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::BadInput);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos)
          << error.what();
    }
  }
}

TEST(CoresTest, SharesAreNeighboursInOneNode) {
  EXPECT_EQ(parseCoreList("0-3,8\n"), (CoreSet{0, 1, 2, 3, 8}));
  EXPECT_EQ(parseCoreList(""), CoreSet());
  std::vector<CoreSet> nodes = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  EXPECT_EQ(shareOfCores(nodes, 1, 2), (CoreSet{4, 5, 6, 7}));
  EXPECT_EQ(shareOfCores(nodes, 2, 4), (CoreSet{4, 5}));
  EXPECT_EQ(shareOfCores(nodes, 2, 3), (CoreSet{4, 5}));
  EXPECT_EQ(shareOfCores(nodes, 0, 1).size(), 8u);
  EXPECT_TRUE(shareOfCores(nodes, 3, 9).empty());
  // Nodes of different sizes.
  nodes = {{0, 1, 2}, {3, 4, 5, 6, 7}};
  EXPECT_EQ(shareOfCores(nodes, 0, 2), (CoreSet{0, 1, 2}));
}

TEST(CoresTest, SharesAreNearDevices) {
  std::vector<CoreSet> nodes = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  // Devices 0 and 3 are at the second node, 1 and 2 at the first.
  std::vector<int> near = {1, 0, 0, 1};
  EXPECT_EQ(shareOfCores(nodes, near, 0, true), (CoreSet{4, 5}));
  EXPECT_EQ(shareOfCores(nodes, near, 1, true), (CoreSet{0, 1}));
  EXPECT_EQ(shareOfCores(nodes, near, 2, true), (CoreSet{2, 3}));
  EXPECT_EQ(shareOfCores(nodes, near, 3, true), (CoreSet{6, 7}));
  EXPECT_EQ(shareOfCores(nodes, std::vector<int>{0}, 0, true), nodes[0]);
  // One whose node is unknown is at its place in the order of ranks; what the
  // other allocates is at its device all the same.
  std::vector<int> halfKnown = {1, -1};
  EXPECT_EQ(shareOfCores(nodes, halfKnown, 0, true), nodes[1]);
  EXPECT_EQ(shareOfCores(nodes, halfKnown, 1, true), nodes[1]);
  // So are those of too many.
  std::vector<int> crowded(5, 1);
  EXPECT_EQ(shareOfCores(nodes, crowded, 1, true), nodes[1]);
  EXPECT_EQ(shareOfCores(nodes, near, 1, /*enough=*/false), nodes[0]);
  EXPECT_TRUE(shareOfCores(nodes, halfKnown, 1, /*enough=*/false).empty());
}

TEST(CoresTest, NodesAndSiblingsComeFromTheSystem) {
  TemporaryFolder folder;
  auto write = [&](const std::string &path, const std::string &content) {
    std::filesystem::path whole = std::string(folder / path);
    std::filesystem::create_directories(whole.parent_path());
    writeFile(whole, content);
  };
  write("node/online", "0-1\n");
  write("node/node0/cpulist", "0-1,4-5\n");
  write("node/node1/cpulist", "2-3,6-7\n");
  for (int core = 0; core < 8; ++core)
    write("cpu/cpu" + std::to_string(core) + "/topology/thread_siblings_list",
          std::to_string(core % 4) + "," + std::to_string(core % 4 + 4));
  std::vector<CoreSet> nodes = coresByNode({0, 1, 2, 3, 4, 5, 7}, folder / "");
  EXPECT_EQ(nodes, (std::vector<CoreSet>{{0, 4, 1, 5}, {2, 3, 7}}));
  // A system that does not say.
  EXPECT_EQ(coresByNode({2, 5}, folder / "nothing"),
            (std::vector<CoreSet>{{2, 5}}));
}

TEST(WatchdogTest, AWaitNamesStepsAndRanks) {
  RankState waiter, slow, silent;
  waiter = {0, "a", "b", {1, 2}, 8.5, 0};
  slow = {1, "a", "c", {}, 8.5, 0};
  silent.rank = 2;
  silent.silent = 9;
  EXPECT_EQ(describeWait(waiter, {slow, silent}),
            "rank 0 has waited for 8 s: last step done \"a\", pending \"b\", "
            "waits for ranks 1, 2; rank 1 has been in \"c\" for 8 s; rank 2 "
            "has not been heard from for 9 s (stopped, or cut off)");
}

TEST(WatchdogTest, AWaitNamesStages) {
  RankState waiter{0, "a", "b, from stage 1", {1}, 8.5, 0, 0};
  RankState slow{1, "a", "c", {}, 8.5, 0, 1};
  EXPECT_EQ(
      describeWait(waiter, {slow}),
      "rank 0 (stage 0) has waited for 8 s: last step done \"a\", pending "
      "\"b, from stage 1\", waits for rank 1; rank 1 (stage 1) has been "
      "in \"c\" for 8 s");
  EXPECT_EQ(describePlace(slow),
            "rank 1 (stage 1): last step done \"a\", pending \"c\"");
}

} // namespace
