// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ScheduleProblem.h"
#include "planning/ActionText.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace zcc::planning {
std::optional<StageTaskKind> findTaskKind(std::string_view name) {
  static constexpr std::string_view names[] = {"forward", "backward",
                                               "weight_backward"};
  const auto *at = std::find(std::begin(names), std::end(names), name);
  return at == std::end(names)
             ? std::nullopt
             : std::optional(static_cast<StageTaskKind>(at - names));
}

int64_t ScheduleProblem::chunksOf(int64_t stage) const {
  int64_t chunks = 0;
  for (const StageTask &task : tasks)
    if (task.stage == stage)
      chunks = std::max(chunks, task.chunk + 1);
  return chunks;
}

int64_t ScheduleProblem::find(int64_t stage, int64_t chunk,
                              StageTaskKind kind) const {
  for (size_t i = 0; i < tasks.size(); ++i)
    if (tasks[i].stage == stage && tasks[i].chunk == chunk &&
        tasks[i].kind == kind)
      return static_cast<int64_t>(i);
  return -1;
}

ScheduleProblem makeChain(int64_t stages, int64_t chunks, int64_t microbatches,
                          bool trains, bool splits, bool goesBack) {
  ScheduleProblem out;
  out.stages = stages;
  out.microbatches = microbatches;
  auto add = [&](int64_t chunk, int64_t stage, StageTaskKind kind) {
    out.tasks.push_back({stage, chunk, kind});
    return out.tasks.size() - 1;
  };
  std::vector<size_t> forward;
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    for (int64_t i = 0; i < stages; ++i) {
      int64_t stage = goesBack && chunk % 2 ? stages - 1 - i : i;
      size_t own = add(chunk, stage, StageTaskKind::Forward);
      if (!forward.empty())
        out.reads.emplace_back(forward.back(), own);
      forward.push_back(own);
    }
  if (!trains)
    return out;
  int64_t last = -1;
  for (size_t i = forward.size(); i-- > 0;) {
    StageTask place = out.tasks[forward[i]];
    size_t own = add(place.chunk, place.stage, StageTaskKind::Backward);
    out.reads.emplace_back(forward[i], own);
    if (last >= 0)
      out.reads.emplace_back(last, own);
    if (splits) {
      size_t weights =
          add(place.chunk, place.stage, StageTaskKind::WeightBackward);
      out.reads.emplace_back(forward[i], weights);
      out.reads.emplace_back(own, weights);
    }
    last = static_cast<int64_t>(own);
  }
  return out;
}

namespace {
/// Runs the tables against each other.
class Player {
public:
  Player(const ScheduleProblem &problem, const std::vector<ActionTable> &tables,
         int64_t buffers)
      : problem(problem), tables(tables), buffers(buffers),
        sources(problem.tasks.size()), next(problem.tasks.size(), 0),
        at(tables.size(), 0) {
    for (auto [from, to] : problem.reads)
      sources[to].push_back(from);
  }

  std::optional<ActionFault> run() {
    if (static_cast<int64_t>(tables.size()) != problem.stages)
      return ActionFault{-1, 0,
                         "expected a table for each of " +
                             std::to_string(problem.stages) +
                             " stages, found " + std::to_string(tables.size())};
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t stage = 0; stage < tables.size(); ++stage)
        for (bool waits = false; !waits && at[stage] < tables[stage].size();) {
          std::string wrong = step(static_cast<int64_t>(stage),
                                   tables[stage][at[stage]], waits);
          if (!wrong.empty())
            return faultAt(stage, std::move(wrong));
          if (!waits) {
            ++at[stage];
            moved = true;
          }
        }
    }
    for (size_t stage = 0; stage < tables.size(); ++stage)
      if (at[stage] < tables[stage].size())
        return faultAt(stage, printAction(problem, tables[stage][at[stage]]) +
                                  " waits forever");
    for (size_t i = 0; i < problem.tasks.size(); ++i)
      if (next[i] != problem.microbatches)
        return ActionFault{problem.tasks[i].stage, 0,
                           "expected " + printTask(problem, i, next[i]) +
                               ", which never runs"};
    for (const auto &[key, received] : crossed)
      if (!received) {
        auto [stage, task, microbatch] = key;
        return ActionFault{
            stage, 0,
            "expected " +
                printAction(problem, {StageAction::Receive, task, microbatch,
                                      problem.tasks[task].stage}) +
                ": what is sent is never received"};
      }
    return std::nullopt;
  }

