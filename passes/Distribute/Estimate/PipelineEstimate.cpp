// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The row is simpler than that of the cut (Stages/StageRow.h), which knows the
// partitioned step. A forward op stands at the length of the longest way from
// it to the loss, and a backward op counts where its forward op stands.
#include "passes/Distribute/Estimate/PipelineEstimate.h"
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "planning/StageCut.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

using planning::AxisRole;

namespace {
constexpr size_t mostWindows = 512;

class Profiler {
public:
  Profiler(Block &block, const PlacedStep &placed, const StepCost &cost,
           const DenseMap<Operation *, int64_t> &pinned)
      : block(block), placed(placed), cost(cost), pinned(pinned) {}

  StepProfile run() {
    for (unsigned axis = 0; axis < placed.mesh.size(); ++axis)
      if (placed.mesh.isPipe(axis))
        profile.pipe = placed.mesh.groupOf(axis);
    findPlaces();
    profile.places = static_cast<int64_t>(seconds.size());
    if (profile.places > 0) {
      addOps();
      addStates();
      makeWindows();
    }
    return std::move(profile);
  }

private:
  // Places the forward ops of a microbatch. Ops that follow from parameters
  // alone go with their readers, so they have no place.
  void findPlaces() {
    DenseSet<Value> ofData;
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator()) {
      bool reads = llvm::any_of(op.getOperands(), [&](Value v) {
        auto argument = dyn_cast<BlockArgument>(v);
        return argument ? isInput(argument) : ofData.contains(v);
      });
      if (!reads)
        continue;
      ofData.insert(op.result_begin(), op.result_end());
      if (train::isForward(&op))
        ops.push_back(&op);
    }
    int64_t longest = -1;
    DenseSet<Operation *> aside; // only the backward pass reads them
    for (Operation *op : llvm::reverse(ops)) {
      int64_t behind = 0;
      bool isAside = !op->use_empty();
      for (Operation *user : op->getUsers()) {
        isAside &=
            train::hasTag(user, train::Tag::Backward) || aside.contains(user);
        if (auto at = places.find(user);
            at != places.end() && !aside.contains(user))
          behind = std::max(behind, at->second + 1);
      }
      if (isAside)
        aside.insert(op);
      places[op] = behind;
      longest = std::max(longest, behind);
    }
    for (auto &[op, place] : places)
      place = longest - place;
    for (Operation *op : ops)
      placeEarlier(op, aside.contains(op));
    seconds.assign(longest + 1, 0);
    sent.assign(longest + 2, 0);
    states.assign(longest + 1, 0);
    stages.assign(longest + 1, -1);
    // The ops of one place get one stage. Where pins contradict each other the
    // place has none: the cut, which knows more, decides.
    DenseSet<int64_t> several;
    for (Operation *op : ops)
      if (auto pin = pinned.find(op); pin != pinned.end()) {
        int64_t place = places[op], &stage = stages[place];
        if (stage >= 0 && stage != pin->second)
          several.insert(place);
        stage = pin->second;
      }
    for (int64_t place : several)
      stages[place] = -1;
  }

  // Moves ops forward to their operands if the backward pass alone reads them,
  // or if they are smaller than their operands (a metric, a loss of a layer's
  // own).
  void placeEarlier(Operation *op, bool isAside) {
    int64_t first = -1;
    double read = 0, made = 0;
    for (Value v : op->getOperands())
      if (Operation *source = v.getDefiningOp())
        if (auto at = places.find(source); at != places.end()) {
          first = std::max(first, at->second);
          read += bytesOf(v);
        }
    for (Value v : op->getResults())
      made += bytesOf(v);
    if (first >= 0 && (isAside || made < read))
      places[op] = std::min(places[op], first + (isAside ? 0 : 1));
  }

  static bool isInput(BlockArgument argument) {
    auto step = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return bool(step.getArgAttr(argument.getArgNumber(), zcc::inputAttrName));
  }

  void addOps() {
    for (Operation &op : block.without_terminator()) {
      auto own = placed.step.ops.find(&op);
      double took = own == placed.step.ops.end()
                        ? 0
                        : cost.seconds(&op, own->second) +
                              cost.edgeSeconds(&op, own->second);
      auto at = places.find(&op);
      if (at == places.end()) {
        if (!train::isForward(&op) && !train::hasTag(&op, train::Tag::Backward))
          profile.once += took;
        continue;
      }
      profile.forward += took;
      seconds[at->second] += took;
      for (Value v : op.getResults()) {
        int64_t last = at->second;
        for (Operation *user : v.getUsers())
          if (auto reader = places.find(user); reader != places.end())
            last = std::max(last, reader->second);
        double bytes = cost.localBytes(v, placed.computed(v));
        sent[at->second] += bytes;
        sent[last] -= bytes;
      }
    }
  }

