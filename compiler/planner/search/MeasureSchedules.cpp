// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what a plan with stages costs under several schedules, and in
// several numbers of microbatches.
#include "planning/ScheduleGenerators.h"
#include "mlir/IR/Threading.h"
#include "compiler/planner/search/PlanSearch.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

using planning::Plan;

void PlanSearch::dropFineChunks(size_t first) {
  constexpr double nothing = 1.01;
  const std::vector<Candidate> all(considered.begin() + first,
                                   considered.end());
  considered.erase(
      std::remove_if(considered.begin() + first, considered.end(),
                     [&](const Candidate &fine) {
                       return llvm::any_of(all, [&](const Candidate &other) {
                         return other.plan.schedule.countChunks() <
                                    fine.plan.schedule.countChunks() &&
                                (fits(other) || !fits(fine)) &&
                                other.figures.charged() <=
                                    nothing * fine.figures.charged();
                       });
                     }),
      considered.end());
}

std::optional<Candidate>
PlanSearch::measureSchedules(Candidate candidate,
                             const StepCost::Figures &whole) {
  const StepProfile &profile = known.profiles.at(baseOf(candidate));
  std::vector<planning::NamedSchedule> schedules = {asked.schedule};
  if (!asked.schedule.isNamed())
    schedules = listSchedulesFor(profile, candidate.stages());
  if (schedules.empty())
    known.notCut.emplace(candidate.stages(), planning::defaultSchedule);
  size_t first = considered.size();
  llvm::erase_if(schedules, [&](const planning::NamedSchedule &schedule) {
    return known.notCut.count({candidate.stages(), schedule}) != 0;
  });
  std::vector<std::optional<StepCost::Figures>> estimates(schedules.size());
  parallelFor(module.getContext(), 0, schedules.size(), [&](size_t i) {
    Plan plan = candidate.plan;
    plan.schedule = schedules[i];
    estimates[i] = estimatePipeline(whole, profile, plan, model);
  });
  for (auto [schedule, figures] : llvm::zip(schedules, estimates)) {
    candidate.plan.schedule = schedule;
    if (figures)
      consider(candidate, *figures);
  }
  if (considered.size() == first) {
    if (asked.isBare())
      return std::nullopt;
    // Compiling this plan reports why there is no schedule.
    candidate.plan.schedule =
        asked.schedule.isNamed() ? asked.schedule : planning::defaultSchedule;
    return consider(candidate, whole);
  }
  dropFineChunks(first);
  llvm::stable_sort(
      MutableArrayRef(considered).drop_front(first),
      [&](const Candidate &a, const Candidate &b) { return better(a, b); });
  constexpr size_t most = 2;
  if (considered.size() > first + most)
    considered.resize(first + most);
  return considered[first];
}

std::optional<Candidate> PlanSearch::measureStages(const Candidate &variant) {
  std::optional<Candidate> own;
  for (const Candidate &layout : layoutsOf(variant)) {
    std::vector<int64_t> counts = {asked.microbatches};
    if (asked.microbatches == 0)
      counts =
          divisorsOf(std::max<int64_t>(facts.batch / rowShards(variant), 1));
    std::optional<Candidate> before;
    for (size_t i = counts.size(); i-- > 0;) {
      std::vector<Candidate> next;
      if (i > 0)
        next.push_back(inMicrobatches(layout, counts[i - 1]));
      std::optional<Candidate> plan = measure(layout, counts[i], next);
      if (plan && (!own || better(*plan, *own)))
        own = plan;
      bool worse = before && (!plan || better(*before, *plan));
      worse |= known.isNeverCut(variant.stages());
      // Larger microbatches need no less memory.
      worse |= plan && !fits(*plan);
      if (worse)
        break;
      before = plan;
    }
    // The other layouts cost more: they gather parameters for each microbatch.
    if ((own && fits(*own)) || known.isNeverCut(variant.stages()))
      break;
  }
  return own;
}
