// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nearest plan that fits: ZeRO stages, microbatches, recomputation,
// schedules of a pipeline and, where the axes were not given, other meshes are
// measured (ExplainTrials.h);
// the fastest whose estimate fits is compiled, and where it needs more than
// estimated, one that is estimated to need less.
#include "compiler/phases/Pipelines.h"
#include "compiler/planner/FitLimits.h"
#include "compiler/planner/explain/Explain.h"
#include "compiler/planner/explain/ExplainTrials.h"
#include "compiler/planner/fit/LeastSearch.h"
#include "compiler/planner/search/PlanChoice.h"
#include "dialects/Dist/AxisNames.h"
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Optimizers/Optimizer.h"
#include "mlir/IR/Diagnostics.h"
#include "planning/PlanValues.h"
#include "planning/ScheduleSearch.h"
#include "planning/StepExtent.h"
#include <map>

using namespace mlir;

namespace zcc::planner {
namespace {
using Mesh = std::vector<planning::PlanAxis>;

struct TriedFit {
  planning::Plan plan;
  std::string text; // the options that lead to it
  size_t changes = 0;
  double bytes = 0, seconds = 0; // estimated

  void add(const std::string &option, const std::string &value) {
    text += (text.empty() ? "--" : " --") + option + " " + value;
    ++changes;
  }
};

struct Peak {
  int64_t bytes;
  size_t stage; // the stage with the peak
  // The reason why a compilation with more memory would use more; "" if it
  // would not.
  StringRef grows;
};

// Compiles the step by the plan within limits. Returns nullopt where it does
// not compile, and says nothing. `decisions` is set to those of the passes.
std::optional<Peak> peakOf(const CompileContext &context, ModuleOp step,
                           const planning::Plan &plan, double withheld,
                           MemoryLimits limits,
                           MemoryDecisions *decisions = nullptr) {
  StepCompilation tried;
  tried.module = step.clone();
  tried.plan = plan;
  limits.withheld = withheld;
  if (plan.offloadsByPrice())
    limits.offloadBytes = std::numeric_limits<double>::infinity();
  if (plan.compressesWhereNeeded())
    limits.compress = planning::PlanCompression::autoFormat;
  tried.limits = std::move(limits);
  ScopedDiagnosticHandler quiet(step.getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(compileTo(context, tried, Phase::planned, OpVerifier::LeaveOut)))
    return std::nullopt;
  if (decisions)
    *decisions = tried.decisions;
  Report report;
  if (failed(addFacts(*tried.module, report)) || !report.worst())
    return std::nullopt;
  bool mayKeep =
      llvm::any_of(tried.decisions.stages, [](const StageResiduals &stage) {
        return stage.frontier.size() > 1;
      });
  auto left = (*tried.module)->getAttrOfType<IntegerAttr>(notKeptBytesAttrName);
  StringRef grows =
      left && left.getInt() > 0   ? ", more where gathered parameters are kept"
      : mayKeep ? ", more where less is computed again"
                                  : "";
  return Peak{report.worst()->peak,
              static_cast<size_t>(report.worst() - report.stages.data()),
              grows};
}

class FitSearch {
public:
  FitSearch(const CompileContext &context, const FittedStep &fitted,
            const Report &report, double budget)
      : context(context), step(*fitted.step), plan(fitted.compiled.plan),
        considered(fitted.considered),
        withheld(fitted.compiled.limits.withheld), report(report),
        budget(budget) {}

