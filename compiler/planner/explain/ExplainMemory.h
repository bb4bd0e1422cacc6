// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What explanations say of memory: what became of residuals, and what more or
// less of a device's memory would be worth.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINMEMORY_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINMEMORY_H

#include "compiler/backend/Target.h"
#include "compiler/phases/Options.h"
#include "compiler/planner/search/PlanTrials.h"
#include "compiler/emission/Report.h"
#include "compiler/planner/explain/ExplainStep.h"
#include "passes/Pipeline/TellResiduals.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

class MemoryExplainer {
public:
  // Compiles `step`, of phase `step` with its plan, to phase `partitioned` once
  // more. `facts`: what the passes had; `kept`: what the program keeps at
  // most; `memory`: bytes of a device, all of them.
  MemoryExplainer(mlir::OwningOpRef<mlir::ModuleOp> step,
                  const Options &options, const planning::Plan &plan,
                  const planning::Machine &machine,
                  const planning::MachineFacts &facts, const Target &backend,
                  const ResidualBudget &kept, double memory);

  // Of the values of a line that explanations are of; "" if it has none that a
  // backward pass could read.
  std::string tellLine(const dist::StepExplainer::Subject &subject) const;
  // `program`: of phase `tasks` or later.
  std::string tellPrices(mlir::ModuleOp program, const Report &report,
                         const std::vector<ConsideredPlan> &considered,
                         const dist::StepExplainer &values) const;

private:
  void number(mlir::ModuleOp sharded);
  // Of the devices of a stage.
  std::string tellRecomputation(mlir::ModuleOp program, size_t stage,
                                double room, double unit) const;

  mlir::OwningOpRef<mlir::ModuleOp> module; // of phase `partitioned`
  PipelineOptions options;
  ResidualBudget budget;
  double memory;
  std::unique_ptr<ResidualTeller> residuals; // null: the step has none
  // Under --remat=auto what could be kept for which seconds, and what is.
  ResidualBudget choice;
  llvm::StringMap<std::vector<std::string>> lines; // names of ops, by line
};

} // namespace zcc

#endif
