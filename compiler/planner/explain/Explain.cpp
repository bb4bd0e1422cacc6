// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/Explain.h"
#include "compiler/emission/NameGroup.h"
#include "compiler/phases/Pipelines.h"
#include "compiler/planner/explain/ChoiceText.h"
#include "compiler/planner/explain/ExplainMemory.h"
#include "compiler/planner/explain/ExplainStep.h"
#include "compiler/planner/explain/ExplainTexts.h"
#include "compiler/planner/search/PlanChoice.h"
#include "planning/CostModel.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace mlir;

namespace zcc::planner {
namespace {

std::string seconds(double value) { return formatSeconds(value); }
std::string bytesText(double bytes) {
  return formatBytes(static_cast<int64_t>(bytes));
}

class Explainer {
public:
  Explainer(const CompileContext &context, const FittedStep &fitted,
            ModuleOp step, const planning::MachineFacts &facts,
            const Report &report, const MemoryExplainer &memory)
      : plan(fitted.compiled.plan), considered(fitted.considered),
        bare(askedPlan(context.options).isBare()), facts(facts),
        program(*fitted.compiled.module), report(report), memory(memory),
        model(context.machine, report.devices),
        peak(report.worst() ? static_cast<double>(report.worst()->peak) : 0),
        values(step, getDistributeOptions(context.options, plan,
                                          context.machine, facts)) {}

  std::string run(const std::vector<std::string> &names, std::string &text) {
    if (llvm::any_of(names,
                     [](const auto &name) { return name != "traffic"; }) &&
        failed(values.prepare(peak)))
      return "--explain: the step cannot be distributed";
    for (const std::string &name : names) {
      std::string own;
      llvm::raw_string_ostream os(own);
      if (name == "plan") {
        explainPlan(os);
      } else if (name == "traffic") {
        os << formatTraffic(report.traffic);
      } else if (std::string message = explainName(name, os);
                 !message.empty()) {
        return message;
      }
      text += own;
    }
    return "";
  }

  // Explains the plan and all values.
  std::string runAll(ExplainedValues &out) {
    if (failed(values.prepare(peak)))
      return "--page: the step cannot be distributed";
    llvm::raw_string_ostream os(out.plan);
    explainPlan(os);
    // No alternative is tried at first, so that values that are alike but for
    // the figures of their trials have one text. Then those of each text's
    // first value are tried, as far as trials go: first of the values that
    // communicate most.
    size_t trials = values.limitTrials(0);
    AlikeTexts texts;
    std::vector<std::string> firsts;
    auto add = [&](const std::string &name, const std::string &text) {
      size_t index = texts.add(name, text);
      if (index == firsts.size())
        firsts.push_back(name);
      out.names.emplace_back(name, index);
    };
    llvm::StringSet<> seen;
    for (const StepExplainer::Subject &subject : values.explainAll())
      if (seen.insert(subject.name).second)
        add(subject.name, tell(subject));
    values.limitTrials(trials);
    llvm::StringMap<double> moved;
    for (const CollectiveReport &one : report.collectives)
      moved[one.value] += secondsOf(one);
    auto order = llvm::to_vector(llvm::seq<size_t>(0, firsts.size()));
    llvm::stable_sort(order, [&](size_t a, size_t b) {
      return moved.lookup(firsts[a]) > moved.lookup(firsts[b]);
    });
    for (size_t i : order) {
      if (!values.mayTry())
        break;
      for (const StepExplainer::Subject &subject : values.explain(firsts[i]))
        if (subject.name == firsts[i])
          texts.replace(i, firsts[i], tell(subject));
    }
    for (const CollectiveReport &one : report.collectives)
      if (seen.insert(one.value).second)
        add(one.value, tellCollectives(one.value));
    for (size_t i = 0; i < texts.size(); ++i)
      out.texts.push_back(texts.text(i));
    return "";
  }

private:
  // -------------------------------------------------------------- a name