  std::string run() {
    asked = askedPlan(context.options);
    named = asked;
    named.cuts.clear(); // those of other plans are elsewhere
    // A mesh without names becomes the chosen one.
    bool bare = asked.isBare();
    if (bare) {
      named.mesh = planning::joinAxes(plan.mesh);
      named.shard = plan.shard;
    }
    std::string offloads = offload();
    estimate(bare);
    return offloads + (candidates.empty() ? "" : compileSome());
  }

private:
  // Returns the proposal to offload as much as necessary with the same plan, or
  // "" if that does not fit.
  std::string offload() const {
    if (!asked.offload.empty() ||
        !context.machine.findMemory(MemorySpace::Host) || isLong())
      return "";
    planning::Plan tried = plan;
    tried.offload.isAuto = true;
    LeastSearch search(/*mostTries=*/9);
    std::optional<double> bytes = 0;
    while (bytes) {
      MemoryLimits least = leastLimits(/*leastMemory=*/true);
      least.bytes = *bytes;
      MemoryDecisions decided;
      auto peak =
          planner::peakOf(context, step, tried, withheld, least, &decided);
      if (!peak)
        return "";
      if (static_cast<double>(peak->bytes) <= budget)
        return "  fits: --offload auto, " + formatBytes(peak->bytes) +
               " a device, more where less is offloaded\n";
      const StageResiduals &stage = decided.stages[peak->stage];
      search.note(stage.frontier, stage.kept,
                  static_cast<double>(peak->bytes));
      bytes = isAuto() ? search.next() : std::nullopt;
    }
    return "";
  }

  // Returns the budget with full recomputation, under --remat=auto.
  static MemoryLimits leastLimits(bool leastMemory) {
    MemoryLimits least;
    least.bytes = 0;
    least.leastMemory = leastMemory;
    return least;
  }

  // Returns true if compiling the step takes half a minute or more.
  bool isLong() const { return countOps() > searchLimits.longStepOps; }
  size_t countOps() const {
    return distribute::getStep(step).getBody().front().getOperations().size();
  }

  void estimate(bool bare) {
    OwningOpRef<ModuleOp> placed = step.clone();
    ScopedDiagnosticHandler quiet(step.getContext(),
                                  [](Diagnostic &) { return success(); });
    PassManager pm(step.getContext());
    pm.enableVerifier(false);
    DistributeOptions own =
        getDistributeOptions(context.options, named, context.machine,
                             findFacts(context.machine, step, plan, withheld));
    own.plan.microbatches = report.microbatches.value_or(1);
    buildMeshPipeline(pm, own);
    if (failed(pm.run(*placed)))
      return;
    StepTrials trials(*placed, own);
    auto base = trials.measureRecomputed(trials.base());
    if (!base)
      return;
    // The scale corrects for kernels and their buffers, which are not in the
    // estimate. The plan that did not fit used full recomputation, unless it
    // was asked to keep something.
    bool isLeast = isAuto() || isFull();
    double scale = static_cast<double>(report.worst()->peak) /
                   (isLeast ? base->withRecomputed(0).bytes() : base->bytes());
    int given = static_cast<int>(report.zero.value_or(0));
    int64_t microbatches = report.microbatches.value_or(1);
    std::vector<Mesh> meshes = {trials.base().mesh};
    if (bare)
      addMeshes(meshes);
    using planning::AxisRole;
    for (const Mesh &mesh : meshes) {
      int64_t shards =
          planning::sizeOf(mesh, {AxisRole::Data, AxisRole::Expert});
      for (int zero = given; zero <= 3; ++zero)
        for (int64_t count = microbatches;
             count == microbatches ||
             (count * shards <= trials.batch() &&
              count <= searchLimits.mostMicrobatchFactor * microbatches);
             count *= 2) {
          planning::Plan tried = trials.base();
          tried.mesh = mesh;
          tried.microbatches = count;
          tried.zero = zero;
          if (auto figures = trials.measureRecomputed(tried))
            propose(tried, trials.base(), *figures, scale, given, bare);
        }
    }
    proposeSchedules(*base, scale, bare);
    llvm::sort(candidates, [&](const TriedFit &a, const TriedFit &b) {
      bool fitsA = a.bytes <= budget, fitsB = b.bytes <= budget;
      if (fitsA != fitsB)
        return fitsA;
      double costA = fitsA ? a.seconds : a.bytes,
             costB = fitsA ? b.seconds : b.bytes;
      return std::tie(costA, a.changes, a.text) <
             std::tie(costB, b.changes, b.text);
    });
  }

