// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a forward pass of a mixture of experts every layer waits for its
// all-to-alls, and nothing of the same microbatch is left to run beside them.
// The backward pass of the microbatch before is independent of it. If two runs
// that follow each other in a table use nothing of each other, the pass lets
// them take turns: whenever one waits for a collective, the other computes
// (the idea of DualPipe in DeepSeek-V3, 2024, on one device).
//
// RunInterleaver cuts the tasks.
//
// A small clock decides when it is whose turn (RunSections). In a pipeline,
// other stages wait for the sends of a run, so one of the two goes on whenever
// it can, and the tables of all stages decide which runs take turns
// (planning/TurnChoice.h). The result is played on the table's clock, and kept
// if the step saves enough time within the memory.
#include "mlir/IR/OwningOpRef.h"
#include "passes/Schedule/OverlapCollectives.h"
#include "passes/Schedule/RunInterleaver.h"
#include "passes/Schedule/StagesClock.h"
#include "llvm/ADT/StringSwitch.h"

namespace zcc {

#define GEN_PASS_DEF_INTERLEAVERUNS
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

// Turns that are chosen by an estimate may end the step later by this share.
// Its time is known better once the turns were played.
constexpr double sameEnd = 0.002;

/// The turns that runs of a module may take.
class RunTurns {
public:
  /// `known`: the outcome for the module as it is, if a pass before has found
  /// it.
  RunTurns(ModuleOp module, const ScheduleOptions &options,
           const OverlapOutcome *known)
      : module(module), options(options), known(known) {}

  /// Chooses the turns that save most time. Returns false if none save enough.
  FailureOr<bool> choose() {
    // One stage has the same cuts everywhere, and a trial for each. Several
    // stages have more trials, since each tells the seconds of turns better.
    const bool isAlone = hasOneStage(module);
    std::vector<SmallVector<CutAt, 3>> ways = {
        {CutAt::waits, CutAt::steps, CutAt::fits}};
    if (isAlone)
      ways = {{CutAt::waits}, {CutAt::steps}};
    for (ArrayRef<CutAt> cuts : ways) {
      RunInterleaver own(module, options, cuts);
      if (failed(own.read()))
        return failure();
      if (!own.hasPairs())
        return false;
      planning::ChosenTurns before;
      for (int trials = isAlone ? 1 : 3; trials-- > 0;) {
        const llvm::StringMap<double> *ofRun =
            whole ? &whole->outcome.ofRun : knownSeconds();
        if (!ofRun) {
          if (failed(playOnce()))
            return failure();
          ofRun = &whole->outcome.ofRun;
        }
        std::vector<planning::TurnStage> stages = own.describe(*ofRun);
        planning::ChosenTurns turns =
            isAlone ? planning::chooseAllTurns(stages)
                    : planning::chooseTurns(stages, trials > 1 ? sameEnd : 0);
        if (turns == before ||
            (!isAlone &&
             !isWorth(planning::playTurns(stages, turns),
                      planning::playTurns(stages, {}), stages.size(), sameEnd)))
          break;
        before = turns;
        if (failed(playOnce()))
          return failure();
        OwningOpRef<ModuleOp> trial(module.clone());
        RunInterleaver copy(*trial, options, cuts);
        if (failed(copy.read()))
          return failure();
        if (!copy.apply(turns))
          break;
        FailureOr<Played> played = play(*trial, OverlapEffort::estimate);
        if (failed(played))
          return failure();
        own.learn(copy, played->outcome.ofRun);
        if (hasRoom(played->outcome, whole->outcome) &&
            isWorth(played->times, whole->times, stages.size()) &&
            (!best || played->times.end < best->times.end))
          best = Choice{SmallVector<CutAt, 3>(cuts), std::move(turns),
                        played->times};
      }
    }
    if (!best || isAlone)
      return best.has_value();
    FailureOr<bool> isSure = holds(best->cuts, best->turns);
    if (failed(isSure) || !*isSure)
      best.reset();
    return isSure;
  }

  /// Returns the seconds at which the step ends, with the turns if any are
  /// chosen.
  FailureOr<double> getEnd() {
    if (best)
      return best->times.end;
    if (failed(playOnce()))
      return failure();
    return whole->times.end;
  }

  /// Lets runs take the chosen turns.
  LogicalResult apply() {
    RunInterleaver own(module, options, best->cuts);
    if (failed(own.read()))
      return failure();
    own.apply(best->turns);
    return success();
  }

private:
  /// The times of a step. In several stages those of a run are those that the
  /// stages' clocks tell.
  struct Played {
    OverlapOutcome outcome;
    planning::TurnTimes times;
  };
  struct Choice {
    SmallVector<CutAt, 3> cuts;
    planning::ChosenTurns turns;
    planning::TurnTimes times;
  };

  /// Returns true if turns take no more memory than overlap may. To keep less
  /// for the backward pass, so that they fit, would cost more than they save.
  bool hasRoom(const OverlapOutcome &turns, const OverlapOutcome &whole) const {
    int64_t most = whole.mostMemory;
    if (options.memory > 0)
      most = std::min(most, std::max(whole.peak, options.memory));
    return turns.peak <= most;
  }