  // Adds each state where it is first read, directly or through ops of states
  // alone.
  void addStates() {
    for (BlockArgument argument : block.getArguments()) {
      if (isInput(argument))
        continue;
      int64_t first = profile.places;
      llvm::SmallSetVector<Operation *, 8> readers;
      readers.insert(argument.user_begin(), argument.user_end());
      for (unsigned i = 0; i < readers.size(); ++i) {
        if (auto at = places.find(readers[i]); at != places.end())
          first = std::min(first, at->second);
        else if (train::isForward(readers[i]))
          readers.insert(readers[i]->user_begin(), readers[i]->user_end());
      }
      if (first < profile.places)
        states[first] += cost.localBytes(argument, placed.computed(argument));
    }
  }

  void makeWindows() {
    double all = 0, before = 0, crossing = 0;
    for (double own : seconds)
      all += own;
    size_t last = mostWindows;
    for (size_t i = 0; i < seconds.size(); ++i) {
      auto window = static_cast<size_t>(
          all > 0 ? std::min(before / all, 1.0) * (mostWindows - 1) : 0);
      before += seconds[i];
      crossing += sent[i];
      bool isPinned = stages[i] >= 0;
      if (window != last || (isPinned && profile.windows.back().stage >= 0 &&
                             profile.windows.back().stage != stages[i]))
        profile.windows.push_back({0, crossing, 0});
      last = window;
      StepProfile::Window &own = profile.windows.back();
      own.seconds += seconds[i];
      own.sentBytes = std::min(own.sentBytes, crossing);
      own.state += states[i];
      if (isPinned)
        own.stage = stages[i];
    }
  }

  Block &block;
  const PlacedStep &placed;
  const StepCost &cost;
  const DenseMap<Operation *, int64_t> &pinned;
  StepProfile profile;
  DenseMap<Operation *, int64_t> places;
  std::vector<double> seconds, sent, states; // by place; `sent`: differences
  // stages that users pinned places to
  std::vector<int64_t> stages;
};

// The shares of the whole step that a stage has; `sentSeconds` is of one
// message.
struct StageShare {
  double time = 0, state = 0, sentSeconds = 0;
};

std::vector<StageShare> cutIntoStages(const StepProfile &profile,
                                      const planning::Plan &plan,
                                      int64_t chunks, bool goesBack,
                                      double microbatchSeconds,
                                      const planning::CostModel &model) {
  int64_t stages = planning::sizeOf(plan.mesh, {AxisRole::Pipe});
  planning::StageCutProblem problem;
  problem.stages = planning::listParts(stages, chunks, goesBack);
  double forward = profile.forward, state = 0;
  for (const StepProfile::Window &window : profile.windows)
    state += window.state;
  for (const StepProfile::Window &window : profile.windows) {
    planning::StageCutProblem::Piece &piece = problem.pieces.emplace_back();
    piece.seconds = window.seconds / forward * microbatchSeconds;
    piece.sentBytes = window.sentBytes;
    piece.stage = window.stage;
    piece.sentSeconds = model.collectiveSeconds({planning::CollectiveKind::Send,
                                                 {{2, profile.pipe.stride}},
                                                 window.sentBytes});
  }
  planning::StageCut cut;
  if (!planning::cutStages(problem, cut).empty())
    return {};
  std::vector<StageShare> shares(stages);
  size_t begin = 0;
  for (size_t part = 0; part < cut.size(); ++part) {
    StageShare &own = shares[problem.stages[part]];
    for (; begin < cut[part]; ++begin) {
      own.time += profile.windows[begin].seconds / forward;
      own.state += state > 0 ? profile.windows[begin].state / state : 0;
    }
    if (begin < problem.pieces.size())
      own.sentSeconds =
          std::max(own.sentSeconds, problem.pieces[begin - 1].sentSeconds);
  }
  return shares;
}

