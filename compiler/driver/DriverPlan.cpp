// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/DriverState.h"
#include "compiler/driver/Explain.h"
#include "compiler/driver/Machine.h"
#include "compiler/driver/OptionValues.h"
#include "compiler/driver/Pipelines.h"
#include "compiler/driver/PlanChoice.h"
#include "compiler/simulator/Prediction.h"
#include "passes/Distribute/Place/StateChoice.h"
#include <cmath>

using namespace mlir;

namespace zcc {

// Gives the module of phase `step` its plan: one of a file, one that is chosen,
// or named axes, which need none. An exit status.
int Driver::placePlan() {
  if (placed)
    return 0; // tried again
  placed = true;
  if (!request.plan.empty()) {
    if (std::string errors = followPlan(*module, request.plan, options);
        !errors.empty()) {
      llvm::errs() << errors;
      return 2;
    }
  }
  if (std::string message = checkNodes(machine, countDevices());
      !message.empty())
    return fail(message);
  bool chooses = request.plan.empty() && choosesPlan();
  if (chooses || request.to >= Phase::planned)
    step = module->clone(); // a refusal says what would fit
  if (!chooses)
    return 0;
  trials.emplace(options, machine, *target);
  return failed(trials->choose(*module, facts, facts.deviceMemory)) ? 2 : 0;
}

// Another plan for the same step, of at most `memory` bytes a device.
LogicalResult Driver::choosePlan(double memory) {
  module = step->clone();
  takeFacts();
  return trials->choose(*module, facts, memory);
}

// Memory planning has found what the plan needs. Where that is more than there
// is, less of what was gathered is kept, or another plan is chosen, now that
// the estimate is better; at last the smallest. Where it is less, more is kept,
// or a faster plan is tried that may fit. Whether to go on with what is in
// `module`, of phase `step`.
FailureOr<bool> Driver::planAgain() {
  constexpr int mostCompiles = 3; // and the smallest plan
  constexpr double margin = 0.98; // of memory, for each time it was exceeded
  constexpr double worthwhile = 0.98;
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
  double memory = facts.deviceMemory + withheld,
         excess = static_cast<double>(worst->peak) - memory,
         kept = bytesOf(dist::keptAttrName);
  if (trials)
    trials->notePlanned(*worst, kept);
  auto secondsOf = [&]() {
    std::optional<Prediction> predicted =
        predictStep(*module, *target, machine, options.get("precision"), 0);
    return predicted ? predicted->stepSeconds : 0;
  };
  auto take = [&](std::optional<Compiled> &from) {
    module = std::move(from->module);
    explained = std::move(from->explained);
    planOut = std::move(from->planOut);
    from.reset();
    return false;
  };
  // The same plan, with passes that may use more or less.
  auto samePlan = [&]() {
    module = step->clone();
    if (trials)
      trials->applyAgain(*module);
    return true;
  };

  if (excess <= 0) {
    if (spare)
      return spare->seconds <= secondsOf() ? take(spare) : false;
    if (compiles > 1)
      return false;
    if (bytesOf(dist::notKeptAttrName) > 0 && -excess > memory / 64) {
      double seconds = secondsOf();
      spare = {std::move(module), std::move(explained), planOut, seconds};
      withheld += margin * excess;
      return samePlan();
    }
    if (!trials || !trials->isLimited())
      return false;
    double seconds = secondsOf(), estimate = trials->chosen().figures.seconds();
    spare = {std::move(module), std::move(explained), planOut, seconds};
    if (failed(choosePlan(memory)))
      return failure();
    if (trials->wasPlanned() ||
        trials->chosen().figures.seconds() > worthwhile * estimate)
      return take(spare);
    return true;
  }
  if (spare)
    return take(spare);
  if (kept > 0 && (!trials || kept >= excess) && compiles < mostCompiles) {
    // By a little more: what is kept is whole parameters.
    withheld = std::min(memory - 1, withheld + excess + memory / 64);
    return samePlan();
  }
  if (!trials || compiles > mostCompiles)
    return false;
  withheld = 0;
  std::optional<Compiled> last;
  last = {std::move(module), std::move(explained), planOut, 0};
  double wanted = memory * std::pow(margin, compiles);
  if (failed(choosePlan(compiles < mostCompiles ? wanted : 1)))
    return failure();
  // Nothing fits, or what fits by the estimate did not.
  if (trials->wasPlanned() && compiles < mostCompiles) {
    compiles = mostCompiles;
    if (failed(choosePlan(1)))
      return failure();
  }
  if (trials->wasPlanned())
    return take(last);
  if (trials->chosen().figures.bytes() > memory)
    compiles = mostCompiles; // the last one
  return true;
}

// Refuses a plan that exceeds the budget, with the breakdown.
int Driver::checkMemory() {
  const MemoryReport *worst = report.worst();
  takeFacts();
  double budget = facts.deviceMemory + withheld;
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
    fit = findFit(*step, *module, options, machine, facts, *target, report,
                  budget);
  llvm::errs() << "error: " << text << "\n" << fit;
  return 2;
}

} // namespace zcc
