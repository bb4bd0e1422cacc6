// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The measures that are tried where a plan needs more memory than there is.
// They leave the plan as it is, and change how much is kept, moved or ordered.
#include "compiler/emission/ReportMemory.h"
#include "compiler/planner/FitLimits.h"
#include "compiler/planner/fit/PlanFitter.h"
#include "dialects/Dist/Dist.h"

using namespace mlir;

namespace zcc::planner {

FailureOr<std::optional<PlanFitter::Need>> PlanFitter::findNeed() {
  FailureOr<std::vector<MemoryReport>> stages =
      readMemory(*current().module, MemoryDetail::Totals);
  if (failed(stages))
    return failure();
  const MemoryReport *worst = findWorst(*stages);
  if (!worst)
    return std::optional<Need>();
  std::vector<double> peaks;
  for (const MemoryReport &stage : *stages)
    peaks.push_back(static_cast<double>(stage.peak));
  auto table = *current().module->getOps<dist::ScheduleOp>().begin();
  return std::optional(
      Need{*worst, static_cast<size_t>(worst - stages->data()),
           std::move(peaks), wholeMemory(),
           static_cast<int64_t>(table.getMicrobatches())});
}

// A measure that has begun to search goes on. Otherwise the measures follow
// each other, the cheapest first: arithmetic, another plan, the host's links,
// the order for memory alone. Narrower types are the last, since only they
// change numbers.
FailureOr<bool> PlanFitter::tryLess() {
  SmallVector<Measure, 5> measures;
  if (current().limits.leastMemory)
    measures = {&PlanFitter::findLeast};
  else if (offloadSearch)
    measures = {&PlanFitter::offloadMore, &PlanFitter::orderLess};
  else
    measures = {&PlanFitter::keepLess, &PlanFitter::planAgain,
                &PlanFitter::offloadMore, &PlanFitter::orderLess};
  measures.push_back(&PlanFitter::storeNarrower);
  for (Measure measure : measures) {
    FailureOr<std::optional<Need>> need = findNeed();
    if (failed(need))
      return failure();
    if (!*need)
      break;
    FailureOr<bool> again = (this->*measure)(**need);
    if (failed(again) || *again)
      return again;
  }
  return false;
}

bool PlanFitter::mayCompileAgain() const {
  return fitted.step || current().partitioned;
}

bool PlanFitter::mayReplaceTasks() const {
  const planning::Plan &plan = current().plan;
  return request.to >= Phase::planned &&
         (plan.residuals.empty() || plan.compressesWhereNeeded() ||
          plan.offloadsByPrice());
}

bool PlanFitter::mayOffload() const {
  const planning::Plan &plan = current().plan;
  return plan.offloadsByPrice() && plan.offloadBytes < 0 &&
         context.machine.bytesPerDevice(countDevices(*current().module, plan),
                                        MemorySpace::Host) > 0;
}

// The same plan is compiled again, from the last phase before its tasks that is
// at hand.
void PlanFitter::replaceTasks() {
  StepCompilation &own = current();
  bool isPartitioned = bool(own.partitioned);
  own.module = isPartitioned ? own.partitioned->clone() : fitted.step->clone();
  own.phase = isPartitioned ? Phase::partitioned : Phase::step;
  auto first = llvm::find_if(own.seconds, [&](const auto &entry) {
    std::optional<Phase> phase = parsePhase(entry.first);
    return phase && *phase > own.phase;
  });
  own.seconds.erase(first, own.seconds.end());
}

// Puts the module aside, and how it was made, if it is the best of a search so
// far.
void PlanFitter::noteTry(bool isBest) {
  if (leanest && !isBest)
    return;
  leanest = std::move(current().module);
  leanestLimits = current().limits;
  leanestDecisions = current().decisions;
}

void PlanFitter::takeLeanest() {
  current().module = std::move(leanest);
  current().limits = leanestLimits;
  current().decisions = leanestDecisions;
}

// Stages begin with the limits that they have.
static std::vector<double> limitsOf(const MemoryLimits &given, size_t stages) {
  std::vector<double> limits;
  for (size_t stage = 0; stage < stages; ++stage)
    limits.push_back(given.limitOf(stage));
  return limits;
}

// Tells a search of the compiled stages.
template <typename Search>
void PlanFitter::noteStages(StageSearch<Search> &search, const Need &need) {
  std::vector<typename StageSearch<Search>::Tried> tried;
  for (auto [stage, peak] : llvm::zip(current().decisions.stages, need.peaks))
    tried.push_back({stage.frontier, stage.kept, peak});
  tried.resize(need.peaks.size());
  search.note(tried);
  noteTry(search.isBest());
}

void PlanFitter::searchResiduals(const Need &need) {
  auto make = [this, memory = need.memory](size_t stage) {
    const std::vector<StageResiduals> &stages = current().decisions.stages;
    double held = stage < stages.size() ? stages[stage].held : 1;
    return ResidualSearch(memory, held, current().limits.limitOf(stage) == 0);
  };
  residualSearch.emplace(limitsOf(current().limits, need.peaks.size()), make,
                         need.memory);
}

// More of the forward pass is computed again.
FailureOr<bool> PlanFitter::keepLess(const Need &need) {
  MemoryLimits &given = current().limits;
  const planning::Plan &plan = current().plan;
  // A plan that says how much is kept, and fits, stays as it is.
  bool isGiven = !residualSearch && plan.residualBytes >= 0 && need.fits();
  // The same arithmetic may be there twice even if nothing is kept; the copies
  // are merged if this search decides.
  if (isGiven ||
      (!residualSearch && current().decisions.keepsNothing() && need.fits()))
    return false;
  if (!plan.decisions.empty()) {
    // The plan decides everything but the memory of steps that run beside
    // computation.
    if (!given.mayFall || need.fits() || !mayCompileAgain())
      return false;
    given.mayFall = false;
    replaceTasks();
    return true;
  }
  if (!residualSearch)
    searchResiduals(need);
  noteStages(*residualSearch, need);
  std::optional<std::vector<double>> limits = residualSearch->next();
  bool isOver = !limits || residualSearch->isHopeless();
  if (isOver && !residualSearch->found() && given.mayFall) {
    // From now on, steps that run beside computation may take no more memory.
    given.mayFall = false;
    limits = limitsOf(given, need.peaks.size());
    for (auto [i, stage] : llvm::enumerate(current().decisions.stages))
      (*limits)[i] = stage.frontier.empty()
                         ? given.limitOf(i)
                         : residualSearch->bestOf(i).value_or(0);
    given.limit(*limits);
    searchResiduals(need);
  }
  if (!limits || !mayCompileAgain()) {
    takeLeanest();
    return false;
  }
  given.limit(std::move(*limits));
  replaceTasks();
  return true;
}

// Under --compress=auto kept values are stored in a narrower format, and all
// measures are tried again.
FailureOr<bool> PlanFitter::storeNarrower(const Need &need) {
  const planning::Plan &plan = current().plan;
  if (!plan.compressesWhereNeeded() || current().limits.compress ||
      need.fits() || !mayCompileAgain())
    return false;
  if (current().limits.leastMemory)
    current().limits.withheld = withheldBefore;
  setLimits(MemoryLimits(plan));
  current().limits.compress = planning::PlanCompression::autoFormat;
  residualSearch.reset();
  offloadSearch.reset();
  leastSearch.reset();
  leanest = {};
  // The partitioned module may be of a plan that was given up.
  if (fitted.step)
    current().partitioned = {};
  replaceTasks();
  return true;
}

// Under --offload=auto some of the kept values live in the host's memory.
FailureOr<bool> PlanFitter::offloadMore(const Need &need) {
  if (!mayOffload() || !mayCompileAgain() || (!offloadSearch && need.fits()))
    return false;
  MemoryLimits &given = current().limits;
  const planning::Plan &plan = current().plan;
  if (!offloadSearch) {
    offloadSearch.emplace(need.memory, static_cast<double>(need.microbatches));
    leanest = {};
  }
  bool isOpen = plan.residuals.empty() && plan.decisions.empty();
  // All stages keep as much as the stage with the largest peak may.
  const StageResiduals worst = need.stage < current().decisions.stages.size()
                                   ? current().decisions.stages[need.stage]
                                   : StageResiduals();
  const OffloadDecision offload =
      current().decisions.offload.value_or(OffloadDecision());
  offloadSearch->note(isOpen ? worst.frontier : OffloadSearch::Frontier(),
                      worst.kept, offload.problem, offload.moved, need.peak());
  std::optional<OffloadSearch::Try> next = offloadSearch->next();
  noteTry(offloadSearch->isBest());
  if (!next) {
    takeLeanest();
    return false;
  }
  given.mayFall = false;
  given.offloadBytes = next->moved;
  if (isOpen && !worst.frontier.empty())
    given.limit(next->kept);
  replaceTasks();
  return true;
}

// The step is ordered for memory alone, no gathered parameter is kept, and all
// that may be is computed again, without regard to the memory that there is.
FailureOr<bool> PlanFitter::orderLess(const Need &need) {
  if (!fitted.step || need.fits())
    return false;
  MemoryLimits &given = current().limits;
  const planning::Plan &plan = current().plan;
  given.mayFall = false;
  given.leastMemory = true;
  if (mayOffload())
    given.offloadBytes = std::numeric_limits<double>::infinity();
  withheldBefore = current().limits.withheld;
  current().limits.withheld += facts().deviceMemory - 1;
  residualSearch.reset();
  current().partitioned = {};
  leanest = {};
  if (plan.residuals.empty() && plan.decisions.empty()) {
    size_t ops = distribute::getStep(*fitted.step)
                     .getBody()
                     .front()
                     .getOperations()
                     .size();
    given.limit(0);
    size_t tries = std::clamp(
        searchLimits.manyOps / std::max<size_t>(ops, 1),
        searchLimits.fewestLeastTries, searchLimits.mostLeastTries);
    leastSearch.emplace(limitsOf(given, need.peaks.size()),
                        [=](size_t) { return LeastSearch(tries); });
    given.hasPrice = false;
  }
  replaceTasks();
  return true;
}

// After that, the least memory that the step needs is looked for, until it
// fits.
FailureOr<bool> PlanFitter::findLeast(const Need &need) {
  if (!leastSearch || need.fits())
    return false;
  noteStages(*leastSearch, need);
  if (std::optional<std::vector<double>> limits = leastSearch->next()) {
    current().limits.limit(std::move(*limits));
    replaceTasks();
    return true;
  }
  takeLeanest();
  return false;
}

} // namespace zcc::planner