// A cut: the stages, and what each takes for a microbatch.
struct PricedStages {
  std::vector<StageShare> shares;
  planning::ScheduleRequest request;
  double work = 0; // seconds that microbatches take on all stages together
};
std::optional<PricedStages> cutAndCost(const StepCost::Figures &whole,
                                       const StepProfile &profile,
                                       const planning::Plan &plan,
                                       int64_t chunks, bool goesBack,
                                       const planning::CostModel &model) {
  if (profile.forward <= 0)
    return std::nullopt;
  auto microbatches =
      static_cast<double>(std::max<int64_t>(plan.microbatches, 1));
  PricedStages out;
  out.work = whole.compute - profile.once + whole.communication - whole.loose;
  double perMicrobatch = out.work / microbatches;
  out.shares =
      cutIntoStages(profile, plan, chunks, goesBack, perMicrobatch, model);
  if (out.shares.empty())
    return std::nullopt;
  out.request.microbatches = plan.microbatches;
  double forward = std::min(profile.forward / microbatches, perMicrobatch),
         backward = (perMicrobatch - forward) / 2;
  for (const StageShare &share : out.shares)
    out.request.stages.push_back({share.time * forward, share.time * backward,
                                  share.time * backward, share.sentSeconds});
  return out;
}

// The result of playing a schedule. Only few microbatches are played: once all
// stages work, a schedule repeats itself, interleaved ones after a group of
// microbatches.
struct Played {
  double seconds = 0;
  std::vector<double> peak; // microbatches, by stage
  // The most of these that are between their two backward tasks.
  std::vector<double> delayed;
};
std::vector<double> countDelayed(const planning::FoundSchedule &found) {
  std::vector<double> out(found.tables.size(), 0);
  for (auto [i, task] : llvm::enumerate(found.problem.tasks)) {
    int64_t weights = found.problem.find(
        task.stage, task.chunk, planning::StageTaskKind::WeightBackward);
    if (task.kind == planning::StageTaskKind::Backward && weights >= 0)
      out[task.stage] +=
          static_cast<double>(planning::countHeld(
              found.tables[task.stage], i, static_cast<size_t>(weights))) /
          static_cast<double>(found.problem.chunksOf(task.stage));
  }
  return out;
}
std::optional<Played> play(planning::ScheduleRequest request,
                           const planning::NamedSchedule &schedule) {
  int64_t period =
      schedule.countGroup(static_cast<int64_t>(request.stages.size()));
  int64_t all = request.microbatches, few = 2 * period + all % period;
  auto run = [&](int64_t microbatches) -> std::optional<Played> {
    planning::FoundSchedule found;
    request.microbatches = microbatches;
    if (!planning::makeNamed(request, schedule, /*early=*/false, found).empty())
      return std::nullopt;
    return Played{found.times.makespan, found.times.peak, countDelayed(found)};
  };
  if (all <= few + period)
    return run(all);
  std::optional<Played> first = run(few), second = run(few + period);
  if (!first || !second)
    return std::nullopt;
  double more =
      static_cast<double>(all - few - period) / static_cast<double>(period);
  second->seconds += (second->seconds - first->seconds) * more;
  for (auto [peak, before] : llvm::zip_equal(second->peak, first->peak))
    peak += (peak - before) * more;
  return second;
}
} // namespace

StepProfile
distribute::measureProfile(Block &block, const PlacedStep &placed,
                           const StepCost &cost,
                           const DenseMap<Operation *, int64_t> &pinned) {
  return Profiler(block, placed, cost, pinned).run();
}

// The numbers of chunks of a stage that are looked at.
static constexpr int64_t chunkCounts[] = {2, 3, 4, 6, 8};

int64_t distribute::mostChunks(int64_t stages) {
  int64_t most = 1;
  for (int64_t count : chunkCounts)
    if (stages * count <= static_cast<int64_t>(mostWindows / 2))
      most = count;
  return most;
}

std::vector<planning::NamedSchedule>
distribute::listSchedulesFor(const StepProfile &profile, int64_t stages) {
  std::vector<planning::NamedSchedule> schedules;
  for (const planning::ScheduleGenerator &generator :
       planning::getScheduleGenerators()) {
    if (generator.chunks == 0) {
      for (int64_t count : chunkCounts)
        schedules.emplace_back(generator.kind, count);
    } else {
      schedules.emplace_back(generator.kind);
    }
  }
  // A part of one window with many ops could not be cut by the time of its ops.
  auto most = static_cast<int64_t>(profile.windows.size());
  if (profile.places > most)
    most /= 2;
  llvm::erase_if(schedules, [&](const planning::NamedSchedule &schedule) {
    return stages * schedule.countChunks() > most;
  });
  return schedules;
}

