// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ScheduleClock.h"

#include <algorithm>
#include <limits>

namespace zcc::planning {

ScheduleCosts makeCosts(const ScheduleProblem &problem,
                        const std::vector<StageCost> &stages) {
  ScheduleCosts out;
  for (const StageTask &task : problem.tasks) {
    const StageCost &own = stages[task.stage];
    bool splits = problem.find(task.stage, task.chunk,
                               StageTaskKind::WeightBackward) >= 0;
    double seconds = own.forward;
    if (task.kind == StageTaskKind::Backward)
      seconds = own.backward + (splits ? 0 : own.weights);
    else if (task.kind == StageTaskKind::WeightBackward)
      seconds = own.weights;
    out.seconds.push_back(seconds /
                          static_cast<double>(problem.chunksOf(task.stage)));
  }
  for (const StageCost &stage : stages)
    out.send.push_back(stage.send);
  return out;
}

TaskShare makeShare(const ScheduleProblem &problem, const StageTask &task,
                    double weightMemory) {
  double share = 1 / static_cast<double>(problem.chunksOf(task.stage));
  bool splits = problem.find(task.stage, task.chunk,
                             StageTaskKind::WeightBackward) >= 0;
  switch (task.kind) {
  case StageTaskKind::Forward:
    return {share, 0};
  case StageTaskKind::Backward:
    return {0, splits ? -(1 - weightMemory) * share : -share};
  case StageTaskKind::WeightBackward:
    return {0, -weightMemory * share};
  }
  return {};
}

double ScheduleTimes::worstPeak() const {
  return peak.empty() ? 0 : *std::max_element(peak.begin(), peak.end());
}

namespace {
constexpr double notYet = std::numeric_limits<double>::infinity();

class Clock {
public:
  Clock(const ScheduleProblem &problem, const std::vector<ActionTable> &tables,
        const ScheduleCosts &costs)
      : problem(problem), tables(tables), costs(costs),
        ends(problem.tasks.size() * problem.microbatches, notYet),
        sources(problem.tasks.size()), at(tables.size(), 0),
        free(tables.size(), 0) {
    for (auto [from, to] : problem.reads)
      sources[to].push_back(from);
    for (const StageTask &task : problem.tasks)
      shares.push_back(makeShare(problem, task, costs.weightMemory));
  }

  ScheduleTimes run() {
    out.spans.resize(tables.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t stage = 0; stage < tables.size(); ++stage)
        while (at[stage] < tables[stage].size() &&
               step(stage, tables[stage][at[stage]])) {
          ++at[stage];
          moved = true;
        }
    }
    double begin = notYet, end = 0;
    for (size_t stage = 0; stage < tables.size(); ++stage) {
      const std::vector<ScheduleTimes::Span> &own = out.spans[stage];
      out.peak.push_back(findPeak(own));
      if (own.empty())
        continue;
      double work = 0;
      for (const ScheduleTimes::Span &span : own)
        work += span.end - span.begin;
      out.work = std::max(out.work, work);
      begin = std::min(begin, own.front().begin);
      end = std::max(end, own.back().end);
      out.rankCost = std::max(out.rankCost, own.back().end - own.front().begin);
    }
    out.makespan = begin == notYet ? 0 : end - begin;
    return std::move(out);
  }

private:
  double &endOf(size_t task, int64_t microbatch) {
    return ends[task * problem.microbatches + microbatch];
  }

  bool step(size_t stage, const StageAction &action) {
    if (action.kind != StageAction::Run)
      return true;
    double begin = free[stage];
    for (size_t source : sources[action.task]) {
      auto from = static_cast<size_t>(problem.tasks[source].stage);
      begin = std::max(begin, endOf(source, action.microbatch) +
                                  (from == stage ? 0 : costs.send[from]));
    }
    if (begin == notYet)
      return false;
    free[stage] = begin + costs.seconds[action.task];
    endOf(action.task, action.microbatch) = free[stage];
    out.spans[stage].push_back(
        {action.task, action.microbatch, begin, free[stage]});
    return true;
  }

  double findPeak(const std::vector<ScheduleTimes::Span> &spans) const {
    double held = 0, most = 0;
    for (const ScheduleTimes::Span &span : spans) {
      held += shares[span.task].atBegin;
      most = std::max(most, held);
      held += shares[span.task].atEnd;
    }
    return most;
  }

  const ScheduleProblem &problem;
  const std::vector<ActionTable> &tables;
  const ScheduleCosts &costs;
  std::vector<double> ends; // by task and microbatch
  std::vector<std::vector<size_t>> sources;
  std::vector<TaskShare> shares; // by task
  std::vector<size_t> at;        // by stage
  std::vector<double> free;      // by stage
  ScheduleTimes out;
};
} // namespace

ScheduleTimes timeSchedule(const ScheduleProblem &problem,
                           const std::vector<ActionTable> &tables,
                           const ScheduleCosts &costs) {
  return Clock(problem, tables, costs).run();
}

} // namespace zcc::planning
