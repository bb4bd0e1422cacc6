// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warns about work that the step does beyond that of the model: repeated,
// padded and added operations.
#include "compiler/phases/Pipelines.h"
#include "compiler/planner/explain/Explain.h"
#include "compiler/planner/explain/ExplainWork.h"
#include "compiler/planner/search/PlanChoice.h"
#include "passes/Distribute/Sharding/OpWork.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace zcc::planner {

static bool isMuch(double flops, const distribute::StepWork &work) {
  return flops > distribute::mostRepeated * work.model;
}

bool doesMuchMore(const Report &report) {
  if (!report.work || !report.executedFlops)
    return false;
  const distribute::StepWork &work = *report.work;
  double beyond = *report.executedFlops - work.model;
  // Recomputation was asked for, or is needed to fit: it alone is no reason to
  // warn.
  return isMuch(work.more(), work) ||
         (isMuch(beyond, work) && 2 * work.more() >= beyond);
}

// Returns texts about repeated, padded and added work, if each is significant,
// with its largest examples.
static std::vector<std::string> textsOf(const Report &report) {
  constexpr double leastShare = 0.01;
  constexpr size_t most = 3;
  const distribute::StepWork &work = *report.work;
  auto join = [&](const std::vector<std::string> &all, StringRef by) {
    return llvm::join(ArrayRef(all).take_front(most), by);
  };
  std::vector<std::string> out;
  if (work.repeated > leastShare * work.model) {
    std::vector<std::string> repeated;
    for (const RepeatedText &own : formatRepeated(work))
      repeated.push_back(own.text);
    out.push_back("repeated are " + join(repeated, "; "));
  }
  if (work.added > leastShare * work.model)
    out.push_back("added by splitting are " + formatFlops(work.added) + ": " +
                  join(work.addedAt, ", "));
  if (work.padding > leastShare * work.model) {
    std::vector<std::string> padded;
    for (const PaddedDim &own : report.waste)
      padded.push_back(formatPadded(own));
    out.push_back("on padding are " + formatFlops(work.padding) + ": " +
                  join(padded, "; "));
  }
  return out;
}

void warnWork(const CompileContext &context, const FittedStep &fitted,
              const Report &report) {
  const StepCompilation &compiled = fitted.compiled;
  const distribute::StepWork &work = *report.work;
  std::optional<WorkAdvice> advice;
  OwningOpRef<ModuleOp> step = (*fitted.step).clone();
  bool isRepeated = work.repeated + work.added > work.padding;
  if (isRepeated) {
    DistributeOptions own = getDistributeOptions(
        context.options, compiled.plan, context.machine,
        findFacts(context.machine, *compiled.module, compiled.plan,
                  compiled.limits.withheld));
    PassManager pm(step->getContext());
    pm.enableVerifier(false);
    buildMeshPipeline(pm, own);
    if (succeeded(pm.run(*step)))
      advice = planner::adviseWork(*step, own,
                                   !context.options.get("mesh").empty() &&
                                       !askedPlan(context.options).isBare());
  }
  InFlightDiagnostic warning =
      mlir::emitWarning(advice ? advice->place : step->getLoc());
  warning << "devices execute "
          << llvm::formatv("{0:F2}", *report.executedFlops / work.model).str()
          << " times the model's operations: "
          << llvm::join(textsOf(report), "; ");
  Location unknown = UnknownLoc::get(step->getContext());
  if (advice && !advice->options.empty())
    warning.attachNote(unknown)
        << "what is repeated is divided by " << advice->options << ": "
        << llvm::formatv("{0:F2}", advice->repeats).str()
        << " times, by estimate " << StringRef(advice->changes).trim();
  else if (isRepeated)
    warning.attachNote(unknown)
        << "no annotation of an input or a parameter was found that divides "
           "what is repeated; --explain plan says more";
  if (isMuch(work.padding, work))
    warning.attachNote(unknown)
        << "axes whose sizes divide these dims pad nothing: other sizes in "
           "--mesh, or --shard for what else they may split";
}

} // namespace zcc::planner
