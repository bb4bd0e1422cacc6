// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses axes and annotations where the options name only a number of devices.
// The sharding of every variant (PlanVariants.h) is decided in memory and
// measured (StepCost.h). The cheapest one that fits is written down as if the
// user had asked for it. After that, the variants of its mesh are mixed
// (MixPlans.h).
#include "compiler/planner/search/ChoosePlan.h"
#include "compiler/planner/search/PlanSearch.h"
#include "passes/Distribute/PlanAttribute.h"
#include "passes/Distribute/Sharding/ValueNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

using planning::Plan;

bool PlanChoice::isLimited(double memory, double seconds) const {
  return memory > 0 && llvm::any_of(considered, [&](const Candidate &plan) {
           const StepCost::Figures &figures = plan.figures;
           return figures.bytes() > memory &&
                  figures.charge(figures.overlapped() -
                                 figures.recomputedSeconds()) < seconds;
         });
}

void PlanChoice::forgetSlower(size_t simulated, const Slowdowns &slowdowns,
                              double least) {
  for (size_t i = best.size(); i-- > simulated;) {
    const Candidate &plan = best[i];
    if (slowdowns.of(plan) * plan.figures.charged() < least)
      continue;
    best.erase(best.begin() + i);
    if (i < orders.size())
      orders.erase(orders.begin() + i);
    if (i < atOnce)
      --atOnce;
  }
}

FailureOr<PlanChoice> PlanSearch::run() {
  if (failed(findPinned()))
    return failure();
  search();
  if (!best) {
    // Every variant failed for the same reason: decide one of them loudly, so
    // that the reason is reported.
    Plan plain =
        asked.isBare()
            ? makeVariants(facts, asked, devices, {}, false).front().plan
            : asked;
    plain.microbatches = 1;
    (void)decide(plain, /*quiet=*/false);
    return failure();
  }
  if (fits(*best) && asked.isBare() && best->stages() == 1)
    lookBeside(*best);
  std::optional<Candidate> inTurns;
  if (fits(*best) && asked.isBare())
    inTurns = measureInTurns();
  PlanChoice choice;
  choice.considered = considered;
  llvm::stable_sort(considered, [&](const Candidate &a, const Candidate &b) {
    return better(a, b);
  });
  // Where nothing fits, the plan that needs the least memory is the answer,
  // however slow it is.
  if (!fits(*best)) {
    choice.best.push_back(*best);
    choice.atOnce = 1;
    return choice;
  }
  // Mixtures are not tried where something is computed again: that is estimated
  // of whole plans only.
  std::optional<Candidate> mixed;
  if (asked.isBare() && !best->figures.recomputed && best->stages() == 1 &&
      known.recomputing.count(best->key()) == 0)
    mixed = mix(*best);
  if (mixed) {
    mixed->figures = known.correct(mixed->key(), mixed->figures);
    choice.considered.push_back(*mixed);
  }
  if (mixed && fits(*mixed))
    choice.best.push_back(*mixed);
  // Keep plans whose estimate is near the best. On named axes all are kept:
  // only a few numbers of microbatches are looked at.
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double near = asked.isBare() || best->stages() > 1 ? 1.05 : inf;
  const size_t most = best->stages() > 1 ? 2 : 3; // and one without stages
  // These are only of interest if the others turn out slower in simulation than
  // the estimates of these.
  const size_t mostAfter = best->stages() > 1 ? 2 : 0;
  std::vector<Candidate> after;
  for (const Candidate &plan : considered)
    if (fits(plan) &&
        (choice.best.empty() ||
         plan.figures.charged() <= near * best->figures.charged())) {
      if (choice.best.size() < most)
        choice.best.push_back(plan);
      else if (after.size() < mostAfter)
        after.push_back(plan);
    }
  addOtherKinds(choice);
  if (inTurns && fits(*inTurns) && !choice.isAmongBest(*inTurns))
    choice.best.push_back(*inTurns);
  choice.atOnce = choice.best.size();
  for (const Candidate &plan : after)
    if (!choice.isAmongBest(plan))
      choice.best.push_back(plan);
  addOrders(choice);
  return choice;
}

void PlanSearch::addOrders(PlanChoice &choice) const {
  for (const Candidate &plan : choice.best) {
    PlanChoice::Orders &orders = choice.orders.emplace_back();
    Candidate::Key base = baseOf(plan);
    auto figures = known.figures.find(base);
    auto profile = known.profiles.find(base);
    if (plan.stages() == 1 || asked.schedule.isNamed() ||
        !asked.actions.empty() || figures == known.figures.end() ||
        !figures->second || profile == known.profiles.end())
      continue;
    orders.request =
        makeScheduleRequest(*figures->second, plan.figures, profile->second,
                            plan.plan, model, budget());
    orders.interleaved =
        listInterleaved(plan, *figures->second, profile->second);
  }
}

