// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/DriverState.h"
#include "compiler/phases/Machine.h"
#include "compiler/phases/Pipelines.h"
#include "compiler/planner/search/PlanChoice.h"
#include "compiler/simulator/Prediction.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Distribute.h"
#include <cmath>

using namespace mlir;

namespace zcc {

// Completes the plan for the module of phase `step`: from a file, by a search,
// or from named axes if nothing is open. Returns an exit status.
int Driver::placePlan() {
  if (placed)
    return 0; // the plan is tried again
  placed = true;
  // This pass runs now so that the search, the plan and explanations see the
  // same ops.
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
    takeFacts(); // the number of devices is known now
    residuals = ResidualBudget(plan);
  }
  if (std::string message = checkNodes(machine, countDevices());
      !message.empty())
    return fail(message);
  residuals.mayFall = plan.residuals.empty();
  // With named axes and no stages there is one microbatch, unless the user
  // asked for a search.
  if (!options.isGiven("microbatches") && !plan.isBare() &&
      planning::sizeOf(plan.mesh, {planning::AxisRole::Pipe}) == 1)
    plan.microbatches = std::max<int64_t>(plan.microbatches, 1);
  bool chooses = plan.isOpen() && !dist::getMesh(*module);
  if (chooses || request.to >= Phase::planned)
    step = module->clone(); // an error can then propose a plan that fits
  if (!chooses)
    return 0;
  trials.emplace(options, plan, machine, *target, request.planActions);
  return failed(choosePlan(facts.deviceMemory)) ? 2 : 0;
}

// Chooses another plan for the same step, with at most `memory` bytes per
// device, and with less than `within` seconds if there is one.
LogicalResult Driver::choosePlan(double memory, double within) {
  module = step->clone();
  takeFacts();
  if (failed(trials->choose(*module, facts, memory, within)))
    return failure();
  plan = trials->chosen().plan;
  considered = trials->considered();
  residuals = {};
  residuals.hasPrice = true;
  residuals.bytes = PlanTrials::keptOf(trials->chosen());
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
  partitioned = {};
}

// Compiles the same plan again, with different memory.
void Driver::shardAgain() {
  residualSearch.reset();
  partitioned = {};
  module = step->clone();
}

namespace {
// The result of memory planning for a plan, and the tries before it.
struct Outcome {
  double memory;        // of a device, all of it
  double excess;        // bytes by which the plan exceeds it
  double kept, notKept; // bytes of gathered parameters that may be kept or not
  bool hasSpare;        // a plan that fits is put aside
  bool chosen;          // the search chose it, so others may be tried
  bool limited;         // a faster plan did not fit by its estimate
  int compiles;         // including this one
};

constexpr int mostCompiles = 3; // before the smallest plan

enum class NextTry {
  Accept,   // go on with the plan, or report that it does not fit
  Compare,  // take the faster one of the plan and the spare
  Spare,    // take the spare
  KeepMore, // the same plan, with more gathered parameters kept
  KeepLess, // the same plan, with fewer of them kept
  Faster,   // another plan, now that there is room
  Smaller,  // another plan that needs less
};

// Returns the next try of the first line whose condition holds. A plan that
// fits is improved once.
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

// Decides what to do after memory planning. If the plan needs too much memory,
// fewer gathered parameters are kept, or another plan is chosen by the
// corrected estimates, and finally the smallest one. If it needs less, more are
// kept, or a faster plan is tried that may fit. Returns the phase from which to
// compile again; `module` is then of phase `step`.
FailureOr<std::optional<Phase>> Driver::planAgain(const Need &need) {
  // The share of memory to use, for each time it was exceeded.
  constexpr double margin = 0.98;
  if (!placed || residuals.compress != "none")
    return std::optional<Phase>();
  ++compiles;
  auto bytesOf = [&](StringRef name) {
    auto bytes = (*module)->getAttrOfType<IntegerAttr>(name);
    return bytes ? static_cast<double>(bytes.getInt()) : 0;
  };
  Outcome outcome;
  outcome.memory = need.memory;
  outcome.excess = need.excess();
  outcome.kept = bytesOf(keptBytesAttrName);
  outcome.notKept = bytesOf(notKeptBytesAttrName);
  outcome.hasSpare = spare.has_value();
  outcome.chosen = trials.has_value();
  outcome.limited = trials && trials->isLimited();
  outcome.compiles = compiles;
  std::optional<double> seconds; // predicted once
  auto secondsOf = [&]() {
    if (!seconds) {
      std::optional<Prediction> predicted =
          predictStep(*module, *target, machine, options.get("precision"), 0);
      seconds = predicted ? predicted->stepSeconds : 0;
    }
    return *seconds;
  };
  if (trials)
    trials->notePlanned(need.worst, outcome.kept, secondsOf());
  FailureOr<bool> again = false;
  switch (decideNext(outcome)) {
  case NextTry::Accept:
    break;
  case NextTry::Compare:
    if (spare->seconds <= secondsOf())
      restore(spare);
    break;
  case NextTry::Spare:
    restore(spare);
    break;
  case NextTry::KeepMore:
    spare = putAside(secondsOf());
    withheld += margin * outcome.excess;
    shardAgain();
    again = true;
    break;
  case NextTry::KeepLess:
    // A little more is withheld than necessary, because only whole parameters
    // are kept.
    withheld = std::min(outcome.memory - 1,
                        withheld + outcome.excess + outcome.memory / 64);
    shardAgain();
    again = true;
    break;
  case NextTry::Faster:
    again = tryFaster(outcome.memory, secondsOf());
    break;
  case NextTry::Smaller:
    again =
        trySmaller(outcome.memory * std::pow(margin, compiles), outcome.memory);
    break;
  }
  if (failed(again))
    return failure();
  return *again ? std::optional(Phase::sharded) : std::nullopt;
}

// Puts the plan, which takes `seconds`, aside and chooses one that is faster by
// the corrected estimate. Returns true if there is one.
FailureOr<bool> Driver::tryFaster(double memory, double seconds) {
  constexpr double worthwhile = 0.98;
  double estimate = trials->estimatePlanned();
  spare = putAside(seconds);
  if (failed(choosePlan(memory, worthwhile * seconds)))
    return failure();
  std::optional<double> simulated = trials->simulatedSeconds();
  if (!trials->wasPlanned() &&
      (simulated
           ? *simulated <= worthwhile * seconds
           : trials->chosen().figures.overlapped() <= worthwhile * estimate))
    return true;
  restore(spare);
  return false;
}

// Chooses a plan of at most `wanted` bytes out of `memory`, or the smallest
// one. Returns true if there is one that was not compiled before.
FailureOr<bool> Driver::trySmaller(double wanted, double memory) {
  withheld = 0;
  std::optional<Compiled> last = putAside(0);
  if (failed(choosePlan(compiles < mostCompiles ? wanted : 1)))
    return failure();
  // Nothing fits, or a plan that fits by its estimate did not.
  if (trials->wasPlanned() && compiles < mostCompiles) {
    compiles = mostCompiles;
    if (failed(choosePlan(1)))
      return failure();
  }
  if (trials->wasPlanned()) {
    // Both this plan and the last one need too much; the last one is ordered to
    // minimize memory.
    module = std::move(last->module);
    explained = std::move(last->explained);
    return false;
  }
  if (trials->chosen().figures.bytes() > memory)
    compiles = mostCompiles; // this is the last try
  return true;
}

} // namespace zcc
