// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planning/ScheduleProblem.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace zcc::planning {
std::optional<StageTaskKind> findTaskKind(std::string_view name) {
  if (name == "forward")
    return StageTaskKind::Forward;
  if (name == "backward")
    return StageTaskKind::Backward;
  if (name == "weight_backward")
    return StageTaskKind::WeightBackward;
  return std::nullopt;
}

namespace {
std::string nameOf(const ScheduleProblem &problem, size_t index,
                   int64_t microbatch) {
  const StageTask &task = problem.tasks[index];
  std::string out =
      taskLetters[static_cast<int>(task.kind)] + std::to_string(microbatch);
  return task.chunk ? out + "." + std::to_string(task.chunk) : out;
}

std::string nameOf(const ScheduleProblem &problem, const StageAction &action) {
  std::string task = nameOf(problem, action.task, action.microbatch);
  if (action.kind == StageAction::Run)
    return task;
  std::string peer = std::to_string(action.peer);
  return action.kind == StageAction::Send ? task + ">" + peer
                                          : peer + ">" + task;
}
} // namespace

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
/// Plays the tables against each other.
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

  std::string run() {
    if (static_cast<int64_t>(tables.size()) != problem.stages)
      return "there are " + std::to_string(tables.size()) + " tables for " +
             std::to_string(problem.stages) + " stages";
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t stage = 0; stage < tables.size(); ++stage)
        for (bool waits = false; !waits && at[stage] < tables[stage].size();) {
          std::string wrong = step(static_cast<int64_t>(stage),
                                   tables[stage][at[stage]], waits);
          if (!wrong.empty())
            return "stage " + std::to_string(stage) + ": " + wrong;
          if (!waits) {
            ++at[stage];
            moved = true;
          }
        }
    }
    for (size_t stage = 0; stage < tables.size(); ++stage)
      if (at[stage] < tables[stage].size())
        return "stage " + std::to_string(stage) + ": " +
               nameOf(problem, tables[stage][at[stage]]) + " waits forever";
    for (size_t i = 0; i < problem.tasks.size(); ++i)
      if (next[i] != problem.microbatches)
        return "stage " + std::to_string(problem.tasks[i].stage) + ": " +
               nameOf(problem, i, next[i]) + " never runs";
    for (const auto &[key, received] : crossed)
      if (!received)
        return "stage " + std::to_string(std::get<0>(key)) +
               " never receives " +
               nameOf(problem, std::get<1>(key), std::get<2>(key));
    return {};
  }

private:
  std::string step(int64_t stage, const StageAction &action, bool &waits) {
    std::string name = nameOf(problem, action);
    const StageTask &task = problem.tasks[action.task];
    if (action.microbatch < 0 || action.microbatch >= problem.microbatches)
      return name + ": there are " + std::to_string(problem.microbatches) +
             " microbatches";
    if (action.kind == StageAction::Run)
      return run(stage, action, name);
    bool sends = action.kind == StageAction::Send;
    if (task.stage != (sends ? stage : action.peer) || action.peer == stage ||
        action.peer < 0 || action.peer >= problem.stages)
      return name + ": is between stages " + std::to_string(task.stage) +
             " and " + std::to_string(sends ? action.peer : stage);
    Crossing key{sends ? action.peer : stage, action.task, action.microbatch};
    if (!sends) {
      auto sent = crossed.find(key);
      if (sent != crossed.end() && sent->second)
        return name + " is received twice";
      waits = sent == crossed.end();
      if (!waits) {
        sent->second = true;
        --underWay[{stage, action.task}];
      }
      return {};
    }
    if (next[action.task] <= action.microbatch)
      return name + " is sent before it is made";
    if (crossed.count(key))
      return name + " is sent twice";
    int64_t &own = underWay[{action.peer, action.task}];
    waits = own >= buffers;
    if (!waits) {
      ++own;
      crossed.insert({key, false});
    }
    return {};
  }

  std::string run(int64_t stage, const StageAction &action,
                  const std::string &name) {
    const StageTask &task = problem.tasks[action.task];
    if (task.stage != stage)
      return name + " is of stage " + std::to_string(task.stage);
    if (next[action.task] != action.microbatch)
      return name + " runs, expected " +
             nameOf(problem, action.task, next[action.task]) +
             ": microbatches add in ascending order";
    for (size_t source : sources[action.task]) {
      std::string what = nameOf(problem, source, action.microbatch);
      if (problem.tasks[source].stage == stage) {
        if (next[source] <= action.microbatch)
          return name + " runs before " + what + ", which it reads";
        continue;
      }
      auto there = crossed.find({stage, source, action.microbatch});
      if (there == crossed.end() || !there->second)
        return name + " runs before " + what + " of stage " +
               std::to_string(problem.tasks[source].stage) +
               " is received, which it reads";
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
  // Sent: to which stage, what, of which microbatch; whether it was received.
  using Crossing = std::tuple<int64_t, size_t, int64_t>;
  std::map<Crossing, bool> crossed;
  std::map<std::pair<int64_t, size_t>, int64_t>
      underWay; // to which stage, what
};
} // namespace

