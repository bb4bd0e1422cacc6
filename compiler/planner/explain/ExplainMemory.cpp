// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/ExplainMemory.h"
#include "compiler/phases/Pipelines.h"
#include "compiler/planner/explain/ExplainTexts.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "planning/MemoryPrice.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;

namespace zcc::planner {
namespace {
// The number of a train op within its line, in phase `sharded`. No pass after
// that phase compares such ops.
constexpr StringRef numberAttrName = "zcc.explained";

std::string magnitudeText(double bytes) {
  return formatBytes(static_cast<int64_t>(std::llround(std::abs(bytes))));
}
std::string secondsText(double value) {
  return formatSeconds(std::abs(value));
}
// Returns "+1.23 us" or "-4 B".
std::string change(double value, const std::string &text) {
  return (value < 0 ? "-" : "+") + text;
}
std::string secondsMore(double value) {
  constexpr double least = 5e-8; // the least that is written as 0.1 us
  return std::abs(value) < least ? "+0" : change(value, secondsText(value));
}

/// Returns the most microbatches of the stage whose residuals are live at a
/// time.
double countLive(ModuleOp program, size_t stage) {
  double most = 1;
  for (auto [i, table] : llvm::enumerate(program.getOps<dist::ScheduleOp>())) {
    double live = 0;
    if (i != stage)
      continue;
    for (auto run : table.getOps<dist::RunOp>()) {
      auto task = program.lookupSymbol<exec::TaskOp>(run.getTask());
      if (!task)
        continue;
      most = std::max(most, live += task.getKind() == dist::TaskKind::Forward);
      live -= task.getKind() == dist::TaskKind::Backward;
    }
  }
  return most;
}

/// Returns true if zcc decided which gathered parameters are kept. If the plan
/// is from a file, its text has what zcc decided when it was written.
bool mayChooseGathers(ModuleOp program, const planning::Plan &plan) {
  return program->hasAttr(keptBytesAttrName) ||
         program->hasAttr(notKeptBytesAttrName) ||
         (!plan.file.empty() &&
          llvm::any_of(plan.state, [](const planning::PlanState &own) {
            return own.fact != planning::PlanState::Fact::Stage;
          }));
}

/// Returns a round number of bytes that is a part of the memory, at most a
/// gigabyte.
double findUnit(double memory) {
  constexpr double most = 1e9, share = 4;
  return std::min(most, std::pow(10, std::floor(std::log10(memory / share))));
}
std::string unitText(double unit) {
  return unit >= 1e9   ? "1 GB"
         : unit >= 1e6 ? llvm::formatv("{0:F0} MB", unit / 1e6).str()
                       : llvm::formatv("{0:F0} kB", unit / 1e3).str();
}
} // namespace

MemoryExplainer::MemoryExplainer(const CompileContext &context,
                                 OwningOpRef<ModuleOp> step,
                                 const StepCompilation &program, double memory)
    : options(getPipelineOptions(context.options, program.plan, context.machine,
                                 &program.limits)),
      memory(memory) {
  const MemoryLimits &kept = program.limits;
  MemoryLimits &limits = *options.limits;
  limits.hasPrice = true; // of residuals that are open
  partitioned.module = std::move(step);
  partitioned.plan = program.plan;
  partitioned.limits.withheld = kept.withheld;
  ModuleOp module = *partitioned.module;
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(compileTo(context, partitioned, Phase::sharded,
                       OpVerifier::LeaveOut)))
    return;
  number(module);
  if (failed(compileTo(context, partitioned, Phase::partitioned,
                       OpVerifier::LeaveOut)))
    return;
  if (options.choosesResiduals()) {
    // If everything is kept, the compilation did not look for other choices.
    OwningOpRef<ModuleOp> own = module.clone();
    PipelineOptions open = options;
    // A plan from a file has decisions on single values. They are left out
    // here, since a value that is decided has no price.
    open.pins = {};
    if (kept.bytes < 0)
      open.limits->limit(std::numeric_limits<double>::max());
    if (auto known = ResidualTeller::create(*own, open))
      choice = known->getDecisions();
  }
  residuals = ResidualTeller::create(module, options);
}