  std::string tell(const StepExplainer::Subject &subject) const {
    std::string text = subject.text + memory.tellLine(subject);
    llvm::raw_string_ostream stream(text);
    listCompressed(subject.name, stream);
    listCollectives(subject.name, stream);
    return text;
  }

  // Tells of a name that only the program knows, as "gradient norm".
  std::string tellCollectives(StringRef name) const {
    std::string text = name.str() + "\n";
    llvm::raw_string_ostream stream(text);
    listCollectives(name, stream);
    return text;
  }

  std::string explainName(const std::string &name, llvm::raw_ostream &os) {
    std::vector<StepExplainer::Subject> subjects = values.explain(name);
    AlikeTexts texts;
    for (const StepExplainer::Subject &subject : subjects)
      texts.add(subject.name, tell(subject));
    os << texts.text();
    if (!subjects.empty())
      return "";
    for (const CollectiveReport &one : report.collectives)
      if (one.value == name) {
        os << tellCollectives(name);
        return "";
      }
    std::vector<std::pair<unsigned, std::string>> near;
    for (std::string &other : values.getNames())
      near.emplace_back(StringRef(name).edit_distance(other), other);
    llvm::sort(near);
    std::string message =
        "--explain: no parameter, input or location is called '" + name + "'";
    constexpr size_t most = 3;
    for (size_t i = 0; i < near.size() && i < most; ++i)
      message += (i ? ", '" : "; near are '") + near[i].second + "'";
    return message;
  }

  // Lists the residuals of that name that are kept in a narrower format.
  void listCompressed(StringRef name, llvm::raw_ostream &os) const {
    for (const CompressedResidual &own : report.compressed)
      if (own.value == name)
        os << "  kept for the backward pass as "
           << planning::getName(own.format) << ": " << formatBytes(own.bytes)
           << " a microbatch instead of " << formatBytes(own.whole) << "\n";
  }

  // ---------------------------------------------------------- collectives

  double secondsOf(const CollectiveReport &one) const {
    return static_cast<double>(one.times) *
           model.collectiveSeconds(one.account);
  }

  static std::string axesOf(const CollectiveReport &one) {
    std::string text;
    for (const std::string &axis : one.axes)
      text += (text.empty() ? "" : "+") + axis;
    return text;
  }

  // Lists the program's collectives that move a value; equal ones are joined.
  void listCollectives(StringRef name, llvm::raw_ostream &os) const {
    std::vector<std::pair<const CollectiveReport *, int>> found;
    for (const CollectiveReport &one : report.collectives) {
      if (one.value != name)
        continue;
      auto same = llvm::find_if(found, [&](const auto &entry) {
        const CollectiveReport &other = *entry.first;
        return other.kind() == one.kind() && other.axes == one.axes &&
               other.bytes() == one.bytes() && other.times == one.times &&
               other.what == one.what && other.tasks == one.tasks &&
               other.why == one.why;
      });
      if (same != found.end())
        ++same->second;
      else
        found.push_back({&one, 1});
    }
    if (found.empty()) {
      if (!report.mesh.empty() && report.devices > 1)
        os << "  collectives in the program: none of '" << name << "'\n";
      return;
    }
    os << "  collectives in the program:\n";
    for (auto &[one, count] : found) {
      os << "    " << one->kind() << " over " << axesOf(*one) << " of "
         << one->what << ", " << one->tasks << ": "
         << bytesText(one->account.bytes);
      if (count * one->times > 1)
        os << " x " << count * one->times;
      os << ", " << seconds(count * secondsOf(*one)) << " a step"
         << (one->bucket >= 0 ? ", in a bucket with others" : "") << "\n      "
         << one->why << "\n";
    }
  }

  // -------------------------------------------------------------- the plan