private:
  ActionFault faultAt(size_t stage, std::string message) const {
    return {static_cast<int64_t>(stage), static_cast<int64_t>(at[stage]) + 1,
            std::move(message)};
  }

  /// Returns true if a task of the stage reads what the task makes.
  bool isRead(size_t task, int64_t stage) const {
    return std::any_of(problem.reads.begin(), problem.reads.end(),
                       [&](const std::pair<size_t, size_t> &read) {
                         return read.first == task &&
                                problem.tasks[read.second].stage == stage;
                       });
  }

  std::string step(int64_t stage, const StageAction &action, bool &waits) {
    // The name is made only for a fault.
    auto name = [&] { return printAction(problem, action); };
    const StageTask &task = problem.tasks[action.task];
    if (action.microbatch < 0 || action.microbatch >= problem.microbatches)
      return "expected a microbatch below " +
             std::to_string(problem.microbatches) + ", found " + name();
    if (action.kind == StageAction::Run)
      return run(stage, action);
    bool sends = action.kind == StageAction::Send;
    if (task.stage != (sends ? stage : action.peer) || action.peer == stage ||
        action.peer < 0 || action.peer >= problem.stages)
      return name() + ": is between stages " + std::to_string(task.stage) +
             " and " + std::to_string(sends ? action.peer : stage);
    int64_t reader = sends ? action.peer : stage;
    if (!isRead(action.task, reader))
      return name() + ": no task of stage " + std::to_string(reader) +
             " reads what it " + (sends ? "sends" : "receives");
    Crossing key{reader, action.task, action.microbatch};
    if (!sends) {
      auto sent = crossed.find(key);
      if (sent != crossed.end() && sent->second)
        return "expected " + name() + " once, found it received twice";
      waits = sent == crossed.end();
      if (!waits) {
        sent->second = true;
        --underWay[{stage, action.task}];
      }
      return {};
    }
    if (next[action.task] <= action.microbatch)
      return "expected " + printTask(problem, action.task, action.microbatch) +
             " before it is sent, found " + name();
    if (crossed.count(key))
      return "expected " + name() + " once, found it sent twice";
    int64_t &own = underWay[{action.peer, action.task}];
    waits = own >= buffers;
    if (!waits) {
      ++own;
      crossed.insert({key, false});
    }
    return {};
  }

  std::string run(int64_t stage, const StageAction &action) {
    auto name = [&] { return printAction(problem, action); };
    const StageTask &task = problem.tasks[action.task];
    if (task.stage != stage)
      return "expected a task of stage " + std::to_string(stage) + ", found " +
             name() + " of stage " + std::to_string(task.stage);
    if (next[action.task] != action.microbatch)
      return (next[action.task] < problem.microbatches
                  ? "expected " +
                        printTask(problem, action.task, next[action.task])
                  : "expected no more of this task") +
             ", found " + name() + ": microbatches add in ascending order";
    for (size_t source : sources[action.task]) {
      if (problem.tasks[source].stage == stage) {
        if (next[source] <= action.microbatch)
          return "expected " + printTask(problem, source, action.microbatch) +
                 ", which it reads, before " + name() + ", found it after";
        continue;
      }
      auto there = crossed.find({stage, source, action.microbatch});
      if (there == crossed.end() || !there->second)
        return "expected " +
               printAction(problem,
                           {StageAction::Receive, source, action.microbatch,
                            problem.tasks[source].stage}) +
               ", which it reads, before " + name() + ", found none";
    }
    ++next[action.task];
    return {};
  }

  const ScheduleProblem &problem;
  const std::vector<ActionTable> &tables;
  const int64_t buffers;
  std::vector<std::vector<size_t>> sources; // by reader
  std::vector<int64_t> next;                // microbatch, by task
  std::vector<size_t> at;                   // by stage
  // The transfers that were sent, by receiving stage, task and microbatch, and
  // whether they were received.
  using Crossing = std::tuple<int64_t, size_t, int64_t>;
  std::map<Crossing, bool> crossed;
  std::map<std::pair<int64_t, size_t>, int64_t>
      underWay; // by receiving stage and task
};
} // namespace

std::string ActionFault::print() const {
  std::string out;
  if (stage >= 0)
    out = "stage " + std::to_string(stage);
  if (position > 0)
    out += ", action " + std::to_string(position);
  return out.empty() ? message : out + ": " + message;
}

std::optional<ActionFault> findFault(const ScheduleProblem &problem,
                                     const std::vector<ActionTable> &tables,
                                     int64_t buffers) {
  return Player(problem, tables, buffers).run();
}

std::string verifySchedule(const ScheduleProblem &problem,
                           const std::vector<ActionTable> &tables,
                           int64_t buffers) {
  std::optional<ActionFault> fault = findFault(problem, tables, buffers);
  return fault ? fault->print() : "";
}

int64_t countHeld(const ActionTable &table, size_t first, size_t second) {
  int64_t held = 0, most = 0;
  for (const StageAction &action : table) {
    if (action.kind != StageAction::Run)
      continue;
    if (action.task == first)
      most = std::max(most, ++held);
    else if (action.task == second)
      --held;
  }
  return most;
}

int64_t countBuffers(const ScheduleProblem &problem,
                     const std::vector<ActionTable> &tables) {
  int64_t buffers = 1;
  while (buffers < problem.microbatches && findFault(problem, tables, buffers))
    ++buffers;
  return buffers;
}

} // namespace zcc::planning