void MemoryExplainer::number(ModuleOp sharded) {
  Builder b(sharded.getContext());
  for (Operation &op : distribute::getStep(sharded).getBody().front()) {
    if (!isa<train::TrainDialect>(op.getDialect()) || op.getNumResults() == 0)
      continue;
    std::vector<std::string> &line =
        lines[distribute::locationName(op.getLoc())];
    op.setAttr(numberAttrName, b.getI64IntegerAttr(line.size()));
    line.push_back(op.getName().getStringRef().str());
  }
}

static std::string tell(const ToldResidual &told, double microbatches) {
  std::string each = microbatches > 1 ? " a microbatch" : "";
  bool isKept = isStored(told.fate);
  std::string text =
      isKept ? "kept, " + magnitudeText(told.bytes) + each : "computed again";
  if (told.liesBetween)
    text += ", as it lies between repeated blocks";
  if (!told.other)
    return text + "; it cannot be computed again";
  return text + (isKept ? "; computed again instead: " : "; kept instead: ") +
         change(told.other->bytes, magnitudeText(told.other->bytes)) + each +
         ", " + secondsMore(told.other->seconds) + " a step";
}

std::string
MemoryExplainer::tellLine(const StepExplainer::Subject &subject) const {
  if (!residuals || subject.ops.empty())
    return "";
  auto line = lines.find(subject.name);
  // If copies were merged, numbers have no meaning.
  bool isNumbered = line != lines.end() && line->second == subject.ops &&
                    subject.numbers.size() < subject.ops.size();
  std::vector<std::pair<std::string, int>> groups;
  bool isForward = false;
  for (Operation *op : residuals->getForward()) {
    if (op->getNumResults() == 0 ||
        distribute::locationName(op->getLoc()) != subject.name)
      continue;
    auto number = op->getAttrOfType<IntegerAttr>(numberAttrName);
    if (isNumbered &&
        !(number && llvm::is_contained(subject.numbers, number.getInt())))
      continue;
    isForward = true;
    std::optional<ToldResidual> told = residuals->tell(op);
    if (!told)
      continue;
    std::string what, text = planner::tell(*told, residuals->getMicrobatches());
    llvm::raw_string_ostream(what)
        << op->getName() << " " << op->getResult(0).getType() << ": " << text;
    auto same = llvm::find_if(
        groups, [&](const auto &group) { return group.first == what; });
    if (same == groups.end())
      groups.emplace_back(what, 1);
    else
      ++same->second;
  }
  if (!isForward || !residuals->hasBackward())
    return "";
  if (groups.empty())
    return "  for the backward pass: it reads nothing of this, or what is next "
           "to free to compute again\n";
  std::string text = "  for the backward pass, all else as it is:\n";
  for (auto &[what, count] : groups)
    text += "    " +
            (count > 1 ? std::to_string(count) + " times " : std::string()) +
            what + "\n";
  return text;
}

MemoryExplainer::Prices MemoryExplainer::priceRecomputation(ModuleOp program,
                                                            size_t stage,
                                                            double room,
                                                            double unit) const {
  Prices prices;
  if (stage >= choice.stages.size() || choice.stages[stage].frontier.empty() ||
      !residuals || !residuals->hasBackward())
    return prices;
  const StageResiduals &own = choice.stages[stage];
  double times = residuals->getMicrobatches(), live = countLive(program, stage);
  auto price = planning::priceMemory(own.frontier, own.kept, unit, live);
  auto next = planning::priceNext(own.frontier, own.kept, live);
  if (price.seconds < 0)
    prices.more = secondsText(times * price.seconds) +
                  " a step: " + magnitudeText(price.bytes) +
                  " more is kept for the backward pass" +
                  (price.enough ? "" : ", all that is worth it");
  else if (next.enough)
    prices.whyNothing = "the next that could be kept takes " +
                        magnitudeText(next.bytes) + " and saves " +
                        secondsText(times * next.seconds) + " a step";
  else
    prices.whyNothing = "all is kept for the backward pass that is worth it";
  price = planning::priceMemory(own.frontier, own.kept, room - unit, live);
  if (price.enough)
    prices.less = secondsText(times * price.seconds) +
                  " a step: " + magnitudeText(price.bytes) +
                  " more is computed again";
  else if (price.bytes < 0)
    prices.less =
        "more than recomputation frees: " + magnitudeText(price.bytes) +
        " less is all that there is, for " +
        secondsText(times * price.seconds) + " a step";
  else
    prices.less =
        "more than recomputation frees: nothing more can be computed again";
  return prices;
}