std::vector<Candidate>
PlanSearch::listInterleaved(const Candidate &plan,
                            const StepCost::Figures &whole,
                            const StepProfile &profile) const {
  auto under = [&](const planning::NamedSchedule &schedule) {
    std::optional<Candidate> out = plan;
    out->plan.schedule = schedule;
    std::optional<StepCost::Figures> estimate =
        estimatePipeline(whole, profile, out->plan, model);
    if (!estimate)
      return std::optional<Candidate>();
    out->figures = countAll(known.correct(out->key(), *estimate));
    return fits(*out) ? out : std::nullopt;
  };
  std::optional<Candidate> fastest;
  for (const planning::NamedSchedule &schedule :
       listSchedulesFor(profile, plan.stages()))
    if (schedule.getGenerator().kind == planning::ScheduleKind::Interleaved &&
        known.notCut.count({plan.stages(), schedule}) == 0)
      if (std::optional<Candidate> own = under(schedule);
          own && (!fastest || better(*own, *fastest)))
        fastest = own;
  if (!fastest)
    return {};
  std::vector<Candidate> out;
  if (!(fastest->key() == plan.key()))
    out.push_back(*fastest);
  // llvm::reverse() does not keep the list that it is given.
  auto groups = divisorsOf(plan.plan.microbatches);
  for (int64_t group : llvm::reverse(groups)) {
    if (group <= plan.stages())
      break;
    if (std::optional<Candidate> own =
            under({planning::ScheduleKind::Interleaved,
                   fastest->plan.schedule.countChunks(), group})) {
      out.push_back(*own);
      break;
    }
  }
  return out;
}

void PlanSearch::addOtherKinds(PlanChoice &choice) const {
  // No estimate is wrong by a larger factor.
  constexpr double far = 1.5;
  using Kind = std::pair<bool, bool>;
  auto kindOf = [](const Candidate &plan) {
    return Kind(plan.stages() > 1,
                plan.plan.zero == 3 && plan.plan.microbatches > 1);
  };
  std::set<Kind> seen;
  for (const Candidate &plan : choice.best)
    seen.insert(kindOf(plan));
  const double most = far * best->figures.charged();
  for (const Candidate &plan : considered)
    if (fits(plan) && plan.figures.charged() <= most &&
        seen.insert(kindOf(plan)).second)
      choice.best.push_back(plan);
  // Estimates hide most of the communication of parameters and gradients. If
  // the simulation hides little of it, the fastest plan may be the one that
  // would be fastest if nothing were hidden.
  auto unhidden = [](const Candidate &plan) {
    return plan.figures.charge(plan.figures.seconds());
  };
  const Candidate *least = nullptr;
  for (const Candidate &plan : considered)
    if (asked.isBare() && fits(plan) && plan.stages() == 1 &&
        plan.figures.charged() <= most &&
        (!least || unhidden(plan) < unhidden(*least)))
      least = &plan;
  if (least && !choice.isAmongBest(*least))
    choice.best.push_back(*least);
}

// Returns the plan with the axes that the step gets: those of the module's
// mesh, or those asked for, divided into the parts that annotations name.
static FailureOr<Plan> placeAxes(ModuleOp module,
                                 const DistributeOptions &options) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  pm.addPass(createPlaceMesh(options));
  if (failed(pm.run(module)))
    return failure();
  Plan plan = options.plan;
  takeMesh(module, plan);
  plan.microbatches = options.plan.microbatches;
  getMesh(module).erase();
  return plan;
}

FailureOr<PlanChoice> planner::choosePlans(ModuleOp module,
                                           const DistributeOptions &options,
                                           PlanFigures &known) {
  func::FuncOp func = getStep(module);
  if (!func)
    return module.emitError("the module has no step");
  DistributeOptions own = options;
  if (!options.plan.isBare()) {
    FailureOr<Plan> plan = placeAxes(module, options);
    if (failed(plan))
      return failure();
    own.plan = *plan;
    if (planning::sizeOf(own.plan.mesh, {planning::AxisRole::Pipe}) > 1 &&
        failed(refuseArraysInStages(func)))
      return failure();
  }
  return PlanSearch(module, func, own, known).run();
}
