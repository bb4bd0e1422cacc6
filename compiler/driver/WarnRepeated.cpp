// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Explain.h"
#include "compiler/driver/Pipelines.h"
#include "compiler/driver/PlanChoice.h"
#include "passes/Distribute/Explain/ExplainWork.h"
#include "passes/Distribute/Place/OpWork.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace zcc {

static bool isMuch(double flops, const dist::StepWork &work) {
  return flops > dist::mostRepeated * work.model;
}

bool repeatsMuch(const Report &report) {
  return report.work && isMuch(report.work->repeated, *report.work);
}

void warnPadded(Location place, const Report &report) {
  if (!report.work || !isMuch(report.work->padding, *report.work))
    return;
  InFlightDiagnostic warning = mlir::emitWarning(place);
  warning << "devices compute on padding: "
          << llvm::formatv("{0:F2}",
                           1 + report.work->padding / report.work->model)
                 .str()
          << " times the model's operations";
  constexpr size_t most = 3; // examples
  for (size_t i = 0; i < report.waste.size() && i < most; ++i)
    warning << (i ? "; " : ": ") << report.waste[i];
  warning.attachNote(UnknownLoc::get(place.getContext()))
      << "axes whose sizes divide these dims pad nothing: other sizes in "
         "--mesh, or --shard for what else they may split";
}

void warnRepeated(ModuleOp step, const Options &options,
                  const planning::Plan &plan, const planning::Machine &machine,
                  const planning::MachineFacts &facts, const Report &report) {
  const dist::StepWork &work = *report.work;
  DistributeOptions own = getDistributeOptions(options, plan, machine, facts);
  PassManager pm(step.getContext());
  pm.enableVerifier(false);
  buildMeshPipeline(pm, own);
  std::optional<dist::WorkAdvice> advice;
  if (succeeded(pm.run(step)))
    advice = dist::adviseWork(step, own,
                              !options.get("mesh").empty() &&
                                  !askedPlan(options).isBare());
  InFlightDiagnostic warning =
      mlir::emitWarning(advice ? advice->place : step.getLoc());
  warning << "devices do the same work: "
          << llvm::formatv("{0:F2}", 1 + work.repeated / work.model).str()
          << " times the model's operations, repeated are ";
  std::vector<RepeatedText> texts = formatRepeated(work);
  for (size_t i = 0; i < texts.size() && i < 3; ++i)
    warning << (i ? "; " : "") << texts[i].text;
  Diagnostic &note = warning.attachNote(UnknownLoc::get(step.getContext()));
  if (advice && !advice->options.empty())
    note << "it is divided by " << advice->options << ": "
         << llvm::formatv("{0:F2}", advice->repeats).str()
         << " times, by estimate " << StringRef(advice->changes).trim();
  else
    note << "no annotation of an input or a parameter was found that divides "
            "it; --explain plan says more";
}

} // namespace zcc
