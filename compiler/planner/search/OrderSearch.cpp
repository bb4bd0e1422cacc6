// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/search/OrderSearch.h"
#include <algorithm>

using namespace zcc;
using namespace zcc::planner;
using planning::FoundSchedule;
using planning::ScheduleRequest;

// Sets the costs. Returns false if there is no backward pass, so that there is
// nothing to search for.
static bool takeCosts(const std::vector<StagePrediction> &stages,
                      ScheduleRequest &request) {
  auto secondsOf = [](const StagePrediction &stage, const char *kind) {
    auto own = stage.tasks.find(kind);
    return own == stage.tasks.end() ? 0 : own->second;
  };
  bool splits = std::any_of(stages.begin(), stages.end(), [&](const auto &own) {
    return secondsOf(own, "weight_backward") > 0;
  });
  if (stages.empty() || stages.size() != request.stages.size())
    return false;
  for (size_t i = 0; i < stages.size(); ++i) {
    planning::StageCost &cost = request.stages[i];
    double backward = secondsOf(stages[i], "backward"),
           weights = secondsOf(stages[i], "weight_backward"),
           estimate = cost.backward + cost.weights;
    if (backward + weights <= 0)
      return false;
    if (!splits && estimate > 0) { // a single task is divided as estimated
      weights = backward * cost.weights / estimate;
      backward -= weights;
    }
    cost = {secondsOf(stages[i], "forward"), backward, weights,
            stages[i].transfer};
    // It is not known which of two chunks would lack a task.
    request.hasOneChunk |= backward <= 0 || weights <= 0;
  }
  return true;
}

// A stage may compute nothing that another one waits for, or have no weights:
// its rows lack such tasks.
static std::string printRowOf(const FoundSchedule &found,
                              const planning::StageCost &cost, size_t stage) {
  planning::ActionTable table = found.tables[stage];
  auto isNone = [&](const planning::StageAction &action) {
    planning::StageTaskKind kind = found.problem.tasks[action.task].kind;
    return action.kind == planning::StageAction::Run &&
           ((kind == planning::StageTaskKind::Backward && cost.backward <= 0) ||
            (kind == planning::StageTaskKind::WeightBackward &&
             cost.weights <= 0));
  };
  table.erase(std::remove_if(table.begin(), table.end(), isNone), table.end());
  return printRow(found.problem, table);
}

// Returns a lower bound of the time of all orders: the stage with the most work
// does all of it after the first microbatch has arrived, through two chunks per
// stage at the earliest.
static double findBound(const ScheduleRequest &request) {
  double before = 0, most = 0;
  for (const planning::StageCost &stage : request.stages) {
    most = std::max(most, before + static_cast<double>(request.microbatches) *
                                       (stage.forward + stage.backward +
                                        stage.weights));
    before += stage.forward / 2 + stage.send;
  }
  return most;
}

std::optional<Candidate>
planner::searchOrder(const Candidate &plan, ScheduleRequest request,
                     const std::vector<StagePrediction> &stages) {
  constexpr double worthwhile = 0.99;
  constexpr int64_t mostOrders = 300, mostActions = 300'000;
  FoundSchedule named;
  if (!takeCosts(stages, request) ||
      !makeNamed(request, plan.plan.schedule, /*early=*/false, named).empty())
    return std::nullopt;
  double limit = worthwhile * named.times.makespan;
  if (findBound(request) > limit)
    return std::nullopt;
  request.mostOrders = mostOrders;
  request.mostActions = mostActions;
  std::optional<FoundSchedule> found = searchSchedule(request);
  if (!found || found->times.makespan > limit ||
      (found->schedule.isNamed() && found->schedule == plan.plan.schedule))
    return std::nullopt;
  Candidate out = plan;
  out.plan.schedule = {};
  for (size_t stage = 0; stage < found->tables.size(); ++stage)
    out.plan.actions.push_back(
        {printRowOf(*found, request.stages[stage], stage)});
  double held = found->times.worstPeak() / named.times.worstPeak();
  out.figures.residuals *= held;
  out.figures.pipeline.held *= held;
  return out;
}