std::optional<StepCost::Figures> distribute::estimatePipeline(
    const StepCost::Figures &whole, const StepProfile &profile,
    const planning::Plan &plan, const planning::CostModel &model) {
  if (!plan.schedule.isNamed())
    return std::nullopt;
  std::optional<PricedStages> cut =
      cutAndCost(whole, profile, plan, plan.schedule.countChunks(),
                 plan.schedule.getGenerator().goesBack, model);
  if (!cut)
    return std::nullopt;
  const std::vector<StageShare> &shares = cut->shares;
  std::optional<Played> played = play(std::move(cut->request), plan.schedule);
  if (!played)
    return std::nullopt;

  StepCost::Figures out = whole;
  // Take the stage that needs the most memory. The products of weights'
  // gradients read cotangents, about half of the residuals. Cotangents stay
  // until those products run, whatever is computed again.
  constexpr double cotangents = 0.5;
  double most = -1, state = 1, held = 1, stays = 0;
  for (auto [share, peak, delayed] :
       llvm::zip_equal(shares, played->peak, played->delayed)) {
    stays = std::max(stays, cotangents * share.time * delayed);
    double bytes = (whole.state + whole.gradients) * share.state +
                   whole.residuals * share.time * peak;
    if (bytes <= most)
      continue;
    most = bytes;
    state = share.state;
    held = share.time * peak;
  }
  double slowest = 0; // the largest share of the work that follows parameters
  for (const StageShare &share : shares)
    slowest = std::max(slowest, share.state);
  out.pipeline.held = std::max(held - stays, 0.0);
  out.pipeline.slow = played->seconds / cut->work;
  out.state *= state;
  out.gradients *= state;
  out.residuals *= held;
  out.keptBytes *= state;
  out.keptSeconds *= state;
  out.compute = profile.once * slowest +
                (whole.compute - profile.once) * out.pipeline.slow;
  out.loose = whole.loose * slowest;
  out.communication =
      (whole.communication - whole.loose) * out.pipeline.slow + out.loose;
  out.inWay *= out.pipeline.slow;
  out.tables *= slowest;
  return out;
}

DeviceShare distribute::shareOfDevice(Block &block, const PlacedStep &placed,
                                      const StepCost &cost,
                                      const planning::Plan &plan,
                                      const planning::CostModel &model) {
  StepCost::Figures whole = cost.measure(placed);
  if (planning::sizeOf(plan.mesh, {AxisRole::Pipe}) <= 1)
    return {whole.bytes(), 1};
  DenseMap<Operation *, int64_t> none;
  planning::Plan own = plan;
  // The schedule is open or a table: assume one that holds about as many
  // microbatches.
  if (!own.schedule.isNamed())
    own.schedule = planning::defaultSchedule;
  std::optional<StepCost::Figures> stage = estimatePipeline(
      whole, measureProfile(block, placed, cost, /*pinned=*/none), own, model);
  if (!stage || whole.state <= 0)
    return {whole.bytes(), 1};
  return {stage->bytes(), stage->state / whole.state};
}

std::optional<planning::ScheduleRequest> distribute::makeScheduleRequest(
    const StepCost::Figures &whole, const StepCost::Figures &own,
    const StepProfile &profile, const planning::Plan &plan,
    const planning::CostModel &model, double memory) {
  std::optional<PricedStages> cut =
      cutAndCost(whole, profile, plan, /*chunks=*/1,
                 /*goesBack=*/false, model);
  if (!cut)
    return std::nullopt;
  const StepCost::MemoryScale &by = own.scale;
  double residuals = by.residuals * whole.residuals;
  if (own.recomputed)
    residuals -= by.residuals * own.recomputed->saved;
  for (const StageShare &share : cut->shares) {
    double room = memory - by.residuals * own.kept - by.largest * own.largest -
                  share.state *
                      (by.state * whole.state + by.gradients * whole.gradients),
           each = residuals * share.time;
    cut->request.memories.push_back(
        each > 0 ? std::max(room, 0.0) / each
                 : std::numeric_limits<double>::infinity());
  }
  cut->request.countsMakespan = true;
  return std::move(cut->request);
}