  ChoiceText makeChoice() const {
    CompiledFigures compiled;
    if (report.predicted)
      compiled.seconds = report.predicted->stepSeconds;
    if (peak > 0)
      compiled.bytes = peak;
    compiled.estimate = values.figures();
    return ChoiceText(considered, facts.deviceMemory, bare, compiled);
  }

  void listConsidered(llvm::raw_ostream &os) const {
    os << "  chosen among " << considered.size()
       << " (estimates; simulated: compiled and played, the best few)\n    ";
    size_t width = 34; // of the labels
    for (const ConsideredPlan &entry : considered)
      width = std::max(width, entry.candidate.label().size());
    os << std::string(width, ' ')
       << llvm::formatv(" {0,4} {1,6} {2,10} {3,14} {4,10} {5,10} {6,10}\n",
                        "zero", "micro", "compute", "communication",
                        "a step", "simulated", "a device");
    ChoiceText choice = makeChoice();
    for (const ConsideredPlan &entry : considered) {
      const planning::Plan &own = entry.candidate.plan;
      const distribute::StepCost::Figures &figures = choice.estimateOf(entry);
      std::optional<double> simulated = choice.simulatedOf(entry);
      std::string reason = choice.isChosen(entry)
                               ? ChoiceText::tellRepeats(entry)
                               : choice.whyNot(entry);
      os << (choice.isChosen(entry) ? "  * " : "    ")
         << llvm::left_justify(entry.candidate.label(), width)
         << llvm::formatv(
                " {0,4} {1,6} {2,10} {3,14} {4,10} {5,10} {6,10}{7}\n",
                own.zero < 0 ? "auto" : std::to_string(own.zero),
                own.microbatches, seconds(figures.compute),
                seconds(figures.communication), seconds(figures.overlapped()),
                simulated ? seconds(*simulated) : "-",
                bytesText(choice.bytesOf(entry)),
                reason.empty() ? "" : "  " + reason);
    }
    os << "  why: " << choice.why() << "\n";
  }

  void listAxes(llvm::raw_ostream &os) const {
    struct Volume {
      double bytes = 0, seconds = 0;
      int64_t times = 0;
    };
    std::map<std::string, std::map<std::string, Volume>> axes;
    for (const CollectiveReport &one : report.collectives) {
      Volume &volume = axes[axesOf(one)][one.kind() + " of " + one.what];
      volume.bytes += one.account.bytes * static_cast<double>(one.times);
      volume.seconds += secondsOf(one);
      volume.times += one.times;
    }
    for (const auto &[axis, kinds] : axes) {
      os << "  over " << axis << ":\n";
      for (const auto &[kind, volume] : kinds)
        os << llvm::formatv("    {0,-34} {1,12} in {2} {3}, {4}\n", kind,
                            bytesText(volume.bytes), volume.times,
                            volume.times == 1 ? "operation" : "operations",
                            seconds(volume.seconds));
    }
  }

  void explainPlan(llvm::raw_ostream &os) {
    os << "plan: ";
    for (auto [i, axis] : llvm::enumerate(report.mesh))
      os << (i ? "," : "") << axis.first << "=" << axis.second;
    if (report.zero)
      os << ", ZeRO " << *report.zero;
    if (report.microbatches)
      os << ", " << *report.microbatches
         << (*report.microbatches == 1 ? " microbatch" : " microbatches");
    os << "\n";
    if (!considered.empty())
      listConsidered(os);
    else if (!plan.file.empty())
      os << "  from a plan's file\n";
    else
      os << "  axes are named: what they do follows from their names and "
            "annotations\n";
    if (report.predicted) {
      const Prediction &predicted = *report.predicted;
      os << "  simulated: " << seconds(predicted.stepSeconds) << " a step, "
         << llvm::formatv("MFU {0:F1} %, {1:F1} % of the time waits for "
                          "communication\n",
                          predicted.mfu * 100,
                          predicted.exposedCommunication * 100);
    }
    if (const MemoryReport *worst = report.worst())
      os << "  memory: " << bytesText(worst->peak) << " of "
         << bytesText(facts.deviceMemory)
         << " a device: " << formatShares(*worst) << "\n";
    if (report.offloaded)
      os << "  in the host's memory, as that costs least: "
         << formatOffloaded(*report.offloaded) << ", "
         << seconds(report.offloaded->seconds)
         << " a step by estimate that computation does not hide\n";
    os << memory.tellPrices(program, report, considered, makeChoice(), values);
    if (report.work && report.work->repeated > 0) {
      const distribute::StepWork &work = *report.work;
      os << llvm::formatv("  repeated: {0}, {1:F1} % of the model's work\n",
                          formatFlops(work.repeated),
                          100 * work.repeated / work.model);
      for (const RepeatedText &own : formatRepeated(work))
        os << "    " << own.text << "\n";
    }
    os << values.explainRoles();
    listAxes(os);
    os << values.explainOptions(
        [&](const planning::Plan &tried) { return tellSimulated(tried); });
  }

