// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/DriverState.h"
#include "compiler/driver/Explain.h"
#include "compiler/driver/Machine.h"
#include "compiler/driver/Pipelines.h"
#include "compiler/driver/PlanChoice.h"
#include "compiler/simulator/Prediction.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Distribute.h"
#include <cmath>

using namespace mlir;

namespace zcc {

// Fills the plan for the module of phase `step`: by a file, by a choice, or by
// named axes, which need none. An exit status.
int Driver::placePlan() {
  if (placed)
    return 0; // tried again
  placed = true;
  // Plans, their choice and explanations see the same ops.
  PassManager pm(&context);
  pm.enableVerifier(false);
  pm.addPass(createSplitConstants());
  if (failed(pm.run(*module)))
    return 2;
  if (!request.plan.empty()) {
    if (std::string errors = followPlan(*module, request.plan, options, plan);
        !errors.empty()) {
      llvm::errs() << errors;
      return 2;
    }
    takeFacts(); // of the plan's devices
    residuals = ResidualBudget(plan);
  }
  if (std::string message = checkNodes(machine, countDevices());
      !message.empty())
    return fail(message);
  residuals.mayFall = plan.residuals.empty();
  bool chooses = plan.isBare() && !dist::getMesh(*module);
  if (chooses || request.to >= Phase::planned)
    step = module->clone(); // a refusal says what would fit
  if (!chooses)
    return 0;
  trials.emplace(options, plan, machine, *target);
  return failed(choosePlan(facts.deviceMemory)) ? 2 : 0;
}

// Another plan for the same step, of at most `memory` bytes a device.
LogicalResult Driver::choosePlan(double memory) {
  module = step->clone();
  takeFacts();
  if (failed(trials->choose(*module, facts, memory)))
    return failure();
  plan = trials->chosen().plan;
  considered = trials->considered();
  residuals = {};
  residuals.hasPrice = true;
  residuals.bytes = trials->chosen().figures.residualBytes();
  residuals.mayFall = plan.residuals.empty();
  residualSearch.reset();
  partitioned = {};
  return success();
}

Driver::Compiled Driver::putAside(double seconds) {
  return {std::move(module),
          std::move(explained),
          plan,
          decided,
          considered,
          residuals,
          seconds};
}

void Driver::restore(std::optional<Compiled> &from) {
  module = std::move(from->module);
  explained = std::move(from->explained);
  plan = std::move(from->plan);
  decided = std::move(from->decided);
  considered = std::move(from->considered);
  residuals = std::move(from->residuals);
  from.reset();
}

namespace {
// What memory planning has found of a plan, and what was tried before.
struct Outcome {
  double memory;        // of a device, all of it
  double excess;        // of the plan over it
  double kept, notKept; // of gathered parameters that may be either
  bool hasSpare;        // one that fits is put aside
  bool chosen;          // not asked for: others may be tried
  bool limited;         // by memory was what the choice could choose among
  int compiles;         // this one too
};

constexpr int mostCompiles = 3; // and the smallest plan

enum class NextTry {
  Accept,   // go on with it, or refuse it
  Compare,  // the faster of it and the spare
  Spare,    // the spare
  KeepMore, // the same plan, with more that is gathered kept
  KeepLess, // with less
  Faster,   // another plan, now that there is room
  Smaller,  // another plan that needs less
};

// The first line that holds. A plan that fits is bettered once.
NextTry decideNext(const Outcome &is) {
  bool fits = is.excess <= 0, first = is.compiles == 1,
       hasRoom = -is.excess > is.memory / 64;
  struct Line {
    bool when;
    NextTry next;
  };
  const Line lines[] = {
      {fits && is.hasSpare, NextTry::Compare},
      {is.hasSpare, NextTry::Spare},
      {fits && first && is.notKept > 0 && hasRoom, NextTry::KeepMore},
      {fits && first && is.chosen && is.limited, NextTry::Faster},
      {fits, NextTry::Accept},
      {is.kept > 0 && (!is.chosen || is.kept >= is.excess) &&
           is.compiles < mostCompiles,
       NextTry::KeepLess},
      {is.chosen && is.compiles <= mostCompiles, NextTry::Smaller},
  };
  for (const Line &line : lines)
    if (line.when)
      return line.next;
  return NextTry::Accept;
}
} // namespace

// The phase from which on the same plan is compiled again.
std::optional<Phase> Driver::replaceTasks() {
  if (partitioned) {
    module = partitioned->clone();
    return Phase::tasks;
  }
  module = step->clone();
  return Phase::sharded;
}

// Where the plan needs more than there is, more of the forward pass is computed
// again: the phase from which on that is done, if it is to be tried.
FailureOr<std::optional<Phase>> Driver::keepLess() {
  Report planned;
  if (failed(addFacts(*module, planned)))
    return failure();
  const MemoryReport *worst = planned.worst();
  takeFacts();
  double memory = facts.deviceMemory + withheld;
  // As the plan has it, if that fits.
  bool fits = worst && static_cast<double>(worst->peak) <= memory,
       isGiven = !residualSearch && plan.residualBytes >= 0 && fits;
  // Where nothing is kept arithmetic may still be there twice, which is merged
  // where this decides.
  if (!worst || isGiven || (!residualSearch && residuals.kept == 0 && fits))
    return std::optional<Phase>();
  if (!plan.decisions.empty()) {
    // All but what runs beside computation is given.
    if (!residuals.mayFall || fits)
      return std::optional<Phase>();
    residuals.mayFall = false;
    return replaceTasks();
  }
  if (!residualSearch)
    residualSearch.emplace(memory);
  residualSearch->note(residuals.bytes < 0 ? ResidualSearch::Frontier()
                                           : residuals.frontier,
                       residuals.kept, static_cast<double>(worst->peak));
  std::optional<double> bytes = residualSearch->next();
  if (!leanest || residualSearch->isBest()) {
    leanest = std::move(module);
    leanestResiduals = residuals;
  }
  if (!bytes && !residualSearch->found() && residuals.mayFall) {
    // What runs beside computation takes no memory then.
    residuals.mayFall = false;
    bytes = residuals.frontier.empty() ? residuals.bytes
                                       : residuals.frontier.back().bytes;
    residualSearch.emplace(memory);
    leanest = {};
  }
  if (!bytes) {
    module = std::move(leanest);
    residuals.bytes = leanestResiduals.bytes;
    residuals.decisions = leanestResiduals.decisions;
    return std::optional<Phase>();
  }
  residuals.bytes = *bytes;
  return replaceTasks();
}

// Under --compress=auto, where nothing else has made the plan fit: what is kept
// is stored in bf16, and all is tried again. The phase from which on that is
// done.
FailureOr<std::optional<Phase>> Driver::storeNarrower() {
  if (plan.compress != "auto" || residuals.compress != "none")
    return std::optional<Phase>();
  Report planned;
  if (failed(addFacts(*module, planned)))
    return failure();
  const MemoryReport *worst = planned.worst();
  takeFacts();
  if (!worst ||
      static_cast<double>(worst->peak) <= facts.deviceMemory + withheld ||
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
  // What partitioning has left may be of a plan that was given up.
  if (step) {
    module = step->clone();
    return std::optional(Phase::sharded);
  }
  module = partitioned->clone();
  return std::optional(Phase::tasks);
}

// Under --offload=auto, where the plan needs more than there is whatever is
// computed again: some of it lives in the host's memory. The phase from which
// on that is done.
FailureOr<std::optional<Phase>> Driver::offloadMore() {
  if (!plan.offloadsByPrice() || plan.offloadBytes >= 0 ||
      machine.hostBytesPerDevice(countDevices()) <= 0)
    return std::optional<Phase>();
  Report planned;
  if (failed(addFacts(*module, planned)))
    return failure();
  const MemoryReport *worst = planned.worst();
  takeFacts();
  double memory = facts.deviceMemory + withheld;
  if (!worst || !(step || partitioned))
    return std::optional<Phase>();
  if (!offloadSearch) {
    if (static_cast<double>(worst->peak) <= memory)
      return std::optional<Phase>();
    offloadSearch.emplace(
        memory, static_cast<double>(planned.microbatches.value_or(1)));
    leanest = {};
  }
  bool isOpen = plan.residuals.empty() && plan.decisions.empty();
  offloadSearch->note(isOpen ? residuals.frontier : OffloadSearch::Frontier(),
                      residuals.kept, residuals.offloadable,
                      residuals.offloaded, static_cast<double>(worst->peak));
  std::optional<OffloadSearch::Try> next = offloadSearch->next();
  if (!leanest || offloadSearch->isBest()) {
    leanest = std::move(module);
    leanestResiduals = residuals;
  }
  if (!next) {
    module = std::move(leanest);
    residuals = leanestResiduals;
    return std::optional<Phase>();
  }
  residuals.mayFall = false;
  residuals.offloadBytes = next->moved;
  if (isOpen && !residuals.frontier.empty())
    residuals.bytes = next->kept;
  return replaceTasks();
}

// Where nothing has made the plan fit, its steps are ordered for memory alone,
// nothing gathered is kept, and what may be computed again is. The phase from
// which on that is done: all of it without regard to the memory that there is.
FailureOr<std::optional<Phase>> Driver::orderLess() {
  Report planned;
  if (residuals.leastMemory || !step)
    return std::optional<Phase>();
  if (failed(addFacts(*module, planned)))
    return failure();
  const MemoryReport *worst = planned.worst();
  takeFacts();
  if (!worst ||
      static_cast<double>(worst->peak) <= facts.deviceMemory + withheld)
    return std::optional<Phase>();
  residuals.mayFall = false;
  residuals.leastMemory = true;
  withheldBefore = withheld;
  withheld += facts.deviceMemory - 1;
  if (plan.offloadsByPrice() && plan.offloadBytes < 0 &&
      machine.hostBytesPerDevice(countDevices()) > 0)
    residuals.offloadBytes = std::numeric_limits<double>::infinity();
  residualSearch.reset();
  partitioned = {};
  leanest = {};
  if (plan.residuals.empty() && plan.decisions.empty()) {
    // Of a small step each takes no time.
    constexpr size_t manyOps = 16000, fewest = 9, most = 40;
    size_t ops = dist::getStep(*step).getBody().front().getOperations().size();
    leastSearch.emplace(
        std::clamp(manyOps / std::max<size_t>(ops, 1), fewest, most));
    residuals.bytes = 0;
    residuals.hasPrice = false;
  }
  module = step->clone();
  return std::optional(Phase::sharded);
}

// Then the least that it needs is looked for, until it fits.
FailureOr<std::optional<Phase>> Driver::findLeast() {
  if (!leastSearch)
    return std::optional<Phase>();
  Report planned;
  if (failed(addFacts(*module, planned)))
    return failure();
  const MemoryReport *worst = planned.worst();
  takeFacts();
  if (!worst ||
      static_cast<double>(worst->peak) <= facts.deviceMemory + withheld)
    return std::optional<Phase>();
  leastSearch->note(residuals.bytes < 0 ? LeastSearch::Frontier()
                                        : residuals.frontier,
                    residuals.kept, static_cast<double>(worst->peak));
  if (leastSearch->isBest()) {
    leanest = std::move(module);
    leanestResiduals = residuals;
  }
  if (std::optional<double> bytes = leastSearch->next()) {
    residuals.bytes = *bytes;
    return replaceTasks();
  }
  module = std::move(leanest);
  residuals = leanestResiduals;
  return std::optional<Phase>();
}

// Memory planning has found what the plan needs. Where that is more than there
// is, less of what was gathered is kept, or another plan is chosen, now that
// the estimate is better; at last the smallest. Where it is less, more is kept,
// or a faster plan is tried that may fit. Whether to go on with what is in
// `module`, of phase `step`.
FailureOr<bool> Driver::planAgain() {
  constexpr double margin = 0.98; // of memory, for each time it was exceeded
  Report planned;
  if (failed(addFacts(*module, planned)))
    return failure();
  const MemoryReport *worst = planned.worst();
  if (!worst)
    return false;
  ++compiles;
  takeFacts();
  auto bytesOf = [&](StringRef name) {
    auto bytes = (*module)->getAttrOfType<IntegerAttr>(name);
    return bytes ? static_cast<double>(bytes.getInt()) : 0;
  };
  Outcome outcome;
  outcome.memory = facts.deviceMemory + withheld;
  outcome.excess = static_cast<double>(worst->peak) - outcome.memory;
  outcome.kept = bytesOf(keptBytesAttrName);
  outcome.notKept = bytesOf(notKeptBytesAttrName);
  outcome.hasSpare = spare.has_value();
  outcome.chosen = trials.has_value();
  outcome.limited = trials && trials->isLimited();
  outcome.compiles = compiles;
  if (trials)
    trials->notePlanned(*worst, outcome.kept);
  auto secondsOf = [&]() {
    std::optional<Prediction> predicted =
        predictStep(*module, *target, machine, options.get("precision"), 0);
    return predicted ? predicted->stepSeconds : 0;
  };
  switch (decideNext(outcome)) {
  case NextTry::Accept:
    return false;
  case NextTry::Compare:
    if (spare->seconds <= secondsOf())
      restore(spare);
    return false;
  case NextTry::Spare:
    restore(spare);
    return false;
  case NextTry::KeepMore:
    spare = putAside(secondsOf());
    withheld += margin * outcome.excess;
    residualSearch.reset();
    module = step->clone();
    return true;
  case NextTry::KeepLess:
    // By a little more: what is kept is whole parameters.
    withheld = std::min(outcome.memory - 1,
                        withheld + outcome.excess + outcome.memory / 64);
    residualSearch.reset();
    module = step->clone();
    return true;
  case NextTry::Faster:
    return tryFaster(outcome.memory, secondsOf());
  case NextTry::Smaller:
    return trySmaller(outcome.memory * std::pow(margin, compiles),
                      outcome.memory);
  }
  return false;
}

// Puts the plan aside, which takes `seconds`, for one that is faster by the
// better estimate. Whether there is one.
FailureOr<bool> Driver::tryFaster(double memory, double seconds) {
  constexpr double worthwhile = 0.98;
  double estimate = trials->chosen().figures.overlapped();
  spare = putAside(seconds);
  if (failed(choosePlan(memory)))
    return failure();
  if (!trials->wasPlanned() &&
      trials->chosen().figures.overlapped() <= worthwhile * estimate)
    return true;
  restore(spare);
  return false;
}

// A plan of at most `wanted` bytes, of the `memory` that there is, or the
// smallest. Whether there is one that was not compiled before.
FailureOr<bool> Driver::trySmaller(double wanted, double memory) {
  withheld = 0;
  std::optional<Compiled> last = putAside(0);
  if (failed(choosePlan(compiles < mostCompiles ? wanted : 1)))
    return failure();
  // Nothing fits, or what fits by the estimate did not.
  if (trials->wasPlanned() && compiles < mostCompiles) {
    compiles = mostCompiles;
    if (failed(choosePlan(1)))
      return failure();
  }
  if (trials->wasPlanned()) {
    // What it needs is known to be too much, as is the last one's; it is the
    // one that is ordered for memory alone.
    module = std::move(last->module);
    explained = std::move(last->explained);
    return false;
  }
  if (trials->chosen().figures.bytes() > memory)
    compiles = mostCompiles; // the last one
  return true;
}

// Refuses a plan that exceeds the budget, with the breakdown.
int Driver::checkMemory() {
  const MemoryReport *worst = report.worst();
  takeFacts();
  double budget = facts.deviceMemory + withheld;
  double host = machine.hostBytesPerDevice(countDevices());
  if (worst && machine.ranksShareNode && !machine.findMemory("host"))
    host -= static_cast<double>(worst->peak); // it is one memory
  if (worst && static_cast<double>(worst->most.host) > std::max(host, 0.0)) {
    llvm::errs() << "error: memory: a device needs "
                 << formatBytes(worst->most.host)
                 << " of the host's memory, its share of that is "
                 << formatBytes(static_cast<int64_t>(host)) << "\n";
    return 2;
  }
  if (!worst || static_cast<double>(worst->peak) <= budget)
    return 0;
  std::string text =
      "memory: a device needs " + formatBytes(worst->peak) + " (" +
      std::to_string(worst->peak) + " bytes), more than the budget of " +
      formatBytes(static_cast<int64_t>(budget)) +
      (options.get("memory").empty() ? " that '" + machine.name + "' has for it"
                                     : "") +
      "\n  at the peak: " + formatShares(*worst) + "\n  largest values there:";
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
