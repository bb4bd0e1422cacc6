// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets collectives run beside computation. Each goes on the stream of its
// group's links, and the steps of a task are put into an order that is good for
// two resources. The pass chooses the order by playing the action table:
// collectives that one task leaves running still run in the next
// (ListScheduler, TablePlayer). A ring stays one step and sends its next block
// while it works on this one (RingOverlap). Bits stay as they are: no step
// reads other values than before.
//
// The pass tries how far kernels may overtake others, and takes the fastest
// order that fits into memory. Memory may grow by a share of the peak of the
// whole step, or to a share of the device's. If no order fits, collectives
// begin later (half as early each time), and at last stay in their old places.
// Data that only links need is limited to a window. Overlap that saves too
// little is dropped. Machines whose ranks share a node without links are left
// alone, because there moving bytes is work of the same cores.
#include "passes/Schedule/OverlapCollectives.h"
#include "mlir/IR/Threading.h"
#include "passes/Schedule/RingOverlap.h"
#include "passes/Schedule/StepOrder.h"
#include "passes/Schedule/TablePlayer.h"

namespace zcc {

#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

// The peak of the whole step may grow by 1/addedPeakShare in any case, or up to
// the share `memoryShare` of the device's memory.
constexpr int64_t addedPeakShare = 256;
constexpr double memoryShare = 0.9;
// This share of the memory may be used in addition if the backward pass may
// keep less instead.
constexpr double growthShare = 0.125;
// Orders whose times differ by less are equally good: estimates are not more
// exact.
constexpr double asGood = 0.005;
// A collective that takes memory begins so many times its own duration before
// it is needed, in addition to the transfers that wait for the link already.
// Computation may be faster than estimated, and ranks are not in step.
constexpr double longestLead = 8, shortestLead = 0.125;
// Links may have so many times the largest collective waiting, or this share of
// the memory if that is more.
constexpr int64_t windowSends = 3;
constexpr double windowShare = 1.0 / 32;
// The most steps that a kernel may overtake. If fewer steps make the whole step
// this share slower than the best, even fewer are not tried.
constexpr unsigned farthest = 64;
constexpr double worse = 0.025;

/// Returns the orders that save enough, the best first. Among equally good
/// orders, the one in which kernels overtake least comes first.
std::vector<TablePlayer::Outcome> tryOrders(const TablePlayer &player,
                                            double lead, double inTurn,
                                            int64_t window,
                                            OverlapEffort effort) {
  struct Trial {
    unsigned far;
    TablePlayer::Outcome outcome;
  };
  std::vector<Trial> trials;
  auto run = [&](unsigned far, bool inOrder = false) {
    TablePlayer::Outcome outcome = player.choose({far, lead, inOrder, window});
    double seconds = outcome.seconds;
    if (seconds <= (1 - leastOverlapGain) * inTurn)
      trials.push_back({far, std::move(outcome)});
    return seconds;
  };
  if (effort == OverlapEffort::estimate) {
    run(farthest);
  } else if (double still = run(0), far = run(farthest);
             far < (1 - asGood) * still) {
    for (unsigned fewer = farthest / 2; fewer > 0; fewer /= 2)
      if (run(fewer) > (1 + worse) * far)
        break;
  }
  if (player.hasParts())
    run(farthest, /*inOrder=*/true);
  std::vector<TablePlayer::Outcome> out;
  while (!trials.empty()) {
    double best = trials.front().outcome.seconds;
    for (const Trial &trial : trials)
      best = std::min(best, trial.outcome.seconds);
    auto first = trials.end();
    for (auto at = trials.begin(); at != trials.end(); ++at)
      if (at->outcome.seconds <= (1 + asGood) * best &&
          (first == trials.end() || at->far < first->far))
        first = at;
    out.push_back(std::move(first->outcome));
    trials.erase(first);
  }
  return out;
}

struct OverlapCollectives : impl::OverlapCollectivesBase<OverlapCollectives> {
  explicit OverlapCollectives(const ScheduleOptions &options)
      : options(options) {}
  ScheduleOptions options;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!dist::getMesh(module) || !knowsLinks(options.machine))
      return;
    if (failed(overlapCollectives(module, options, OverlapEffort::whole)))
      signalPassFailure();
  }
};

} // namespace

