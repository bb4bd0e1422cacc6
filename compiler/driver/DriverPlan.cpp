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

// Fills the plan for the module of phase `step`: by a file, by a choice, or by
// named axes, where nothing is left to choose. An exit status.
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
  // Axes with names and no stages: one, unless a choice was asked for.
  if (!options.isGiven("microbatches") && !plan.isBare() &&
      planning::sizeOf(plan.mesh, {planning::AxisRole::Pipe}) == 1)
    plan.microbatches = std::max<int64_t>(plan.microbatches, 1);
  bool chooses = plan.isOpen() && !dist::getMesh(*module);
  if (chooses || request.to >= Phase::planned)
    step = module->clone(); // a refusal says what would fit
  if (!chooses)
    return 0;
  trials.emplace(options, plan, machine, *target, request.planActions);
  return failed(choosePlan(facts.deviceMemory)) ? 2 : 0;
}

// Another plan for the same step, of at most `memory` bytes a device, and if
// there is one of less than `within` seconds.
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

// The same plan, in other memory.
void Driver::shardAgain() {
  residualSearch.reset();
  partitioned = {};
  module = step->clone();
}

namespace {
// What memory planning has found of a plan, and what was tried before.
struct Outcome {
  double memory;        // of a device, all of it
  double excess;        // of the plan over it
  double kept, notKept; // of gathered parameters that may be either
  bool hasSpare;        // one that fits is put aside
  bool chosen;          // not asked for: others may be tried
  bool limited;         // what did not fit by its estimate would be faster
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

// Memory planning has found what the plan needs. Where that is more than there
// is, less of what was gathered is kept, or another plan is chosen, now that
// the estimate is better; at last the smallest. Where it is less, more is kept,
// or a faster plan is tried that may fit: `module` is of phase `step` then,
// and the phase from which on it is compiled is returned.
FailureOr<std::optional<Phase>> Driver::planAgain(const Need &need) {
  constexpr double margin = 0.98; // of memory, for each time it was exceeded
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
    // By a little more: what is kept is whole parameters.
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

// Puts the plan aside, which takes `seconds`, for one that is faster by the
// better estimate. Whether there is one.
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

} // namespace zcc