  // Proposes the options that lead to `tried`, with and without recomputation.
  // `figures` are those of `tried`; `base` is the plan that does not fit, with
  // ZeRO stage `given`.
  void propose(const planning::Plan &tried, const planning::Plan &base,
               const distribute::StepCost::Figures &figures, double scale,
               int given, bool bare) {
    int64_t count = tried.microbatches;
    TriedFit candidate;
    candidate.plan = named;
    candidate.plan.microbatches = count;
    if (bare) {
      candidate.plan.mesh = tried.mesh;
      candidate.add("mesh", planning::printMesh(tried.mesh));
      for (const planning::PlanAnnotation &own : named.shard)
        candidate.add("shard", planning::printAnnotation(own));
    }
    if (tried.zero != given) {
      candidate.plan.zero = tried.zero;
      candidate.add("zero", std::to_string(tried.zero));
    }
    if (count != base.microbatches ||
        (bare && count > 1 && asked.microbatches == 0))
      candidate.add("microbatches", std::to_string(count));
    takeAsAsked(candidate, figures, scale);
    if (tried.zero != given || count != base.microbatches ||
        tried.mesh != base.mesh)
      candidates.push_back(candidate);
    if (isAuto() || isFull() ||
        extentOf(context.options.get("optimizer")) == StepExtent::Forward)
      return;
    candidate.plan.residuals = {{"*", planning::RematPolicy::RecomputeBlocks}};
    candidate.add("remat", "full");
    take(candidate, figures.withRecomputed(0), scale);
    candidates.push_back(candidate);
  }

  // Proposes schedules under which the fullest stage holds fewer microbatches.
  void proposeSchedules(const distribute::StepCost::Figures &base, double scale,
                        bool bare) {
    int64_t stages = planning::sizeOf(named.mesh, {planning::AxisRole::Pipe}),
            microbatches = report.microbatches.value_or(1);
    if (stages == 1 || bare || !plan.actions.empty())
      return;
    auto mostHeld = [&](const planning::NamedSchedule &schedule) {
      std::vector<double> held =
          planning::countHeld(schedule, {}, stages, microbatches);
      return held.empty() ? 0.0 : *llvm::max_element(held);
    };
    // The report names the schedule that made the tables, if one did.
    planning::NamedSchedule made;
    (void)planning::parseSchedule(report.schedule.value_or("auto"), made);
    double now = made.isNamed() ? mostHeld(made) : 0;
    for (const auto &generator : planning::getScheduleGenerators()) {
      double held = generator.chunks == 0 ? 0 : mostHeld(generator.kind);
      if (held <= 0 || held >= now)
        continue;
      TriedFit candidate;
      candidate.plan = named;
      candidate.plan.microbatches = microbatches;
      candidate.plan.schedule = generator.kind;
      candidate.add("schedule", generator.name);
      distribute::StepCost::Figures figures = base;
      figures.residuals *= held / now;
      figures.pipeline.held *= held / now;
      takeAsAsked(candidate, figures, scale);
      candidates.push_back(candidate);
    }
  }

  static void take(TriedFit &candidate,
                   const distribute::StepCost::Figures &figures, double scale) {
    candidate.bytes = scale * figures.bytes();
    candidate.seconds = figures.seconds();
  }

  void takeAsAsked(TriedFit &candidate,
                   const distribute::StepCost::Figures &figures,
                   double scale) const {
    take(candidate,
         isAuto()   ? figures.withRecomputed(budget / scale)
         : isFull() ? figures.withRecomputed(0)
                    : figures,
         scale);
  }

  // Returns true if every try recomputes as much as necessary.
  bool isAuto() const { return asked.residuals.empty(); }
  // Returns true if full recomputation was asked for.
  bool isFull() const {
    return asked.residuals.size() == 1 &&
           asked.residuals.front().policy ==
               planning::RematPolicy::RecomputeBlocks;
  }