  // Returns what the search found of the chosen plan with other options; "" if
  // it did not simulate that.
  std::string tellSimulated(const planning::Plan &tried) const {
    auto chosen = llvm::find_if(
        considered, [](const ConsideredPlan &own) { return own.chosen; });
    if (chosen == considered.end())
      return "";
    Candidate candidate = chosen->candidate;
    candidate.plan.microbatches = tried.microbatches;
    if (tried.zero != plan.zero)
      candidate.plan.zero = tried.zero;
    ChoiceText choice = makeChoice();
    for (const ConsideredPlan &own : considered)
      if (&own != &*chosen && own.candidate.key() == candidate.key() &&
          choice.simulatedOf(own) && choice.simulatedOf(*chosen)) {
        double more = choice.secondsMore(own);
        return "; simulated " + std::string(more > 0 ? "+" : "") +
               seconds(more) + " a step";
      }
    return "";
  }

  const planning::Plan &plan;
  const std::vector<ConsideredPlan> &considered;
  bool bare; // the search chose the axes
  const planning::MachineFacts &facts;
  ModuleOp program;
  const Report &report;
  const MemoryExplainer &memory;
  planning::CostModel model;
  double peak; // bytes of a device; 0 if they are not known
  StepExplainer values;
};
} // namespace

// Calls `run` with an explainer of the step. Returns its error message, or "".
static std::string withExplainer(const CompileContext &context,
                                 const FittedStep &fitted, const Report &report,
                                 StringRef option,
                                 function_ref<std::string(Explainer &)> run) {
  const StepCompilation &compiled = fitted.compiled;
  // All of the memory: passes keep no less because some was withheld.
  planning::MachineFacts facts =
      findFacts(context.machine, *compiled.module, compiled.plan, 0);
  MemoryExplainer memory(context,
                         OwningOpRef<ModuleOp>((*fitted.explained).clone()),
                         compiled, facts.deviceMemory);
  OwningOpRef<ModuleOp> step = (*fitted.explained).clone();
  PassManager pm(step->getContext());
  pm.enableVerifier(false);
  buildMeshPipeline(pm, getDistributeOptions(context.options, compiled.plan,
                                             context.machine, facts));
  if (failed(pm.run(*step)))
    return (option + ": the step has no mesh").str();
  Explainer explainer(context, fitted, *step, facts, report, memory);
  return run(explainer);
}

std::string explain(const CompileContext &context, const FittedStep &fitted,
                    const std::vector<std::string> &names, const Report &report,
                    std::string &text) {
  return withExplainer(
      context, fitted, report, "--explain",
      [&](Explainer &explainer) { return explainer.run(names, text); });
}

std::string explainAll(const CompileContext &context, const FittedStep &fitted,
                       const Report &report, ExplainedValues &out) {
  return withExplainer(
      context, fitted, report, "--page",
      [&](Explainer &explainer) { return explainer.runAll(out); });
}

} // namespace zcc::planner
