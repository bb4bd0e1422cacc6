// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/ChoiceText.h"
#include "compiler/emission/Report.h"
#include "compiler/planner/explain/ExplainTexts.h"
#include "llvm/Support/FormatVariadic.h"

namespace zcc::planner {

ChoiceText::ChoiceText(llvm::ArrayRef<ConsideredPlan> considered, double memory,
                       bool bare)
    : considered(considered), memory(memory), bare(bare) {
  auto found = llvm::find_if(
      considered, [](const ConsideredPlan &entry) { return entry.chosen; });
  if (found != considered.end())
    chosen = found;
}

bool ChoiceText::fits(const ConsideredPlan &entry) const {
  return memory <= 0 || entry.candidate.figures.bytes() <= memory;
}

std::string ChoiceText::whyNot(const ConsideredPlan &entry) const {
  if (isChosen(entry))
    return "";
  if (!fits(entry))
    return "does not fit";
  if (!chosen || !fits(*chosen))
    return "";
  const distribute::StepCost::Figures &own = entry.candidate.figures,
                                      &best = chosen->candidate.figures;
  bool simulated = entry.simulated && chosen->simulated;
  double slower =
      simulated ? own.charge(*entry.simulated) / best.charge(*chosen->simulated)
                : own.charged() / best.charged();
  if (!(slower > 1))
    return "";
  return llvm::formatv("{0:F1} % slower{1}", 100 * (slower - 1),
                       simulated ? "" : " by estimate");
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
    return bare ? "of those that fit and are estimated within a twentieth of "
                  "the best, it takes least time when simulated"
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
    const distribute::StepCost::Figures &figures = entry->candidate.figures;
    std::string reason = whyNot(*entry);
    out += llvm::formatv(
        "# {0} {1}, {2} microbatch{3}: {4} a step{5}, {6} a device{7}\n",
        entry == chosen ? "*" : " ", entry->candidate.label(),
        plan.microbatches, plan.microbatches == 1 ? "" : "es",
        formatSeconds(entry->simulated.value_or(figures.overlapped())),
        entry->simulated ? " simulated" : " by estimate",
        formatBytes(static_cast<int64_t>(figures.bytes())),
        reason.empty() ? "" : "; " + reason);
  }
  return out;
}

} // namespace zcc::planner
