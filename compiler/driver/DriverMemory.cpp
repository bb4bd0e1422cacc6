// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measures that are tried if a plan needs more memory than there is. Each
// returns the phase from which the module is compiled again, or nullopt if it
// has nothing to try.
#include "compiler/driver/DriverState.h"
#include "compiler/planner/explain/Explain.h"
#include "compiler/emission/ReportMemory.h"
#include "dialects/Dist/Dist.h"

using namespace mlir;

namespace zcc {

FailureOr<std::optional<Driver::Need>> Driver::findNeed() {
  FailureOr<std::vector<MemoryReport>> stages = readMemory(*module);
  if (failed(stages))
    return failure();
  takeFacts();
  const MemoryReport *worst = findWorst(*stages);
  if (!worst)
    return std::optional<Need>();
  std::vector<double> peaks;
  for (const MemoryReport &stage : *stages)
    peaks.push_back(static_cast<double>(stage.peak));
  auto table = *module->getOps<dist::ScheduleOp>().begin();
  return std::optional(
      Need{*worst, static_cast<size_t>(worst - stages->data()),
           std::move(peaks), facts.deviceMemory + withheld,
           static_cast<int64_t>(table.getMicrobatches())});
}

void Driver::noteTry(bool isBest) {
  if (leanest && !isBest)
    return;
  leanest = std::move(module);
  leanestResiduals = residuals;
}

void Driver::takeLeanest() {
  module = std::move(leanest);
  residuals = leanestResiduals;
}

// Tries the next measure. One that has begun to search goes on; otherwise their
// order is that of their cost: recomputation, another plan, the host's links,
// ordering steps to minimize memory. Narrower types come last, because only
// they change numbers.
FailureOr<std::optional<Phase>> Driver::tryLess() {
  using Measure = FailureOr<std::optional<Phase>> (Driver::*)(const Need &need);
  SmallVector<Measure, 5> measures;
  if (residuals.leastMemory)
    measures = {&Driver::findLeast};
  else if (offloadSearch)
    measures = {&Driver::offloadMore, &Driver::orderLess};
  else
    measures = {&Driver::keepLess, &Driver::planAgain, &Driver::offloadMore,
                &Driver::orderLess};
  measures.push_back(&Driver::storeNarrower);
  for (Measure measure : measures) {
    FailureOr<std::optional<Need>> need = findNeed();
    if (failed(need))
      return failure();
    if (!*need)
      break;
    FailureOr<std::optional<Phase>> from = (this->*measure)(**need);
    if (failed(from) || *from)
      return from;
  }
  return std::optional<Phase>();
}

// Compiles the tasks of the same plan again. Returns the phase to go on from.
Phase Driver::replaceTasks() {
  if (partitioned) {
    module = partitioned->clone();
    return Phase::tasks;
  }
  module = step->clone();
  return Phase::sharded;
}

// Returns the current limits of the stages.
static std::vector<double> limitsOf(const ResidualBudget &residuals,
                                    size_t stages) {
  std::vector<double> limits;
  for (size_t stage = 0; stage < stages; ++stage)
    limits.push_back(residuals.limitOf(stage));
  return limits;
}

template <typename Search>
void Driver::noteStages(StageSearch<Search> &search, const Need &need) {
  std::vector<typename StageSearch<Search>::Tried> tried;
  for (auto [stage, peak] : llvm::zip(residuals.stages, need.peaks))
    tried.push_back({stage.frontier, stage.kept, peak});
  tried.resize(need.peaks.size());
  search.note(tried);
  noteTry(search.isBest());
}

void Driver::searchResiduals(const Need &need) {
  auto make = [this, memory = need.memory](size_t stage) {
    double held =
        stage < residuals.stages.size() ? residuals.stages[stage].held : 1;
    return ResidualSearch(memory, held, residuals.limitOf(stage) == 0);
  };
  residualSearch.emplace(limitsOf(residuals, need.peaks.size()), make,
                         need.memory);
}

// Makes the backward pass compute more of the forward pass again.
FailureOr<std::optional<Phase>> Driver::keepLess(const Need &need) {
  // The plan's own budget is kept if it fits.
  bool isGiven = !residualSearch && plan.residualBytes >= 0 && need.fits();
  // If nothing is kept, repeated arithmetic may still exist; it is merged if
  // this search decides.
  if (isGiven ||
      (!residualSearch && residuals.keepsNothing() && need.fits()))
    return std::optional<Phase>();
  if (!plan.decisions.empty()) {
    // Everything is given, except which copies and collectives overlap with
    // computation.
    if (!residuals.mayFall || need.fits())
      return std::optional<Phase>();
    residuals.mayFall = false;
    return std::optional(replaceTasks());
  }
  if (!residualSearch)
    searchResiduals(need);
  noteStages(*residualSearch, need);
  std::optional<std::vector<double>> limits = residualSearch->next();
  bool isOver = !limits || residualSearch->isHopeless();
  if (isOver && !residualSearch->found() && residuals.mayFall) {
    // From now on overlap may take no additional memory.
    residuals.mayFall = false;
    limits = limitsOf(residuals, need.peaks.size());
    for (auto [i, stage] : llvm::enumerate(residuals.stages))
      (*limits)[i] = stage.frontier.empty()
                         ? residuals.limitOf(i)
                         : residualSearch->bestOf(i).value_or(0);
    residuals.limit(*limits);
    searchResiduals(need);
  }
  if (!limits) {
    takeLeanest();
    return std::optional<Phase>();
  }
  residuals.limit(std::move(*limits));
  return std::optional(replaceTasks());
}

// Under --compress=auto: stores residuals in bf16, and tries everything again.
FailureOr<std::optional<Phase>> Driver::storeNarrower(const Need &need) {
  if (plan.compress != "auto" || residuals.compress != "none" || need.fits() ||
      !(step || partitioned))
    return std::optional<Phase>();
  if (residuals.leastMemory)
    withheld = withheldBefore;
  residuals = ResidualBudget(plan);
  residuals.compress = "bf16";
  residualSearch.reset();
  offloadSearch.reset();
  leastSearch.reset();
  leanest = {};
  // The partitioned module may belong to a plan that was given up.
  if (step)
    partitioned = {};
  return std::optional(replaceTasks());
}

// Under --offload=auto: moves some values to the host's memory.
FailureOr<std::optional<Phase>> Driver::offloadMore(const Need &need) {
  if (!mayOffload() || !(step || partitioned) ||
      (!offloadSearch && need.fits()))
    return std::optional<Phase>();
  if (!offloadSearch) {
    offloadSearch.emplace(need.memory, static_cast<double>(need.microbatches));
    leanest = {};
  }
  bool isOpen = plan.residuals.empty() && plan.decisions.empty();
  // All stages keep as much as the one with the largest peak may.
  const StageResiduals worst = need.stage < residuals.stages.size()
                                   ? residuals.stages[need.stage]
                                   : StageResiduals();
  offloadSearch->note(isOpen ? worst.frontier : OffloadSearch::Frontier(),
                      worst.kept, residuals.offloadable, residuals.offloaded,
                      need.peak());
  std::optional<OffloadSearch::Try> next = offloadSearch->next();
  noteTry(offloadSearch->isBest());
  if (!next) {
    takeLeanest();
    return std::optional<Phase>();
  }
  residuals.mayFall = false;
  residuals.offloadBytes = next->moved;
  if (isOpen && !worst.frontier.empty())
    residuals.limit(next->kept);
  return std::optional(replaceTasks());
}

// Orders steps to minimize memory and keeps no gathered parameters; all that
// may be computed again is, whatever memory there is.
FailureOr<std::optional<Phase>> Driver::orderLess(const Need &need) {
  if (!step || need.fits())
    return std::optional<Phase>();
  residuals.mayFall = false;
  residuals.leastMemory = true;
  withheldBefore = withheld;
  withheld += facts.deviceMemory - 1;
  if (mayOffload())
    residuals.offloadBytes = std::numeric_limits<double>::infinity();
  residualSearch.reset();
  partitioned = {};
  leanest = {};
  if (plan.residuals.empty() && plan.decisions.empty()) {
    // Small steps get more tries, since each takes little time.
    constexpr size_t manyOps = 16000, fewest = 9, most = 40;
    size_t ops = dist::getStep(*step).getBody().front().getOperations().size();
    residuals.limit(0);
    size_t tries =
        std::clamp(manyOps / std::max<size_t>(ops, 1), fewest, most);
    leastSearch.emplace(limitsOf(residuals, need.peaks.size()),
                        [=](size_t) { return LeastSearch(tries); });
    residuals.hasPrice = false;
  }
  return std::optional(replaceTasks());
}

// Then searches for the least memory that the plan needs, until it fits.
FailureOr<std::optional<Phase>> Driver::findLeast(const Need &need) {
  if (!leastSearch || need.fits())
    return std::optional<Phase>();
  noteStages(*leastSearch, need);
  if (std::optional<std::vector<double>> limits = leastSearch->next()) {
    residuals.limit(std::move(*limits));
    return std::optional(replaceTasks());
  }
  takeLeanest();
  return std::optional<Phase>();
}

bool Driver::mayOffload() {
  return plan.offloadsByPrice() && plan.offloadBytes < 0 &&
         machine.hostBytesPerDevice(countDevices()) > 0;
}

// Reports a plan that exceeds the memory, with the breakdown. Returns an exit
// status.
int Driver::checkMemory() {
  const MemoryReport *worst = report.worst();
  takeFacts();
  double budget = facts.deviceMemory + withheld;
  double host = machine.hostBytesPerDevice(countDevices());
  if (worst && machine.ranksShareNode && !machine.findMemory("host"))
    // Device and host share one memory.
    host -= static_cast<double>(worst->peak);
  if (worst && static_cast<double>(worst->most.host) > std::max(host, 0.0)) {
    llvm::errs() << "error: memory: a device needs "
                 << formatBytes(worst->most.host)
                 << " of the host's memory, its share of that is "
                 << formatBytes(static_cast<int64_t>(host)) << "\n";
    return 2;
  }
  if (!worst || static_cast<double>(worst->peak) <= budget)
    return 0;
  auto excess = [&](const MemoryReport &stage) {
    return stage.peak - static_cast<int64_t>(budget);
  };
  bool isPipeline = report.stages.size() > 1;
  std::string text = "memory: a device ", byStage;
  if (isPipeline)
    text += "of stage " + std::to_string(worst - report.stages.data()) + " ";
  text += "needs " + formatBytes(worst->peak) + " (" +
          std::to_string(worst->peak) + " bytes), " +
          (isPipeline ? formatBytes(excess(*worst)) + " " : "") +
          "more than the budget of " +
          formatBytes(static_cast<int64_t>(budget)) +
          (options.get("memory").empty()
               ? " that '" + machine.name + "' has for it"
               : "");
  for (const MemoryReport &stage : report.stages)
    byStage += (byStage.empty() ? "" : ", ") + formatBytes(stage.peak) +
               (excess(stage) > 0 ? "" : " (fits)");
  if (isPipeline)
    text += "\n  by stage: " + byStage;
  text += "\n  at the peak: " + formatShares(*worst) +
          "\n  largest values there:";
  for (const LargeValue &value : worst->largest)
    text += "\n    " + formatBytes(value.bytes) + "  " + value.category + "  " +
            value.name;
  std::string fit;
  if (step && request.plan.empty())
    fit = findFit(*step, options, plan, considered, machine, facts, *target,
                  report, budget);
  llvm::errs() << "error: " << text << "\n" << fit;
  return 2;
}

} // namespace zcc