std::string verifySchedule(const ScheduleProblem &problem,
                           const std::vector<ActionTable> &tables,
                           int64_t buffers) {
  return Player(problem, tables, buffers).run();
}

int64_t countBuffers(const ScheduleProblem &problem,
                     const std::vector<ActionTable> &tables) {
  int64_t buffers = 1;
  while (buffers < problem.microbatches &&
         !verifySchedule(problem, tables, buffers).empty())
    ++buffers;
  return buffers;
}

std::string printSchedule(const ScheduleProblem &problem,
                          const std::vector<ActionTable> &tables) {
  std::string out;
  for (const ActionTable &table : tables) {
    for (const StageAction &action : table)
      out += (&action == &table.front() ? "" : " ") + nameOf(problem, action);
    out += "\n";
  }
  return out;
}

namespace {
/// A number at the front of `text`, which is taken away.
bool takeNumber(std::string_view &text, int64_t &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0)
    return false;
  text.remove_prefix(end - text.data());
  return true;
}

bool parseAction(std::string_view text, int64_t stage,
                 const ScheduleProblem &problem, StageAction &action) {
  int64_t owner = stage, chunk = 0;
  action = {};
  if (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    action.kind = StageAction::Receive;
    if (!takeNumber(text, action.peer) || text.empty() || text.front() != '>')
      return false;
    text.remove_prefix(1);
    owner = action.peer;
  }
  const char *letter = text.empty() ? std::end(taskLetters)
                                    : std::find(std::begin(taskLetters),
                                                std::end(taskLetters), text[0]);
  if (letter == std::end(taskLetters))
    return false;
  text.remove_prefix(1);
  if (!takeNumber(text, action.microbatch))
    return false;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    if (!takeNumber(text, chunk))
      return false;
  }
  if (!text.empty() && text.front() == '>' && action.kind == StageAction::Run) {
    action.kind = StageAction::Send;
    text.remove_prefix(1);
    if (!takeNumber(text, action.peer))
      return false;
  }
  int64_t task = problem.find(
      owner, chunk,
      static_cast<StageTaskKind>(letter - std::begin(taskLetters)));
  action.task = static_cast<size_t>(task);
  return text.empty() && task >= 0;
}
} // namespace

std::string parseSchedule(std::string_view text, const ScheduleProblem &problem,
                          std::vector<ActionTable> &tables) {
  tables.clear();
  while (!text.empty()) {
    size_t newline = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(std::min(newline + 1, text.size()));
    auto stage = static_cast<int64_t>(tables.size());
    tables.emplace_back();
    while (true) {
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      if (line.empty())
        break;
      std::string_view word = line.substr(0, line.find(' '));
      StageAction action;
      if (!parseAction(word, stage, problem, action))
        return "line " + std::to_string(tables.size()) + ": '" +
               std::string(word) + "' is no action of stage " +
               std::to_string(stage);
      tables.back().push_back(action);
      line.remove_prefix(word.size());
    }
  }
  return {};
}

} // namespace zcc::planning
