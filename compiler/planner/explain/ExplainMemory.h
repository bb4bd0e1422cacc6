// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explains memory: which residuals are kept, and the worth of more or less of a
// device's memory.
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
  // Compiles `step`, a module of phase `step` with its plan, to phase
  // `partitioned` once more. `facts` are those that the passes had, `kept` is
  // the most that the program keeps, `memory` all bytes of a device.
  MemoryExplainer(mlir::OwningOpRef<mlir::ModuleOp> step,
                  const Options &options, const planning::Plan &plan,
                  const planning::Machine &machine,
                  const planning::MachineFacts &facts, const Target &backend,
                  const ResidualBudget &kept, double memory);

  // Returns the text about the values of a line; "" if it has none that a
  // backward pass could read.
  std::string tellLine(const dist::StepExplainer::Subject &subject) const;
  // Returns the worth of more and less memory. `program` is of phase `tasks` or
  // later.
  std::string tellPrices(mlir::ModuleOp program, const Report &report,
                         const std::vector<ConsideredPlan> &considered,
                         const dist::StepExplainer &values) const;

private:
  void number(mlir::ModuleOp sharded);
  // Returns the text about the devices of a stage.
  std::string tellRecomputation(mlir::ModuleOp program, size_t stage,
                                double room, double unit) const;

  mlir::OwningOpRef<mlir::ModuleOp> module; // the module of phase `partitioned`
  PipelineOptions options;
  ResidualBudget budget;
  double memory;
  // Null if the step has no residuals.
  std::unique_ptr<ResidualTeller> residuals;
  // Under --remat=auto: the possible choices with their seconds, and the actual
  // one.
  ResidualBudget choice;
  llvm::StringMap<std::vector<std::string>> lines; // names of ops, by line
};

} // namespace zcc

#endif