/// Overlaps the collectives of one stage.
static FailureOr<OverlapOutcome>
overlapStage(ModuleOp module, dist::ScheduleOp table, StepTimer timer,
             const ScheduleOptions &options, OverlapEffort effort) {
  FailureOr<StageTimeline> timeline = StageTimeline::build(module, table);
  if (failed(timeline))
    return failure();
  OverlapOutcome out;
  out.peak = StepPeaks(*timeline).peak;
  auto shareOf = [&](double share) {
    return static_cast<int64_t>(share * static_cast<double>(options.memory));
  };
  out.mostMemory = std::max(
      {out.peak + out.peak / addedPeakShare, shareOf(memoryShare),
       options.mayGrow ? out.peak + shareOf(growthShare) : int64_t(0)});
  if (options.leastMemory)
    out.mostMemory = out.peak;
  TablePlayer player(*timeline, timer);
  int64_t window =
      std::max(windowSends * player.largestHeld(), shareOf(windowShare));
  const TablePlayer::Outcome inTurn = player.playInTurn();
  auto note = [&](const TablePlayer::Outcome &outcome) {
    out.seconds = outcome.seconds;
    for (auto [task, waits] : outcome.waits) {
      exec::TaskOp op = timeline->tasks[task].op;
      out.waits[op.getSymName()] = waits;
    }
    for (auto [task, seconds] : outcome.ofRun) {
      exec::TaskOp op = timeline->tasks[task].op;
      out.ofRun[op.getSymName()] = seconds;
    }
  };
  struct Fit {
    TablePlayer::Outcome outcome;
    int64_t peak;
  };
  std::optional<Fit> fit;
  // Writes the best order with this lead that fits; returns false if none does.
  auto tryLead = [&](double lead) -> FailureOr<bool> {
    for (TablePlayer::Outcome &own :
         tryOrders(player, lead, inTurn.seconds, window, effort)) {
      player.write(own);
      FailureOr<StageTimeline> now = StageTimeline::build(module, table);
      if (failed(now))
        return failure();
      int64_t peak = StepPeaks(*now).peak;
      if (peak > out.mostMemory)
        continue;
      fit = {std::move(own), peak};
      return true;
    }
    return false;
  };
  // If the shortest lead does not fit, those between are not tried. A
  // collective that begins later is held shorter, though not every peak of the
  // stage falls with that.
  FailureOr<bool> fits = tryLead(longestLead);
  if (succeeded(fits) && !*fits) {
    fits = tryLead(shortestLead);
    bool any = succeeded(fits) && *fits;
    for (double lead = longestLead / 2; any && lead > shortestLead; lead /= 2) {
      fits = tryLead(lead);
      if (failed(fits) || *fits)
        break;
    }
    if (any && succeeded(fits) && !*fits)
      player.write(fit->outcome);
  }
  if (failed(fits))
    return failure();
  if (!fit) {
    player.undo();
    note(inTurn);
    return out;
  }
  out.peak = fit->peak;
  note(fit->outcome);
  return out;
}

FailureOr<OverlapOutcome> overlapCollectives(ModuleOp module,
                                             const ScheduleOptions &options,
                                             OverlapEffort effort) {
  StepTimer timer(module, dist::getMesh(module), options.machine,
                  options.kernelCosts);
  overlapRings(module, timer);
  SmallVector<dist::ScheduleOp> tables(module.getOps<dist::ScheduleOp>());
  std::vector<OverlapOutcome> stages(tables.size());
  if (failed(failableParallelForEachN(
          module.getContext(), 0, tables.size(), [&](size_t i) {
            FailureOr<OverlapOutcome> own =
                overlapStage(module, tables[i], timer, options, effort);
            if (succeeded(own))
              stages[i] = std::move(*own);
            return LogicalResult(own);
          })))
    return failure();
  OverlapOutcome out;
  for (const OverlapOutcome &own : stages) {
    out.seconds = std::max(out.seconds, own.seconds);
    out.peak = std::max(out.peak, own.peak);
    out.mostMemory = std::max(out.mostMemory, own.mostMemory);
    for (const auto &entry : own.waits)
      out.waits[entry.getKey()] = entry.getValue();
    for (const auto &entry : own.ofRun)
      out.ofRun[entry.getKey()] = entry.getValue();
  }
  return out;
}

bool knowsLinks(const planning::Machine &machine) {
  return !machine.ranksShareNode || !machine.links.empty();
}

bool hasOneStage(ModuleOp module) {
  return llvm::hasSingleElement(module.getOps<dist::ScheduleOp>());
}

std::unique_ptr<mlir::Pass>
createOverlapCollectives(const ScheduleOptions &options) {
  return std::make_unique<OverlapCollectives>(options);
}

} // namespace zcc
