// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search for another order of a pipeline's tasks, by simulated costs.
#include "compiler/planner/search/OrderSearch.h"
#include "gtest/gtest.h"

using namespace zcc;
using namespace zcc::planner;

namespace {
StagePrediction makeStage(double forward, double backward, double weights,
                          double transfer) {
  StagePrediction stage;
  stage.tasks = {{"forward", forward}, {"backward", backward}};
  if (weights > 0)
    stage.tasks["weight_backward"] = weights;
  stage.transfer = transfer;
  return stage;
}

planner::Candidate makePlan(const planning::NamedSchedule &schedule) {
  planner::Candidate plan;
  plan.plan.mesh = {{"pipe", 4}};
  plan.plan.microbatches = 8;
  plan.plan.schedule = schedule;
  plan.figures.residuals = 100;
  return plan;
}

planning::ScheduleRequest makeRequest() {
  planning::ScheduleRequest request;
  request.microbatches = 8;
  request.stages.resize(4);
  request.countsMakespan = true;
  return request;
}

double clockOf(planning::ScheduleRequest request,
               const planning::NamedSchedule &schedule,
               const std::vector<StagePrediction> &stages) {
  for (size_t i = 0; i < stages.size(); ++i) {
    auto tasks = stages[i].tasks;
    request.stages[i] = {tasks["forward"], tasks["backward"],
                         tasks["weight_backward"], stages[i].transfer};
  }
  planning::FoundSchedule found;
  EXPECT_EQ(makeNamed(request, schedule, false, found), "");
  return found.times.makespan;
}
} // namespace

// Transfers take longer than a task: the named ones are not ahead enough.
TEST(OrderSearch, findsTables) {
  std::vector<StagePrediction> stages(4, makeStage(1, 1, 1, 1.5));
  std::optional<planner::Candidate> found = searchOrder(
      makePlan(planning::ScheduleKind::ZeroBubbleH1), makeRequest(), stages);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->plan.schedule.isNamed());
  ASSERT_EQ(found->plan.actions.size(), 4U);
  EXPECT_EQ(found->label(), "pipe=4, searched");
  // The rows are a schedule, and faster.
  planning::ActionShape shape;
  ASSERT_FALSE(planning::readShape(found->plan.listRows(), 8, shape));
  EXPECT_TRUE(shape.splits);
  planning::ScheduleProblem problem = planning::makeChain(
      4, shape.chunks, 8, true, shape.splits, shape.goesBack);
  std::vector<planning::ActionTable> tables;
  ASSERT_FALSE(parseRows(found->plan.listRows(), problem, tables));
  EXPECT_EQ(verifySchedule(problem, tables), "");
  planning::ScheduleCosts costs = planning::makeCosts(
      problem, std::vector<planning::StageCost>(4, {1, 1, 1, 1.5}));
  EXPECT_LT(timeSchedule(problem, tables, costs).makespan,
            0.99 * clockOf(makeRequest(), planning::ScheduleKind::ZeroBubbleH1,
                           stages));
}

// Without room for more the named one stays, and so it does where all wait for
// one stage.
TEST(OrderSearch, leavesWhatIsBest) {
  planning::ScheduleRequest request = makeRequest();
  request.microbatches = 400;
  std::vector<StagePrediction> stages(4, makeStage(1, 1, 1, 0));
  stages[3] = makeStage(2, 2, 2, 0);
  planner::Candidate plan = makePlan(planning::ScheduleKind::ZeroBubbleH2);
  plan.plan.microbatches = 400;
  EXPECT_FALSE(searchOrder(plan, request, stages));
  request = makeRequest();
  request.memories = {0.4, 0.4, 0.4, 0.4};
  EXPECT_FALSE(
      searchOrder(makePlan(planning::ScheduleKind::ZeroBubbleH1), request,
                  std::vector<StagePrediction>(4, makeStage(1, 1, 1, 1.5))));
}

// The first stage may have no task that another one waits for; then its row
// lacks that task.
TEST(OrderSearch, leavesOutWhatIsNotThere) {
  std::vector<StagePrediction> stages(4, makeStage(1, 1, 1, 1.5));
  stages[0] = makeStage(1, 0, 2, 1.5);
  std::optional<planner::Candidate> found = searchOrder(
      makePlan(planning::ScheduleKind::ZeroBubbleH1), makeRequest(), stages);
  ASSERT_TRUE(found);
  const std::string &row = found->plan.actions[0].text;
  EXPECT_EQ(row.find(" B0"), std::string::npos) << row;
  EXPECT_NE(row.find("1>B0"), std::string::npos) << row;
  EXPECT_NE(row.find(" W0"), std::string::npos) << row;
}

// A stage without a backward pass has nothing to order.
TEST(OrderSearch, needsBothPasses) {
  std::vector<StagePrediction> stages(4, makeStage(1, 0, 0, 1.5));
  EXPECT_FALSE(
      searchOrder(makePlan(planning::ScheduleKind::OneForwardOneBackward),
                  makeRequest(), stages));
  EXPECT_FALSE(
      searchOrder(makePlan(planning::ScheduleKind::OneForwardOneBackward),
                  makeRequest(), {}));
}
