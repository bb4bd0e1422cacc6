// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixes all variants of the best plan's mesh (MixPlans.h).
#include "compiler/planner/search/MixPlans.h"
#include "compiler/planner/search/PlanSearch.h"
#include "passes/Distribute/Place/ChooseStates.h"
#include "passes/Distribute/PlanAttribute.h"
#include "planning/ShardingSolver.h"
#include <deque>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

using planning::Plan;
using planning::PlanState;

std::optional<Candidate> PlanSearch::mix(const Candidate &best) {
  MeshAxes mesh = makeAxes(module, best.plan);
  StepCost cost(func.getBody().front(), mesh, model);
  // a deque does not copy them when more are added
  std::deque<DecidedSharding> plans;
  std::vector<Candidate> variants =
      makeVariants(facts, asked, devices, shapeOf(best),
                   /*withTables=*/true,
                   /*toMix=*/true);
  if (best.added == Candidate::Added::DividedWork)
    variants.push_back(best);
  for (const Candidate &plain : variants)
    for (const Candidate &layout : layoutsOf(plain)) {
      if (layout.plan.mesh != best.plan.mesh ||
          layout.plan.zero != best.plan.zero)
        continue;
      Plan plan = layout.plan;
      plan.microbatches = best.plan.microbatches;
      plan.zeroAxes = best.plan.zeroAxes;
      FailureOr<DecidedSharding> decided = decide(plan, mesh);
      if (failed(decided))
        continue;
      plans.push_back(*decided);
      // Where all state had to be split, it may be better to split only some of
      // it.
      for (const PlanState &state : statesToMix(best.plan)) {
        plan.state = {state};
        DecidedSharding other = *decided;
        other.step.demands.clear();
        if (succeeded(finishSharding(func, mesh, requestOf(plan), other)))
          plans.push_back(std::move(other));
      }
    }
  SmallVector<const DecidedSharding *> pointers;
  for (const DecidedSharding &plan : plans)
    pointers.push_back(&plan);
  if (plans.size() < 2)
    return std::nullopt;
  PlanMixture mixture(func, mesh, cost, pointers);
  // The problem counts estimated bytes as they are, but memory planning has
  // corrected those of the best plan.
  double capacity = budget() - best.figures.bytes() + best.figures.state +
                    best.figures.gradients + best.figures.residuals;
  planning::ShardingProblem problem = mixture.makeProblem(capacity);
  planning::ShardingLimits limits;
  limits.nodes = 200;
  limits.gap = 1e-3;
  std::optional<planning::ShardingChoice> choice =
      planning::solveSharding(problem, limits);
  if (!choice || !planning::verifySharding(problem, *choice).empty())
    return std::nullopt;
  auto chosen = mixture.read(*choice);
  if (!chosen)
    return std::nullopt;
  DecidedSharding mixed = plans.front();
  for (auto [op, plan] : chosen->ops)
    if (auto it = plans[plan].step.ops.find(op);
        it != plans[plan].step.ops.end())
      mixed.step.ops.find(op)->second.factors = it->second.factors;
  for (auto [argument, plan] : chosen->arguments)
    mixed.step.seeds[argument] = plans[plan].step.seeds.lookup(argument);
  for (auto &[parameter, state] : mixed.step.states)
    if (auto it = chosen->arguments.find(parameter);
        it != chosen->arguments.end())
      state = *plans[it->second].step.stateOf(parameter);
  Candidate candidate = best;
  candidate.mixed = true;
  Plan &plan = candidate.plan;
  plan.shard = asked.shard; // annotations that were added are in the pins
  plan.state = collectStates(func, plans.front().zero, mixed.step);
  mixed.step.demands.clear();
  if (failed(finishSharding(func, mesh, requestOf(plan), mixed)))
    return std::nullopt;
  StepCost::Figures figures = countAll(
      cost.measure({mesh, mixed.step, mixed.partials}).scaled(known.scale));
  constexpr double worthwhile = 0.995;
  if (figures.bytes() > std::max(budget(), best.figures.bytes()) ||
      figures.charged() > worthwhile * best.figures.charged())
    return std::nullopt;
  candidate.figures = figures;
  // State that the user asked for comes first.
  plan.state.insert(plan.state.begin(), asked.state.begin(), asked.state.end());
  pinSharding(func, mesh, mixed.step, plan);
  return candidate;
}

std::vector<PlanState> PlanSearch::statesToMix(const Plan &plan) const {
  using Fact = PlanState::Fact;
  if (asked.zero >= 0 || !asked.state.empty() || plan.zero < 3)
    return {};
  std::vector<PlanState> states = {{"*", Fact::Kept}, {"*", Fact::Stage, 1}};
  if (plan.microbatches > 1)
    states.push_back({"*", Fact::Stage, 2});
  return states;
}