  /// Returns true if the step saves enough time, or, if it ends at most the
  /// share `slack` later than before, its stages do.
  static bool isWorth(const planning::TurnTimes &times,
                      const planning::TurnTimes &than, size_t stages,
                      double slack = 0) {
    return times.end <= (1 - leastOverlapGain) * than.end ||
           (times.end <= (1 + slack) * than.end &&
            times.busy <= than.busy - leastOverlapGain * than.end *
                                          static_cast<double>(stages));
  }

  /// Overlaps collectives, and plays the tables.
  FailureOr<Played> play(ModuleOp module, OverlapEffort effort) {
    FailureOr<OverlapOutcome> outcome =
        overlapCollectives(module, options, effort);
    if (failed(outcome))
      return failure();
    Played out{std::move(*outcome), {}};
    out.times = {out.outcome.seconds, out.outcome.seconds};
    if (hasOneStage(module))
      return out;
    // Stages wait for each other.
    if (failed(placeEvents(module)))
      return failure();
    StepTimer timer(module, dist::getMesh(module), options.machine,
                    options.kernelCosts);
    StagesTimes times = playStages(module, timer);
    out.times = {times.end, times.busy};
    out.outcome.ofRun = std::move(times.ofRun);
    return out;
  }

  /// Returns the seconds of runs that a pass before has found; null: none has.
  const llvm::StringMap<double> *knownSeconds() const {
    return known ? &known->ofRun : nullptr;
  }

  /// Plays a copy of the step as it is.
  FailureOr<Played> playWhole(OverlapEffort effort) {
    if (known && hasOneStage(module)) {
      planning::TurnTimes times = {known->seconds, known->seconds};
      return Played{*known, times};
    }
    OwningOpRef<ModuleOp> copy(module.clone());
    return play(*copy, effort);
  }

  /// Plays a copy of the step as it is, unless its times are known.
  LogicalResult playOnce() {
    if (whole)
      return success();
    FailureOr<Played> played = playWhole(OverlapEffort::estimate);
    if (succeeded(played))
      whole = std::move(*played);
    return LogicalResult(played);
  }

  /// Returns true if turns are still worth it with the orders that steps get in
  /// the end.
  FailureOr<bool> holds(ArrayRef<CutAt> cuts,
                        const planning::ChosenTurns &turns) {
    FailureOr<Played> sure = playWhole(OverlapEffort::whole);
    if (failed(sure))
      return failure();
    OwningOpRef<ModuleOp> trial(module.clone());
    RunInterleaver copy(*trial, options, cuts);
    if (failed(copy.read()))
      return failure();
    copy.apply(turns);
    FailureOr<Played> played = play(*trial, OverlapEffort::whole);
    if (failed(played))
      return failure();
    return hasRoom(played->outcome, sure->outcome) &&
           isWorth(played->times, sure->times, turns.size());
  }

  ModuleOp module;
  const ScheduleOptions &options;
  const OverlapOutcome *known;
  std::optional<Choice> best;
  std::optional<Played> whole; // the step as it is
};

struct InterleaveRuns : impl::InterleaveRunsBase<InterleaveRuns> {
  explicit InterleaveRuns(const ScheduleOptions &options) : options(options) {}
  ScheduleOptions options;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!dist::getMesh(module))
      return;
    if (!cut.empty()) {
      std::optional<CutAt> cutAt = llvm::StringSwitch<std::optional<CutAt>>(cut)
                                       .Case("waits", CutAt::waits)
                                       .Case("steps", CutAt::steps)
                                       .Case("fits", CutAt::fits)
                                       .Default(std::nullopt);
      if (!cutAt) {
        module.emitError() << "--zcc-interleave-runs: expected cut=waits, "
                              "cut=steps or cut=fits, found cut="
                           << cut;
        return signalPassFailure();
      }
      RunInterleaver own(module, options, *cutAt);
      if (failed(own.read()))
        return signalPassFailure();
      own.apply(planning::chooseAllTurns(own.describe()));
      return;
    }
    // Later passes save less in sections than in whole tasks, so where all is
    // ordered for memory alone runs stay whole.
    if (knowsLinks(options.machine) && !options.leastMemory &&
        failed(decide(module)))
      signalPassFailure();
  }

  /// Lets runs take turns if that saves enough. If steps run in parts now,
  /// turns of runs of whole steps may be better than both.
  LogicalResult decide(ModuleOp module) {
    KnownOverlap &known = getAnalysis<KnownOverlap>();
    RunTurns own(module, options, known.outcome ? &*known.outcome : nullptr);
    FailureOr<bool> takes = own.choose();
    if (failed(takes))
      return failure();
    if (known.unsplit) {
      RunTurns whole(*known.unsplit, options, nullptr);
      FailureOr<bool> wholeTakes = whole.choose();
      if (failed(wholeTakes))
        return failure();
      if (*wholeTakes) {
        FailureOr<double> ends = own.getEnd(), wholeEnds = whole.getEnd();
        if (failed(ends) || failed(wholeEnds))
          return failure();
        if (*wholeEnds < (1 - leastOverlapGain) * *ends) {
          if (failed(whole.apply()))
            return failure();
          module.getBodyRegion().takeBody(known.unsplit->getBodyRegion());
          return success();
        }
      }
    }
    return *takes ? own.apply() : success();
  }
};

} // namespace

std::unique_ptr<mlir::Pass>
createInterleaveRuns(const ScheduleOptions &options) {
  return std::make_unique<InterleaveRuns>(options);
}

} // namespace zcc