  // Adds the meshes of the search that need little memory.
  void addMeshes(std::vector<Mesh> &meshes) const {
    std::vector<std::tuple<double, std::string, const Mesh *>> list;
    for (const auto &[own, simulated, chosen] : considered)
      if (own.added == Candidate::Added::Nothing && !own.mixed &&
          planning::joinAxes(own.plan.mesh) == own.plan.mesh)
        list.emplace_back(own.figures.bytes(), own.label(), &own.plan.mesh);
    llvm::sort(list, [](const auto &a, const auto &b) {
      return std::tie(std::get<0>(a), std::get<1>(a)) <
             std::tie(std::get<0>(b), std::get<1>(b));
    });
    for (const auto &[bytes, label, mesh] : list)
      if (meshes.size() <= searchLimits.proposedMeshes &&
          !llvm::is_contained(meshes, *mesh))
        meshes.push_back(*mesh);
  }

  std::string compileSome() {
    if (isLong()) {
      const TriedFit &first = candidates.front();
      return std::string(first.bytes <= budget
                             ? "  may fit, by estimate ("
                             : "  nothing fits by estimate; least (") +
             "not compiled, the step has " + std::to_string(countOps()) +
             " ops): " + first.text + ", about " + bytesText(first.bytes) +
             " a device\n";
    }
    double limit = std::numeric_limits<double>::infinity();
    std::optional<std::pair<int64_t, std::string>> least;
    int compiled = 0;
    std::map<Mesh, int> tooLarge;
    for (const TriedFit &candidate : candidates) {
      if (compiled == searchLimits.mostProposals)
        break;
      // If a plan needed more than estimated, similar ones do, too.
      if (candidate.bytes <= budget && candidate.bytes >= limit)
        continue;
      if (candidate.bytes > budget &&
          ++tooLarge[candidate.plan.mesh] > searchLimits.mostTooLargeOfMesh)
        continue;
      auto peak = peakOf(candidate.plan);
      if (!peak)
        continue;
      ++compiled;
      if (static_cast<double>(peak->bytes) <= budget)
        return "  fits: " + candidate.text + ", " + formatBytes(peak->bytes) +
               " a device" + peak->grows.str() + "\n";
      if (!least || peak->bytes < least->first)
        least = {peak->bytes, candidate.text};
      limit = std::min(candidate.bytes, budget) * 0.98;
    }
    if (!least)
      return "";
    return "  no other plan that was compiled (" + std::to_string(compiled) +
           ") fits; " +
           (least->first < report.worst()->peak
                ? least->second + " needs least, " + formatBytes(least->first) +
                      " a device\n"
                : "this one needs least\n");
  }

  // With all memory; if that is too much, with as much as the refused plan had
  // at last.
  std::optional<Peak> peakOf(const planning::Plan &tried) const {
    MemoryLimits least = leastLimits(/*leastMemory=*/false);
    auto peak = planner::peakOf(context, step, tried, /*withheld=*/0, least);
    if (!peak || static_cast<double>(peak->bytes) <= budget)
      return peak;
    least = leastLimits(/*leastMemory=*/true);
    return planner::peakOf(context, step, tried, withheld, least);
  }

  static std::string bytesText(double bytes) {
    return formatBytes(static_cast<int64_t>(bytes));
  }

  CompileContext context;
  ModuleOp step;
  const planning::Plan &plan;
  const std::vector<ConsideredPlan> &considered;
  double withheld;
  const Report &report;
  double budget;
  // The plan that the options ask for, and the same on the chosen mesh.
  planning::Plan asked, named;
  std::vector<TriedFit> candidates;
};
} // namespace

std::string findFit(const CompileContext &context, const FittedStep &fitted,
                    const Report &report, double budget) {
  return FitSearch(context, fitted, report, budget).run();
}

} // namespace zcc::planner
