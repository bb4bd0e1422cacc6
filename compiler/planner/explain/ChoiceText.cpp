// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/ChoiceText.h"
#include "compiler/emission/Report.h"
#include "compiler/planner/explain/ExplainTexts.h"
#include "llvm/Support/FormatVariadic.h"

namespace zcc::planner {

ChoiceText::ChoiceText(llvm::ArrayRef<ConsideredPlan> considered, double memory,
                       bool bare, CompiledFigures compiled)
    : considered(considered), memory(memory), bare(bare),
      compiled(std::move(compiled)) {
  auto found = llvm::find_if(
      considered, [](const ConsideredPlan &entry) { return entry.chosen; });
  if (found != considered.end())
    chosen = found;
}

bool ChoiceText::fits(const ConsideredPlan &entry) const {
  return memory <= 0 || bytesOf(entry) <= memory;
}

const distribute::StepCost::Figures &
ChoiceText::estimateOf(const ConsideredPlan &entry) const {
  return isChosen(entry) && compiled.estimate ? *compiled.estimate
                                              : entry.candidate.figures;
}

std::optional<double>
ChoiceText::simulatedOf(const ConsideredPlan &entry) const {
  return isChosen(entry) && compiled.seconds ? compiled.seconds
                                             : entry.simulated;
}

double ChoiceText::bytesOf(const ConsideredPlan &entry) const {
  return isChosen(entry) && compiled.bytes ? *compiled.bytes
                                           : entry.candidate.figures.bytes();
}

double ChoiceText::secondsMore(const ConsideredPlan &entry) const {
  std::optional<double> own = simulatedOf(entry), best = simulatedOf(*chosen);
  return own && best ? *own - *best
                     : estimateOf(entry).overlapped() -
                           estimateOf(*chosen).overlapped();
}

static std::string percentMore(double ratio) {
  return llvm::formatv("{0:F1} % slower", 100 * (ratio - 1));
}

std::string ChoiceText::tellSlower(const ConsideredPlan &entry) const {
  // The percentage is that of the seconds that stand beside it.
  std::optional<double> own = simulatedOf(entry), best = simulatedOf(*chosen);
  const double ownEstimate = estimateOf(entry).overlapped(),
               bestEstimate = estimateOf(*chosen).overlapped();
  constexpr double least = 1.0005; // the least that is told
  if (own && best && *own / *best >= least)
    return percentMore(*own / *best);
  if (!(own && best) && ownEstimate / bestEstimate >= least)
    return percentMore(ownEstimate / bestEstimate) + " by estimate";
  // Otherwise it was slower in the comparison by which the plan was chosen.
  const distribute::StepCost::Figures &before = chosen->candidate.figures;
  double ratio = entry.simulated && chosen->simulated
                     ? *entry.simulated / *chosen->simulated
                     : ownEstimate / before.overlapped();
  if (ratio >= least)
    return percentMore(ratio) + " before the memory of the chosen one was "
                                "planned";
  for (const ConsideredPlan &other : considered)
    if (!own && best && other.simulated && &other != chosen &&
        other.candidate.plan.mesh == entry.candidate.plan.mesh &&
        *other.simulated > other.candidate.figures.overlapped() &&
        *other.simulated > *best)
      return "not simulated: on its mesh, steps take longer than estimated";
  return "";
}

std::string ChoiceText::whyNot(const ConsideredPlan &entry) const {
  if (isChosen(entry))
    return "";
  if (!fits(entry))
    return "does not fit";
  if (!chosen || !fits(*chosen))
    return "";
  std::string reason = tellSlower(entry), repeats = tellRepeats(entry);
  return reason + (reason.empty() || repeats.empty() ? "" : ", ") + repeats;
}

std::string ChoiceText::tellRepeats(const ConsideredPlan &entry) {
  double repeats = entry.candidate.figures.repeats();
  return repeats > 1 + distribute::mostRepeated
             ? llvm::formatv("repeats work: {0:F2} times the model's", repeats)
                   .str()
             : "";
}

std::string ChoiceText::why() const {
  auto count = llvm::count_if(
      considered, [&](const ConsideredPlan &entry) { return fits(entry); });
  if (count == 0)
    return "none fits by the estimate; it needs least";
  // A single simulated plan was not compared with others.
  if (llvm::count_if(considered, [](const ConsideredPlan &entry) {
        return bool(entry.simulated);
      }) > 1)
    return bare ? "of those that fit and were simulated, it takes least time"
                : "of those that fit it takes least time when simulated";
  if (bare)
    return "of those that fit, no other is estimated within a twentieth of it";
  if (chosen && considered.size() == 1 &&
      chosen->candidate.plan.microbatches == 1)
    return "all fits in one microbatch; more would only take less memory";
  return "no other that was considered fits";
}

std::string ChoiceText::formatComments() const {
  if (!chosen)
    return "";
  // Simulated plans come first, because they say most.
  std::vector<const ConsideredPlan *> list = {chosen};
  for (bool simulated : {true, false})
    for (const ConsideredPlan &entry : considered)
      if (!isChosen(entry) && bool(entry.simulated) == simulated)
        list.push_back(&entry);
  constexpr size_t most = 4;
  if (list.size() > most)
    list.resize(most);
  std::string out = "# Chosen: " + why() + ".\n";
  for (const ConsideredPlan *entry : list) {
    const planning::Plan &plan = entry->candidate.plan;
    std::optional<double> simulated = simulatedOf(*entry);
    std::string reason = whyNot(*entry);
    out += llvm::formatv(
        "# {0} {1}, {2} microbatch{3}: {4} a step{5}, {6} a device{7}\n",
        entry == chosen ? "*" : " ", entry->candidate.label(),
        plan.microbatches, plan.microbatches == 1 ? "" : "es",
        formatSeconds(simulated.value_or(estimateOf(*entry).overlapped())),
        simulated ? " simulated" : " by estimate",
        formatBytes(static_cast<int64_t>(bytesOf(*entry))),
        reason.empty() ? "" : "; " + reason);
  }
  return out;
}

} // namespace zcc::planner
