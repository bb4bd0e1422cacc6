// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/ExplainRoles.h"
#include "compiler/planner/explain/ExplainAlternatives.h"
#include "compiler/planner/explain/ExplainTexts.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

std::string planner::explainRoles(const ExplainedStep &explained) {
  const MeshAxes &mesh = explained.mesh();
  const StepTrials &trials = explained.trials;
  const StepSharding &step = explained.decided.step;
  std::string text;
  llvm::raw_string_ostream os(text);
  AxisList batch;
  for (unsigned axis : step.batchAxes)
    if (!mesh.isTemporal(axis))
      batch.push_back(axis);
  if (!batch.empty())
    os << "  batch: split over " << mesh.textOf(batch, "+") << "\n";
  if (!step.stateAxes.empty())
    os << "  state: ZeRO " << explained.decided.zero
       << (explained.decided.zero
               ? ", split over " + mesh.textOf(step.stateAxes, "+")
               : std::string(", whole on every device"))
       << "\n";
  const ShardingPins &pins = trials.pins();
  if (!pins.empty())
    os << "  pins: "
       << (explained.mixed ? "a mixture of plans" : "of the plan's file")
       << ", "
       << (trials.allPinned() ? std::string("every op and ")
                              : std::to_string(pins.ops.size()) + " ops and ")
       << pins.arguments.size()
       << " parameters and inputs; they overrule roles\n";
  if (trials.allPinned())
    return text;
  if (!explained.origins->classes.empty()) {
    os << "  tensor: dims of parameters that products pair, fewest bytes moved "
          "for the work divided first:\n";
    // Dims of repeated layers are told once.
    std::vector<std::pair<const ShardingOrigins::Class *, int>> alike;
    for (const ShardingOrigins::Class &own : explained.origins->classes) {
      auto at = llvm::find_if(alike, [&](const auto &entry) {
        return entry.first->moved == own.moved &&
               entry.first->flops == own.flops &&
               entry.first->verdict == own.verdict;
      });
      if (at == alike.end())
        alike.emplace_back(&own, 0);
      else
        ++at->second;
    }
    for (auto &[own, more] : alike)
      os << "    "
         << llvm::formatv("{0,-42} moves {1,-10} divides {2,-13} {3}",
                          own->dims, formatAmount(own->moved, "B"),
                          formatAmount(own->flops, "flop"), own->verdict)
         << (more ? "; " + std::to_string(more) + " more are like it" : "")
         << "\n";
  }
  for (const ShardingOrigins::SequenceTrial &tried :
       explained.origins->sequence)
    os << "  sequence: between sums over " << mesh.nameOf(tried.axis)
       << (tried.kept ? " split: it moves " : " whole: split it would move ")
       << formatAmount(tried.after, "B") << " instead of "
       << formatAmount(tried.before, "B") << "\n";
  return text;
}

std::string
planner::explainOptions(ExplainedStep &step,
                        llvm::function_ref<TellSimulated> simulated) {
  StepTrials &trials = step.trials;
  const DecidedSharding &decided = step.decided;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "  estimate: " << formatSeconds(step.figures.overlapped())
     << " a step (compute " << formatSeconds(step.figures.compute)
     << ", communication " << formatSeconds(step.figures.communication)
     << ", in part at the same time), "
     << formatAmount(step.figures.bytes(), "B") << " a device\n";
  os << "  other options would change that by:\n";
  auto tell = [&](const std::string &option, const planning::Plan &tried) {
    if (auto measured = trials.measureFitted(tried))
      os << "    " << llvm::formatv("{0,-25}", option)
         << tellChanges(*measured, step.figures)
         << (trials.fits(*measured) ? "" : ", does not fit") << simulated(tried)
         << "\n";
  };
  if (!decided.step.stateAxes.empty())
    for (int stage = 0; stage <= 3; ++stage) {
      planning::Plan tried = trials.base();
      tried.zero = stage;
      if (stage != decided.zero)
        tell("--zero " + std::to_string(stage), tried);
    }
  int64_t shards = 1;
  for (unsigned axis : decided.step.batchAxes)
    if (!trials.mesh().isTemporal(axis))
      shards *= trials.mesh().sizeOf(axis);
  // Pins hold for the plan's number of microbatches only.
  for (int64_t count = 1;
       trials.pins().empty() && count * shards <= trials.batch() && count <= 8;
       count *= 2) {
    planning::Plan tried = trials.base();
    tried.microbatches = count;
    if (count != trials.base().microbatches)
      tell("--microbatches " + std::to_string(count), tried);
  }
  if (!trials.base().wholeSequence && !trials.allPinned() &&
      !decided.step.sequenceAxes.empty()) {
    planning::Plan tried = trials.base();
    tried.wholeSequence = true;
    tell("--disable shard-sequence", tried);
  }
  return text;
}
