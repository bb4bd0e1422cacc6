// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explains memory: which residuals are kept, and the worth of more or less of a
// device's memory.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINMEMORY_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINMEMORY_H

#include "compiler/emission/Report.h"
#include "compiler/phases/Compile.h"
#include "compiler/planner/explain/ChoiceText.h"
#include "compiler/planner/explain/ExplainStep.h"
#include "compiler/planner/search/PlanSimulations.h"
#include "passes/Pipeline/TellResiduals.h"
#include "llvm/ADT/StringMap.h"

namespace zcc::planner {

class MemoryExplainer {
public:
  // Compiles `step`, of phase `step` with its plan, to phase `partitioned` once
  // more. `program`: the compilation that is explained, of which the plan and
  // the limits are read; `memory`: bytes of a device, all of them.
  MemoryExplainer(const CompileContext &context,
                  mlir::OwningOpRef<mlir::ModuleOp> step,
                  const StepCompilation &program, double memory);

  // Returns the text about the values of a line; "" if it has none that a
  // backward pass could read.
  std::string tellLine(const StepExplainer::Subject &subject) const;
  // Returns the worth of more and less memory. `program` is of phase `tasks` or
  // later.
  std::string tellPrices(mlir::ModuleOp program, const Report &report,
                         const std::vector<ConsideredPlan> &considered,
                         const ChoiceText &choice,
                         const StepExplainer &values) const;

private:
  void number(mlir::ModuleOp sharded);
  // The worth of a unit more, and of a unit less, of memory on the devices of a
  // stage, in words: "24.99 ms a step: 917.50 kB more is kept for the backward
  // pass". "" if the unit changes nothing; `whyNothing` then has the reason.
  struct Prices {
    std::string more, less, whyNothing;
  };
  Prices priceRecomputation(mlir::ModuleOp program, size_t stage, double room,
                            double unit) const;

  StepCompilation partitioned;
  PipelineOptions options;
  double memory;
  // Null if the step has no residuals.
  std::unique_ptr<ResidualTeller> residuals;
  // Under --remat=auto: the possible choices with their seconds, and the actual
  // one.
  MemoryDecisions choice;
  llvm::StringMap<std::vector<std::string>> lines; // names of ops, by line
};

} // namespace zcc::planner

#endif