/// Returns the text about other plans of the search.
static std::string tellPlans(const std::vector<ConsideredPlan> &considered,
                             const ChoiceText &choice, double memory,
                             double unit) {
  auto chosen = llvm::find_if(
      considered, [](const ConsideredPlan &own) { return own.chosen; });
  if (chosen == considered.end())
    return "";
  std::string text;
  for (double budget : {memory + unit, memory - unit}) {
    const ConsideredPlan *best = nullptr;
    for (const ConsideredPlan &own : considered)
      if (choice.bytesOf(own) <= budget &&
          (!best || choice.estimateOf(own).charged() <
                        choice.estimateOf(*best).charged()))
        best = &own;
    bool isMore = budget > memory;
    if (!best || best->candidate.key() == chosen->candidate.key() ||
        (isMore && choice.bytesOf(*best) <= memory))
      continue;
    const planning::Plan &plan = best->candidate.plan;
    text +=
        "  with " + unitText(unit) + (isMore ? " more " : " less ") +
        best->candidate.label() +
        (plan.zero < 0 ? "" : ", ZeRO " + std::to_string(plan.zero)) +
        (plan.microbatches > 1
             ? ", " + std::to_string(plan.microbatches) + " microbatches"
             : "") +
        " would fit by estimate: " + secondsMore(choice.secondsMore(*best)) +
        " a step\n";
  }
  return text;
}

std::string
MemoryExplainer::tellPrices(ModuleOp program, const Report &report,
                            const std::vector<ConsideredPlan> &considered,
                            const ChoiceText &plans,
                            const StepExplainer &values) const {
  const MemoryReport *worst = report.worst();
  if (!worst || !(memory > 0))
    return "";
  double room = memory - static_cast<double>(worst->peak),
         unit = findUnit(memory);
  if (room < 0)
    return "";
  auto stage = static_cast<size_t>(worst - report.stages.data());
  Prices prices = priceRecomputation(program, stage, room, unit);
  StepExplainer::GatherPrice more, less;
  // The text covers gathered parameters if zcc decided which ones to keep.
  if (mayChooseGathers(program, partitioned.plan)) {
    more = values.priceGathers(unit);
    less = values.priceGathers(-unit);
  }
  std::string gathersMore =
                  secondsText(more.seconds) +
                  " a step, by estimate: " + magnitudeText(more.bytes) +
                  " of gathered parameters are kept, not gathered "
                  "again",
              gathersLess =
                  secondsText(less.seconds) +
                  " a step, by estimate: " + magnitudeText(less.bytes) +
                  " of gathered parameters are gathered again";
  std::string text, one = unitText(unit);
  if (prices.less.empty() && more.bytes <= 0 && less.bytes >= 0)
    return room < unit ? tellPlans(considered, plans, memory, unit) : "";
  if (choice.stages.size() > 1)
    text += "  on stage " + std::to_string(stage) + ", which needs most:\n";
  // Memory that is not in use is worth nothing.
  if (room >= unit) {
    std::string unused = magnitudeText(room) + " are not in use";
    bool isEnough = more.bytes <= 0 && !prices.whyNothing.empty();
    text += "  " + one + " more would save nothing: " +
            (isEnough ? prices.whyNothing : unused) + "\n  " + one +
            " less would cost nothing: " + unused + "\n";
    if (more.bytes > 0)
      text += "  " + one + " of what is not in use could save " + gathersMore +
              " (--state NAME=keep)\n";
    return text;
  }
  if (!prices.more.empty())
    text += "  " + one + " more would save " + prices.more + "\n";
  if (more.bytes > 0)
    text += prices.more.empty()
                ? "  " + one + " more would save " + gathersMore + "\n"
                : "    or " + gathersMore + "\n";
  else if (prices.more.empty() && !prices.whyNothing.empty())
    text +=
        "  " + one + " more would save nothing: " + prices.whyNothing + "\n";
  if (!prices.less.empty())
    text += "  " + one + " less would cost " + prices.less + "\n";
  if (less.bytes < 0)
    text += prices.less.empty()
                ? "  " + one + " less would cost " + gathersLess + "\n"
                : "    or " + gathersLess + "\n";
  return text + tellPlans(considered, plans, memory, unit);
}

} // namespace zcc::planner
