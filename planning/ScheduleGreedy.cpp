// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ScheduleGreedy.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace zcc::planning {

bool GreedyPolicy::operator<(const GreedyPolicy &other) const {
  return std::tie(ahead, patience, forwardFirst) <
         std::tie(other.ahead, other.patience, other.forwardFirst);
}

GreedyScheduler::GreedyScheduler(const ScheduleProblem &problem,
                                 const ScheduleCosts &costs,
                                 std::vector<double> memory)
    : stages(problem.stages), microbatches(problem.microbatches),
      memory(std::move(memory)) {
  for (auto &byStage : own)
    byStage.resize(stages);
  for (size_t i = 0; i < problem.tasks.size(); ++i) {
    const StageTask &task = problem.tasks[i];
    int64_t chunks = problem.chunksOf(task.stage);
    double share = 1 / static_cast<double>(chunks);
    tasks.push_back({task.stage,
                     task.kind,
                     costs.seconds[i],
                     share,
                     share * static_cast<double>(chunks - task.chunk),
                     makeShare(problem, task, costs.weightMemory),
                     {},
                     {}});
    auto &list = own[static_cast<int>(task.kind)][task.stage];
    list.insert(list.begin(), i);
  }
  for (auto [from, to] : problem.reads) {
    int64_t stage = tasks[from].stage;
    double send = tasks[to].stage == stage ? 0 : costs.send[stage];
    tasks[to].sources.emplace_back(from, send);
    if (tasks[to].stage != stage)
      tasks[from].readers.emplace_back(tasks[to].stage, send);
  }
}

namespace {
constexpr double noTime = std::numeric_limits<double>::infinity();
constexpr double greedyRounding = 1e-9;
} // namespace

class GreedyRun {
public:
  GreedyRun(const GreedyScheduler &problem, const GreedyPolicy &policy)
      : problem(problem), policy(policy),
        ends(problem.tasks.size() * problem.microbatches, noTime),
        next(problem.tasks.size(), 0), held(problem.stages, 0),
        ahead(problem.stages, 0), free(problem.stages, 0),
        begins(problem.stages, noTime) {
    result.order.resize(problem.stages);
  }

  std::optional<GreedyScheduler::Result> run() {
    for (int64_t stage = 0; stage < problem.stages; ++stage)
      queue.emplace(0, stage);
    size_t left = problem.tasks.size() * problem.microbatches;
    while (left > 0) {
      if (queue.empty())
        return std::nullopt;
      auto [now, stage] = queue.top();
      queue.pop();
      if (now < free[stage] - greedyRounding)
        continue;
      double later = noTime;
      if (std::optional<size_t> task = choose(stage, now, later)) {
        start(*task, now);
        --left;
      } else if (later < noTime) {
        queue.emplace(later, stage);
      }
    }
    double begin = noTime, end = 0;
    result.rankCost = 0;
    for (int64_t stage = 0; stage < problem.stages; ++stage) {
      begin = std::min(begin, begins[stage]);
      end = std::max(end, free[stage]);
      result.rankCost = std::max(result.rankCost, free[stage] - begins[stage]);
    }
    result.makespan = end - begin;
    return std::move(result);
  }

private:
  struct Ready {
    size_t task = 0;
    double at = noTime;
  };

  double readyAt(size_t index) const {
    const GreedyScheduler::Task &task = problem.tasks[index];
    if (next[index] == problem.microbatches)
      return noTime;
    double at = 0;
    for (auto [source, send] : task.sources)
      at = std::max(at,
                    ends[source * problem.microbatches + next[index]] + send);
    return at;
  }

  // Returns the task of a kind that is ready first; among several, that of the
  // latest chunk.
  Ready findReady(StageTaskKind kind, int64_t stage, double now) const {
    Ready out;
    for (size_t task : problem.own[static_cast<int>(kind)][stage]) {
      double at = std::max(readyAt(task), now);
      if (at < out.at)
        out = {task, at};
    }
    return out;
  }

  // Returns the task that runs now; if none does, `later` gets the time to ask
  // again.
  std::optional<size_t> choose(int64_t stage, double now, double &later) const {
    Ready forward = findReady(StageTaskKind::Forward, stage, now),
          backward = findReady(StageTaskKind::Backward, stage, now),
          weights = findReady(StageTaskKind::WeightBackward, stage, now);
    if (forward.at < noTime) {
      const GreedyScheduler::Task &task = problem.tasks[forward.task];
      // Otherwise the first chunks of many microbatches could block the last
      // chunk of one.
      if (held[stage] + task.room > problem.memory[stage] + greedyRounding ||
          ahead[stage] + task.room > policy.ahead[stage] + greedyRounding)
        forward.at = noTime;
    }
    bool goesForward = forward.at <= now + greedyRounding,
         goesBack = backward.at <= now + greedyRounding;
    if (goesBack && !(policy.forwardFirst && goesForward))
      return backward.task;
    if (goesForward)
      return forward.task;
    later = std::min(forward.at, backward.at);
    if (weights.at <= now + greedyRounding &&
        later - now >= policy.patience * problem.tasks[weights.task].seconds -
                           greedyRounding)
      return weights.task;
    return std::nullopt;
  }

  void start(size_t index, double now) {
    const GreedyScheduler::Task &task = problem.tasks[index];
    int64_t stage = task.stage;
    begins[stage] = std::min(begins[stage], now);
    free[stage] = now + task.seconds;
    ends[index * problem.microbatches + next[index]] = free[stage];
    result.order[stage].push_back({index, next[index]++});
    held[stage] += task.held.atBegin + task.held.atEnd;
    if (task.kind == StageTaskKind::Forward)
      ahead[stage] += task.share;
    else if (task.kind == StageTaskKind::Backward)
      ahead[stage] -= task.share;
    queue.emplace(free[stage], stage);
    for (auto [reader, send] : task.readers)
      queue.emplace(std::max(free[stage] + send, free[reader]), reader);
  }

  const GreedyScheduler &problem;
  const GreedyPolicy &policy;
  std::vector<double> ends;  // by task and microbatch
  std::vector<int64_t> next; // microbatch, by task
  // By stage: shares held and run ahead, and the times of being free and of the
  // first begin.
  std::vector<double> held, ahead, free, begins;
  using Wake = std::pair<double, int64_t>;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<Wake>> queue;
  GreedyScheduler::Result result;
};

std::optional<GreedyScheduler::Result>
GreedyScheduler::run(const GreedyPolicy &policy) const {
  return GreedyRun(*this, policy).run();
}

} // namespace zcc::planning
