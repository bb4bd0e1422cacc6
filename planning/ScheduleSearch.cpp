// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ScheduleSearch.h"

#include "planning/ScheduleGreedy.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace zcc::planning {

std::string makeNamed(const ScheduleRequest &request,
                      const NamedSchedule &schedule, bool early,
                      FoundSchedule &out) {
  const ScheduleGenerator &generator = schedule.getGenerator();
  out.schedule = schedule;
  out.problem = makeChain(static_cast<int64_t>(request.stages.size()),
                          schedule.countChunks(), request.microbatches, true,
                          generator.splits || early, generator.goesBack);
  if (std::string wrong = makeSchedule(schedule, out.problem, out.tables);
      !wrong.empty())
    return wrong;
  ScheduleCosts costs = makeCosts(out.problem, request.stages);
  costs.weightMemory = request.weightMemory;
  out.times = timeSchedule(out.problem, out.tables, costs);
  return {};
}

std::vector<double> countHeld(const NamedSchedule &schedule,
                              const std::vector<std::string> &rows,
                              int64_t stages, int64_t microbatches) {
  const std::vector<StageCost> equal(static_cast<size_t>(stages));
  if (rows.empty()) {
    ScheduleRequest request;
    request.microbatches = microbatches;
    request.stages = equal;
    FoundSchedule found;
    if (!makeNamed(request, schedule, /*early=*/false, found).empty())
      return {};
    return found.times.peak;
  }
  ActionShape shape;
  std::vector<ActionTable> tables;
  if (readShape(rows, microbatches, shape))
    return {};
  ScheduleProblem problem = makeChain(stages, shape.chunks, microbatches, true,
                                      shape.splits, shape.goesBack);
  if (parseRows(rows, problem, tables) || findFault(problem, tables))
    return {};
  return timeSchedule(problem, tables, makeCosts(problem, equal)).peak;
}

namespace {
// Memory limits are compared to sums of shares, which are inexact.
constexpr double rounding = 1e-9;

class OrderSearch {
public:
  explicit OrderSearch(const ScheduleRequest &request) : request(request) {}

  std::optional<FoundSchedule> run() {
    for (const NamedSchedule &schedule :
         {NamedSchedule(ScheduleKind::OneForwardOneBackward),
          NamedSchedule(ScheduleKind::ZeroBubbleH1),
          NamedSchedule(ScheduleKind::ZeroBubbleH2),
          NamedSchedule(ScheduleKind::ZeroBubbleV),
          NamedSchedule(ScheduleKind::Interleaved, 2),
          NamedSchedule(ScheduleKind::GPipe)}) {
      FoundSchedule found;
      if ((!request.hasOneChunk || schedule.countChunks() == 1) &&
          makeNamed(request, schedule, /*early=*/true, found).empty())
        take(std::move(found));
    }
    searchGreedily(/*goesBack=*/false);
    if (!request.hasOneChunk)
      searchGreedily(/*goesBack=*/true);
    return std::move(best);
  }

private:
  double secondsOf(const ScheduleTimes &times) const {
    return request.countsMakespan ? times.makespan : times.rankCost;
  }

  void take(FoundSchedule found) {
    for (size_t stage = 0; stage < found.times.peak.size(); ++stage)
      if (found.times.peak[stage] > request.memoryOf(stage) + rounding)
        return;
    if (!best || secondsOf(found.times) < secondsOf(best->times))
      best = std::move(found);
  }

  // Tries policies on a grid, then others near the best one.
  void searchGreedily(bool goesBack) {
    auto stages = static_cast<int64_t>(request.stages.size());
    FoundSchedule own;
    own.problem = makeChain(stages, goesBack ? 2 : 1, request.microbatches,
                            true, true, goesBack);
    ScheduleCosts costs = makeCosts(own.problem, request.stages);
    costs.weightMemory = request.weightMemory;
    std::vector<double> memory;
    for (int64_t stage = 0; stage < stages; ++stage)
      memory.push_back(request.memoryOf(stage));
    GreedyScheduler scheduler(own.problem, costs, memory);
    // The number of runs is bounded so that the search of a large pipeline
    // takes no longer than that of a small one.
    constexpr int64_t fewest = 20;
    int64_t actions = static_cast<int64_t>(own.problem.tasks.size()) *
                      request.microbatches,
            runs = std::clamp<int64_t>(request.mostActions /
                                           std::max<int64_t>(actions, 1),
                                       fewest, request.mostOrders);
    GreedyPolicy policy;
    double seconds = std::numeric_limits<double>::infinity();
    TaskOrder order;
    std::set<GreedyPolicy> seen;
    auto attempt = [&](const GreedyPolicy &next) {
      if (runs <= 0 || !seen.insert(next).second)
        return false;
      --runs;
      std::optional<GreedyScheduler::Result> found = scheduler.run(next);
      double own = !found                   ? seconds
                   : request.countsMakespan ? found->makespan
                                            : found->rankCost;
      if (!found || own >= seconds)
        return false;
      seconds = own;
      policy = next;
      order = std::move(found->order);
      return true;
    };
    for (const GreedyPolicy &next : makeGrid(stages))
      attempt(next);
    for (bool better = !order.empty(); better;) {
      better = false;
      for (int64_t stage = 0; stage < stages; ++stage)
        for (double change : {-1.0, -0.5, 0.5, 1.0}) {
          GreedyPolicy next = policy;
          next.ahead[stage] += change;
          better |= next.ahead[stage] > 0 && attempt(next);
        }
      for (double change : {-0.125, 0.125}) {
        GreedyPolicy next = policy;
        next.patience += change;
        better |= next.patience >= 0 && attempt(next);
      }
    }
    if (order.empty() || !makeTables(own.problem, order, own.tables).empty())
      return;
    own.times = timeSchedule(own.problem, own.tables, costs);
    take(std::move(own));
  }

  // Returns policies in which the number of microbatches ahead decreases from
  // stage to stage by a slope; coarse steps come first.
  std::vector<GreedyPolicy> makeGrid(int64_t stages) const {
    std::vector<GreedyPolicy> out;
    double most = 0;
    for (int64_t stage = 0; stage < stages; ++stage)
      most = std::max(most, request.memoryOf(stage));
    most = std::min(most, static_cast<double>(request.microbatches));
    for (double step : {1.0, 0.5, 0.25})
      for (double patience : {0.75, 0.0, 1.0, 0.5, 0.25, 1.5})
        for (bool forwardFirst : {false, true})
          for (double slope = 0; slope <= 3; slope += step)
            for (double last = 1; last <= most + 1; last += 1) {
              GreedyPolicy policy;
              policy.patience = patience;
              policy.forwardFirst = forwardFirst;
              for (int64_t stage = 0; stage < stages; ++stage)
                policy.ahead.push_back(std::min(
                    most, std::floor(last + slope * static_cast<double>(
                                                        stages - 1 - stage))));
              if (policy.ahead[0] <= most)
                out.push_back(policy);
              if (policy.ahead[0] >= most)
                break;
            }
    return out;
  }

  const ScheduleRequest &request;
  std::optional<FoundSchedule> best;
};
} // namespace

std::optional<FoundSchedule> searchSchedule(const ScheduleRequest &request) {
  return OrderSearch(request).run();
}

} // namespace zcc::planning
