// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// zcc-solve: the solvers of zcc on problems in text (docs/solvers.md).
#include "Pipeline.h"
#include "Trace.h"
#include "planning/ChainSolver.h"
#include "planning/MemoryAlgorithms.h"
#include "planning/ShardingSolver.h"
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

using namespace zcc::planning;

namespace {
constexpr int infeasible = 1, badInput = 2;

int fail(const std::string &message) {
  fmt::print(stderr, "error: {}\n", message);
  return badInput;
}

bool read(const std::string &file, std::string &text) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    return false;
  text.assign(std::istreambuf_iterator<char>(in), {});
  return !in.bad();
}

// CLI11 reads numbers beyond 64 bits as the largest one.
std::string checkBytes(const std::string &text) {
  int64_t bytes = 0;
  const char *end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, bytes);
  return at == end && error == std::errc() && bytes >= 0
             ? ""
             : "expected a whole number of bytes from 0 to 2^63-1, found '" +
                   text + "'";
}

int solveMemory(const std::string &file, const std::string &text,
                int64_t capacity) {
  MemoryProblem problem;
  if (std::string error = parseMemoryProblem(text, problem); !error.empty())
    return fail(file + ": " + error);
  PlacementOptions options;
  options.target = capacity;
  MemoryPlacement placement = placeBuffers(problem, options);
  if (std::string error = verifyPlacement(problem, placement); !error.empty())
    return fail(file + ": the placement is wrong: " + error);
  fmt::print(stderr, "height {}\nlower bound {}\n", placement.height,
             lowerBound(problem));
  if (capacity >= 0 && placement.height > capacity) {
    fmt::print(stderr, "error: {}: no placement within {} bytes was found\n",
               file, capacity);
    return infeasible;
  }
  fmt::print("{}", printPlacement(problem, placement));
  return 0;
}

int solveChain(const std::string &file, const std::string &text,
               std::optional<int64_t> budget) {
  ChainProblem problem;
  if (std::string error = parseChainProblem(text, problem); !error.empty())
    return fail(file + ": " + error);
  ChainSolver solver(problem);
  if (!budget) {
    for (const ChainPoint &point : solver.frontier())
      fmt::print("budget {} extra {}\n", point.bytes, point.seconds);
    return 0;
  }
  std::optional<ChainSchedule> schedule = solver.solve(*budget);
  if (!schedule) {
    fmt::print(stderr,
               "error: {}: no schedule within {} bytes was found, the smallest "
               "budget that works is {}\n",
               file, *budget, solver.leastBudget());
    return infeasible;
  }
  if (std::string error = verifyChain(problem, *schedule, *budget);
      !error.empty())
    return fail(file + ": the schedule is wrong: " + error);
  fmt::print("{}", printChainSchedule(problem, *schedule));
  return 0;
}

int solveShardings(const std::string &file, const std::string &text,
                   const ShardingLimits &limits) {
  ShardingProblem problem;
  if (std::string error = parseShardingProblem(text, problem); !error.empty())
    return fail(file + ": " + error);
  std::optional<ShardingChoice> choice = solveSharding(problem, limits);
  if (!choice) {
    double least = leastMemory(problem);
    if (least > problem.capacity)
      fmt::print(stderr,
                 "error: {}: the strategies that hold least need {} bytes, the "
                 "capacity is {}\n",
                 file, least, problem.capacity);
    else
      fmt::print(stderr, "error: {}: no choice avoids what is forbidden{}\n",
                 file,
                 problem.capacity < forbidden ? " within the capacity" : "");
    return infeasible;
  }
  if (std::string error = verifySharding(problem, *choice); !error.empty())
    return fail(file + ": the choice is wrong: " + error);
  fmt::print("{}", printShardingChoice(problem, *choice));
  return 0;
}
} // namespace

int main(int argc, char **argv) {
  CLI::App app("zcc-solve: zcc's solvers on problems in text", "zcc-solve");
  app.require_subcommand(1);
  std::string file;
  int64_t capacity = -1;
  CLI::App *memory = app.add_subcommand(
      "memory", "places buffers in memory (minimalloc's CSV)");
  memory->add_option("FILE", file, "id,lower,upper,size")->required();
  const CLI::Validator bytes(checkBytes, "BYTES");
  memory->add_option("--capacity", capacity, "bytes that must do")
      ->check(bytes);
  std::optional<int64_t> budget;
  CLI::App *remat = app.add_subcommand(
      "remat", "what a chain keeps and what it runs again (JSON)");
  remat->add_option("FILE", file, "n, input_bytes, nodes")->required();
  remat
      ->add_option("--budget", budget,
                   "bytes that must do; without it, what each budget costs")
      ->check(bytes);
  PipelineCommand pipeline;
  pipeline.add(app);
  TraceCommand trace;
  trace.add(app);
  ShardingLimits limits;
  CLI::App *sharding = app.add_subcommand(
      "sharding", "chooses a strategy for every node (JSON)");
  sharding->add_option("FILE", file, "nodes, edges, capacity")->required();
  sharding
      ->add_option("--nodes", limits.nodes, "limit of branch and bound [2000]")
      ->check(CLI::PositiveNumber);
  sharding
      ->add_option("--gap", limits.gap,
                   "relative distance from the optimum that will do [0]")
      ->check(CLI::NonNegativeNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0)
      return app.exit(e);
    return fail(e.what());
  }
  if (pipeline.isAsked())
    return pipeline.run();
  if (trace.isAsked())
    return trace.run();
  std::string text;
  if (!read(file, text))
    return fail(file + ": cannot be read");
  if (*memory)
    return solveMemory(file, text, capacity);
  if (*remat)
    return solveChain(file, text, budget);
  return solveShardings(file, text, limits);
}
