// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The check of a compiled program against the memory that there is.
#include "compiler/driver/DriverState.h"
#include "compiler/emission/ReportMemory.h"
#include "compiler/planner/explain/Explain.h"

using namespace mlir;

namespace zcc {
using namespace planner;

// Refuses a program that needs more than the budget, with the breakdown and a
// plan that would fit. Returns the exit status.
int Driver::checkMemory() {
  const MemoryReport *worst = report.worst();
  double budget = wholeMemory();
  double host = machine.bytesPerDevice(
      countDevices(*fitted.compiled.module, fitted.compiled.plan),
      MemorySpace::Host);
  if (worst && machine.ranksShareNode && !machine.findMemory(MemorySpace::Host))
    // Device and host share one memory.
    host -= static_cast<double>(worst->peak);
  if (worst && static_cast<double>(worst->most.away[MemorySpace::Host]) >
                   std::max(host, 0.0)) {
    messages << "error: memory: a device needs "
                 << formatBytes(worst->most.away[MemorySpace::Host])
                 << " of the host's memory, its share of that is "
                 << formatBytes(static_cast<int64_t>(host)) << "\n";
    return 2;
  }
  if (!worst || static_cast<double>(worst->peak) <= budget)
    return 0;
  auto excess = [&](const MemoryReport &stage) {
    return stage.peak - static_cast<int64_t>(budget);
  };
  bool isPipeline = report.stages.size() > 1;
  std::string text = "memory: a device ", byStage;
  if (isPipeline)
    text += "of stage " + std::to_string(worst - report.stages.data()) + " ";
  text += "needs " + formatBytes(worst->peak) + " (" +
          std::to_string(worst->peak) + " bytes), " +
          (isPipeline ? formatBytes(excess(*worst)) + " " : "") +
          "more than the budget of " +
          formatBytes(static_cast<int64_t>(budget)) +
          (options.get("memory").empty()
               ? " that '" + machine.name + "' has for it"
               : "");
  for (const MemoryReport &stage : report.stages)
    byStage += (byStage.empty() ? "" : ", ") + formatBytes(stage.peak) +
               (excess(stage) > 0 ? "" : " (fits)");
  if (isPipeline)
    text += "\n  by stage: " + byStage;
  text += "\n  at the peak: " + formatShares(*worst) +
          "\n  largest values there:";
  for (const LargeValues &values : worst->alike)
    text += "\n    " + formatAlike(values);
  std::string fit;
  if (fitted.step && request.plan.empty())
    fit = findFit(context(), fitted, report, budget);
  messages << "error: " << text << "\n" << fit;
  return 2;
}

} // namespace zcc
