// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planning/ScheduleGenerators.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace zcc::planning {

namespace {
/// The tasks of a stage that has one chunk; -1 where there is none.
struct OneChunk {
  int64_t forward, backward, weights;

  OneChunk(const ScheduleProblem &problem, int64_t stage)
      : forward(problem.find(stage, 0, StageTaskKind::Forward)),
        backward(problem.find(stage, 0, StageTaskKind::Backward)),
        weights(problem.find(stage, 0, StageTaskKind::WeightBackward)) {}

  static void run(std::vector<TaskRun> &out, int64_t task, int64_t microbatch) {
    if (task >= 0)
      out.push_back({static_cast<size_t>(task), microbatch});
  }
  void runForward(std::vector<TaskRun> &out, int64_t microbatch) const {
    run(out, forward, microbatch);
  }
  void runBackward(std::vector<TaskRun> &out, int64_t microbatch) const {
    run(out, backward, microbatch);
    run(out, weights, microbatch);
  }
};

/// Forward tasks of other stages that wait for this one, one after the other.
int64_t stagesBehind(const ScheduleProblem &problem, int64_t stage) {
  std::vector<int64_t> behind(problem.tasks.size(), 0);
  // Reads come in any order: as many rounds as the longest path has edges, and
  // a bound for reads in a circle, which no schedule has (the verifier says
  // so).
  for (int64_t round = 0; round < problem.stages; ++round) {
    bool changed = false;
    for (auto [from, to] : problem.reads) {
      const StageTask &a = problem.tasks[from], &b = problem.tasks[to];
      if (a.kind != StageTaskKind::Forward ||
          b.kind != StageTaskKind::Forward || behind[from] > behind[to])
        continue;
      behind[from] = behind[to] + 1;
      changed = true;
    }
    if (!changed)
      break;
  }
  int64_t task = problem.find(stage, 0, StageTaskKind::Forward);
  return task < 0 ? 0 : behind[task];
}

/// Each stage runs as many microbatches ahead as stages come after it, then one
/// forward, one backward (PipeDream-flush: Narayanan et al., Memory-Efficient
/// Pipeline-Parallel DNN Training, 2021): a stage holds residuals of no more
/// than that many microbatches and one. On one stage: one after the other.
TaskOrder orderOneForwardOneBackward(const ScheduleProblem &problem) {
  TaskOrder out(problem.stages);
  for (int64_t stage = 0; stage < problem.stages; ++stage) {
    OneChunk tasks(problem, stage);
    int64_t ahead =
        std::min(stagesBehind(problem, stage), problem.microbatches);
    for (int64_t m = 0; m < problem.microbatches + ahead; ++m) {
      if (m < problem.microbatches)
        tasks.runForward(out[stage], m);
      if (m >= ahead)
        tasks.runBackward(out[stage], m - ahead);
    }
  }
  return out;
}

/// All forward, then all backward (Huang et al., GPipe, 2019), the latter in
/// ascending order too, as gradients add.
TaskOrder orderForwardThenBackward(const ScheduleProblem &problem) {
  TaskOrder out(problem.stages);
  for (int64_t stage = 0; stage < problem.stages; ++stage) {
    OneChunk tasks(problem, stage);
    for (int64_t m = 0; m < problem.microbatches; ++m)
      tasks.runForward(out[stage], m);
    for (int64_t m = 0; m < problem.microbatches; ++m)
      tasks.runBackward(out[stage], m);
  }
  return out;
}

/// The tables of an order, with what crosses stages.
std::vector<ActionTable> addTransfers(const ScheduleProblem &problem,
                                      const TaskOrder &order) {
  size_t count = problem.tasks.size();
  std::vector<std::set<int64_t>> readers(count); // stages
  std::vector<std::set<size_t>> sources(count);  // of other stages
  for (auto [from, to] : problem.reads)
    if (problem.tasks[from].stage != problem.tasks[to].stage) {
      readers[from].insert(problem.tasks[to].stage);
      sources[to].insert(from);
    }
  std::vector<ActionTable> out(order.size());
  for (size_t stage = 0; stage < order.size(); ++stage) {
    std::set<std::pair<size_t, int64_t>> received;
    for (TaskRun run : order[stage]) {
      for (size_t source : sources[run.task])
        if (received.insert({source, run.microbatch}).second)
          out[stage].push_back({StageAction::Receive, source, run.microbatch,
                                problem.tasks[source].stage});
      out[stage].push_back({StageAction::Run, run.task, run.microbatch, -1});
      for (int64_t reader : readers[run.task])
        out[stage].push_back(
            {StageAction::Send, run.task, run.microbatch, reader});
    }
  }
  return out;
}

constexpr std::string_view withChunks = "interleaved:";
} // namespace

const std::vector<ScheduleGenerator> &getScheduleGenerators() {
  static const std::vector<ScheduleGenerator> all = {
      {"gpipe", "all forward, then all backward: all residuals at once",
       orderForwardThenBackward},
      {"1f1b", "one forward, one backward: few microbatches' residuals at once",
       orderOneForwardOneBackward},
      {"interleaved:V", "1f1b over V chunks a stage", nullptr},
      {"zb-h1", "zero bubble, memory as 1f1b", nullptr},
      {"zb-h2", "zero bubble, more memory", nullptr},
      {"zb-v", "zero bubble over two chunks a stage, there and back", nullptr},
  };
  return all;
}

std::string listSchedules(bool all) {
  std::string out = "auto";
  for (const ScheduleGenerator &generator : getScheduleGenerators())
    if (all || generator.order)
      out += "|" + std::string(generator.name);
  return out;
}

std::string findSchedule(std::string_view name,
                         const ScheduleGenerator *&found) {
  found = nullptr;
  bool chunked = name.substr(0, withChunks.size()) == withChunks;
  for (const ScheduleGenerator &generator : getScheduleGenerators()) {
    std::string_view own = generator.name;
    if (own == (name == "auto" ? defaultSchedule : name) ||
        (chunked && own.substr(0, withChunks.size()) == withChunks))
      found = &generator;
  }
  if (!found)
    return "expected one of " + listSchedules(true) + ", found '" +
           std::string(name) + "'";
  if (!chunked)
    return {};
  std::string_view digits = name.substr(withChunks.size());
  constexpr int64_t most = 1024;
  int64_t chunks = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), chunks);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      chunks < 2 || chunks > most)
    return "interleaved: expected 2 to " + std::to_string(most) +
           " chunks, found '" + std::string(digits) + "'";
  return {};
}

std::string makeSchedule(const ScheduleGenerator &generator,
                         const ScheduleProblem &problem,
                         std::vector<ActionTable> &tables) {
  std::string name = "schedule '" + std::string(generator.name) + "'";
  if (!generator.order)
    return name + " does not work yet (not yet)";
  for (int64_t stage = 0; stage < problem.stages; ++stage)
    if (int64_t chunks = problem.chunksOf(stage); chunks > 1)
      return name + " has one chunk a stage, stage " + std::to_string(stage) +
             " has " + std::to_string(chunks);
  tables = addTransfers(problem, generator.order(problem));
  std::string wrong = verifySchedule(problem, tables);
  return wrong.empty() ? "" : name + ": " + wrong;
}

} // namespace zcc::planning
