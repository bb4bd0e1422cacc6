// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ScheduleGenerators.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace zcc::planning {

namespace {
/// The tasks of a stage that has one chunk; -1 for a task that does not exist.
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

/// Returns the length of the longest chain of forward tasks of chunk 0 on other
/// stages that wait for this stage.
int64_t stagesBehind(const ScheduleProblem &problem, int64_t stage) {
  std::vector<int64_t> behind(problem.tasks.size(), 0);
  // Reads come in any order, so the loop takes as many rounds as the longest
  // path has edges. The number of rounds is bounded because of cyclic reads,
  // which the verifier rejects later.
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
/// Pipeline-Parallel DNN Training, 2021): a stage holds the residuals of at
/// most one more microbatch than that. A single stage alternates forward and
/// backward.
TaskOrder orderOneForwardOneBackward(const ScheduleProblem &problem,
                                     int64_t /*group*/) {
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

/// All forward tasks run first, then all backward tasks (Huang et al., GPipe,
/// 2019), these also in ascending order, because gradients are accumulated.
TaskOrder orderForwardThenBackward(const ScheduleProblem &problem,
                                   int64_t /*group*/) {
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

/// Runs `ahead` microbatches forward, then one backward and one forward in
/// turn; the weights' gradients of a microbatch come `later` backward tasks
/// after.
std::vector<TaskRun> orderDelayed(const ScheduleProblem &problem, int64_t stage,
                                  int64_t ahead, int64_t later) {
  std::vector<TaskRun> out;
  OneChunk tasks(problem, stage);
  int64_t forward = 0, weights = 0;
  auto runForward = [&] {
    if (forward < problem.microbatches)
      tasks.runForward(out, forward++);
  };
  for (int64_t i = 0; i < ahead; ++i)
    runForward();
  for (int64_t m = 0; m < problem.microbatches; ++m) {
    OneChunk::run(out, tasks.backward, m);
    if (m >= later)
      OneChunk::run(out, tasks.weights, weights++);
    runForward();
  }
  while (weights < problem.microbatches)
    OneChunk::run(out, tasks.weights, weights++);
  return out;
}

/// The number of stages before and behind each stage on the longest path
/// through it.
struct Depths {
  std::vector<int64_t> before, behind;

  explicit Depths(const ScheduleProblem &problem) {
    for (int64_t stage = 0; stage < problem.stages; ++stage)
      behind.push_back(stagesBehind(problem, stage));
    int64_t most = *std::max_element(behind.begin(), behind.end());
    for (int64_t own : behind)
      before.push_back(most - own);
  }
};

/// As many microbatches are in flight as under 1f1b. Deferred weights'
/// gradients fill the bubble at the end (Qi et al., Zero Bubble Pipeline
/// Parallelism, 2024, section 2.1).
TaskOrder orderZeroBubble1(const ScheduleProblem &problem, int64_t /*group*/) {
  TaskOrder out;
  Depths depths(problem);
  for (int64_t stage = 0; stage < problem.stages; ++stage)
    out.push_back(orderDelayed(problem, stage, depths.behind[stage] + 1,
                               depths.before[stage]));
  return out;
}

/// Twice as many microbatches are in flight: stages wait only for the first one
/// (section 2.2).
TaskOrder orderZeroBubble2(const ScheduleProblem &problem, int64_t /*group*/) {
  TaskOrder out;
  Depths depths(problem);
  for (int64_t stage = 0; stage < problem.stages; ++stage)
    out.push_back(orderDelayed(problem, stage, 2 * depths.behind[stage] + 1,
                               2 * depths.before[stage]));
  return out;
}

/// Runs the tasks of a stage of several chunks, each in ascending order of
/// microbatches.
class Chunks {
public:
  Chunks(const ScheduleProblem &problem, int64_t stage,
         std::vector<TaskRun> &out)
      : problem(problem), stage(stage), out(out),
        done(3 * problem.chunksOf(stage), 0) {}

  /// Runs the next microbatch; does nothing if all have run, or if the task of
  /// the kind before has not run for it.
  void run(StageTaskKind kind, int64_t chunk) {
    int64_t *of = &done[3 * chunk], own = static_cast<int64_t>(kind);
    int64_t most = own == 0 ? problem.microbatches : of[own - 1];
    if (of[own] >= most)
      return;
    int64_t task = problem.find(stage, chunk, kind);
    if (task >= 0)
      out.push_back({static_cast<size_t>(task), of[own]});
    ++of[own]; // even if the chunk has no task of this kind
  }
  void runForward(int64_t chunk) { run(StageTaskKind::Forward, chunk); }
  void runBackward(int64_t chunk) { run(StageTaskKind::Backward, chunk); }
  void runWeights(int64_t chunk) { run(StageTaskKind::WeightBackward, chunk); }
  bool isOver(StageTaskKind kind, int64_t chunk) const {
    return done[3 * chunk + static_cast<int64_t>(kind)] == problem.microbatches;
  }

private:
  const ScheduleProblem &problem;
  const int64_t stage;
  std::vector<TaskRun> &out;
  std::vector<int64_t> done; // by chunk and kind
};

/// 1f1b over chunks: a stage runs one chunk for a group of microbatches, then
/// the next chunk. The smallest groups have as many microbatches as there are
/// stages (Narayanan et al., Efficient Large-Scale Language Model Training on
/// GPU Clusters, 2021, section 2.2). Larger ones keep more residuals, but a
/// chunk's parameters are gathered and its gradients reduced further from those
/// of the others (Lamy-Poirier, Breadth-First Pipeline Parallelism, 2023), and
/// what a stage sends may travel longer.
TaskOrder orderInterleaved(const ScheduleProblem &problem, int64_t group) {
  TaskOrder out(problem.stages);
  for (int64_t stage = 0; stage < problem.stages; ++stage) {
    Chunks tasks(problem, stage, out[stage]);
    int64_t chunks = problem.chunksOf(stage),
            all = problem.microbatches * chunks,
            ahead = std::min(all, 2 * (problem.stages - stage - 1) +
                                      (chunks - 1) * group);
    auto chunkOf = [&](int64_t k) { return k / group % chunks; };
    for (int64_t k = 0; k < all + ahead; ++k) {
      if (k < all)
        tasks.runForward(chunkOf(k));
      if (k >= ahead) {
        tasks.runBackward(chunks - 1 - chunkOf(k - ahead));
        tasks.runWeights(chunks - 1 - chunkOf(k - ahead));
      }
    }
  }
  return out;
}

/// Each stage has two chunks, the second on the way back: the last layers lie
/// on the stage of the first ones, so that the first backward task comes early
/// on every stage, within the memory of 1f1b (Qi et al., Pipeline Parallelism
/// with Controllable Memory, 2024; Zero Bubble, section 6).
TaskOrder orderZeroBubbleV(const ScheduleProblem &problem, int64_t /*group*/) {
  TaskOrder out(problem.stages);
  for (int64_t stage = 0; stage < problem.stages; ++stage) {
    Chunks tasks(problem, stage, out[stage]);
    int64_t behind = problem.stages - stage;
    for (int64_t i = 0; i < 2 * behind - 1; ++i)
      tasks.runForward(0);
    for (int64_t i = 0; i < stage; ++i)
      for (int64_t chunk : {1, 0})
        tasks.runForward(chunk);
    for (int64_t i = 0; i < behind; ++i) {
      tasks.runForward(1);
      tasks.runBackward(1);
      tasks.runWeights(1);
    }
    while (!tasks.isOver(StageTaskKind::Forward, 0) ||
           !tasks.isOver(StageTaskKind::Forward, 1))
      for (int64_t chunk : {0, 1}) {
        tasks.runForward(chunk);
        tasks.runBackward(chunk);
        tasks.runWeights(chunk);
      }
    // Backward tasks that the first stages wait for come before weights'
    // gradients.
    for (int64_t i = 0; i < stage; ++i)
      for (int64_t chunk : {0, 1})
        tasks.runBackward(chunk);
    for (int64_t i = 0; i < behind; ++i) {
      tasks.runBackward(0);
      tasks.runWeights(0);
    }
    for (int64_t m = 0; m < problem.microbatches; ++m)
      for (int64_t chunk : {0, 1})
        tasks.runBackward(chunk);
    for (int64_t m = 0; m < problem.microbatches; ++m)
      for (int64_t chunk : {1, 0})
        tasks.runWeights(chunk);
  }
  return out;
}

/// Returns the tables of an order, with the transfers between stages.
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
      {ScheduleKind::GPipe, "gpipe",
       "all forward, then all backward: all residuals at once", 1, false, false,
       orderForwardThenBackward},
      {ScheduleKind::OneForwardOneBackward, "1f1b",
       "one forward, one backward: few microbatches' residuals at once", 1,
       false, false, orderOneForwardOneBackward},
      {ScheduleKind::Interleaved, "interleaved:V", "1f1b over V chunks a stage",
       0, false, false, orderInterleaved},
      {ScheduleKind::ZeroBubbleH1, "zb-h1", "zero bubble, memory as 1f1b", 1,
       true, false, orderZeroBubble1},
      {ScheduleKind::ZeroBubbleH2, "zb-h2", "zero bubble, more memory", 1, true,
       false, orderZeroBubble2},
      {ScheduleKind::ZeroBubbleV, "zb-v",
       "zero bubble over two chunks a stage, there and back", 2, true, true,
       orderZeroBubbleV},
  };
  return all;
}

std::string listSchedules() {
  std::string out = "auto";
  for (const ScheduleGenerator &generator : getScheduleGenerators())
    out += "|" + std::string(generator.name);
  return out;
}

const ScheduleGenerator &NamedSchedule::getGenerator() const {
  const std::vector<ScheduleGenerator> &all = getScheduleGenerators();
  return *std::find_if(all.begin(), all.end(),
                       [&](const auto &own) { return own.kind == kind; });
}

int64_t NamedSchedule::countChunks() const {
  int64_t own = getGenerator().chunks;
  return own ? own : chunks;
}

std::string NamedSchedule::print() const {
  if (!named)
    return "auto";
  const ScheduleGenerator &generator = getGenerator();
  if (generator.chunks)
    return generator.name;
  return std::string(withChunks) + std::to_string(chunks) +
         (group ? ":" + std::to_string(group) : "");
}

/// Reads a number of at least `least` and at most `most`.
static std::optional<int64_t> readNumber(std::string_view digits, int64_t least,
                                         int64_t most) {
  int64_t number = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      number < least || number > most)
    return std::nullopt;
  return number;
}

std::string parseSchedule(std::string_view text, NamedSchedule &schedule) {
  schedule = {};
  if (text == "auto")
    return {};
  if (text.substr(0, withChunks.size()) == withChunks) {
    std::string_view rest = text.substr(withChunks.size());
    size_t colon = rest.find(':');
    constexpr int64_t mostChunks = 1024, mostGroup = 65536;
    std::optional<int64_t> chunks =
        readNumber(rest.substr(0, colon), 2, mostChunks);
    if (!chunks)
      return "interleaved: expected 2 to " + std::to_string(mostChunks) +
             " chunks, found '" + std::string(rest.substr(0, colon)) + "'";
    int64_t group = 0;
    if (colon != std::string_view::npos) {
      std::string_view size = rest.substr(colon + 1);
      std::optional<int64_t> read = readNumber(size, 1, mostGroup);
      if (!read)
        return "interleaved: expected groups of 1 to " +
               std::to_string(mostGroup) + " microbatches, found '" +
               std::string(size) + "'";
      group = *read;
    }
    schedule = {ScheduleKind::Interleaved, *chunks, group};
    return {};
  }
  for (const ScheduleGenerator &generator : getScheduleGenerators())
    if (generator.chunks && generator.name == text) {
      schedule = generator.kind;
      return {};
    }
  return "expected one of " + listSchedules() + ", found '" +
         std::string(text) + "'";
}

std::string findShape(const NamedSchedule &schedule,
                      const std::vector<std::string> &rows,
                      ActionShape &shape) {
  if (!rows.empty()) {
    std::optional<ActionFault> fault =
        readShape(rows, std::numeric_limits<int64_t>::max(), shape);
    return fault ? fault->print() : "";
  }
  const ScheduleGenerator &generator = schedule.getGenerator();
  shape = {schedule.countChunks(), generator.splits, generator.goesBack};
  return {};
}

/// Returns why the schedule does not fit the problem, or "".
static std::string checkFor(const NamedSchedule &schedule,
                            const ScheduleProblem &problem) {
  const ScheduleGenerator &generator = schedule.getGenerator();
  for (int64_t stage = 0; stage < problem.stages; ++stage) {
    std::string where = ", stage " + std::to_string(stage) + " has ";
    int64_t chunks = problem.chunksOf(stage);
    if (generator.chunks ? chunks > generator.chunks : chunks < 1)
      return (generator.chunks == 1
                  ? std::string("has one chunk a stage")
                  : "has " + std::to_string(generator.chunks) +
                        " chunks a stage") +
             where + std::to_string(chunks);
  }
  auto has = [&](StageTaskKind kind) {
    return std::any_of(
        problem.tasks.begin(), problem.tasks.end(),
        [&](const StageTask &task) { return task.kind == kind; });
  };
  if (generator.splits && has(StageTaskKind::Backward) &&
      !has(StageTaskKind::WeightBackward))
    return "takes gradients of weights as tasks of their own: there are none";
  if (generator.chunks)
    return {};
  int64_t group = schedule.countGroup(problem.stages);
  if (group < problem.stages)
    return "takes groups of at least as many microbatches as there are stages: "
           "expected " +
           std::to_string(problem.stages) + " or more, found " +
           std::to_string(group);
  if (problem.microbatches % group)
    return "takes " +
           std::string(group == problem.stages
                           ? "as many microbatches at a time as there are "
                             "stages"
                           : std::to_string(group) +
                                 " microbatches at a time") +
           ": expected a multiple of " + std::to_string(group) + ", found " +
           std::to_string(problem.microbatches);
  return {};
}

std::string makeTables(const ScheduleProblem &problem, const TaskOrder &order,
                       std::vector<ActionTable> &tables) {
  tables = addTransfers(problem, order);
  return verifySchedule(problem, tables);
}

std::string makeSchedule(const NamedSchedule &schedule,
                         const ScheduleProblem &problem,
                         std::vector<ActionTable> &tables) {
  const ScheduleGenerator &generator = schedule.getGenerator();
  std::string name = "schedule '" + std::string(generator.name) + "'";
  if (std::string wrong = checkFor(schedule, problem); !wrong.empty())
    return name + " " + wrong;
  std::string wrong = makeTables(
      problem, generator.order(problem, schedule.countGroup(problem.stages)),
      tables);
  return wrong.empty() ? "" : name + ": " + wrong;
}

} // namespace zcc::planning
