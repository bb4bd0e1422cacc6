// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers for people: why a plan, a value or a collective is as it is, and what
// would fit where a plan does not.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAIN_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAIN_H

#include "compiler/backend/Target.h"
#include "compiler/planner/explain/ExplainMemory.h"
#include "compiler/phases/Options.h"
#include "compiler/planner/search/PlanTrials.h"
#include "compiler/emission/Report.h"
#include "planning/Machine.h"
#include "mlir/IR/BuiltinOps.h"

namespace zcc {

/// Explains each of `names` ("plan", or what names values). `step`: of phase
/// `step`; it is changed. `plan`: what it was compiled by; `considered`: what
/// else the choice looked at, if it was chosen. `program`: compiled, with its
/// `report`. Returns an error message, or "" and the text.
std::string explain(mlir::ModuleOp step, const std::vector<std::string> &names,
                    const Options &options, const planning::Plan &plan,
                    const std::vector<ConsideredPlan> &considered,
                    const planning::Machine &machine,
                    const planning::MachineFacts &facts, mlir::ModuleOp program,
                    const Report &report, const MemoryExplainer &memory,
                    std::string &text);

/// Whether devices execute so much more than the model's operations that the
/// user is told: each other's, on padding, or to find indices in parts.
bool doesMuchMore(const Report &report);
/// Tells so: how much, along which axes, the largest of it, and options that
/// divide it. `step`: of phase `step`; it is changed.
void warnWork(mlir::ModuleOp step, const Options &options,
              const planning::Plan &plan, const planning::Machine &machine,
              const planning::MachineFacts &facts, const Report &report);

/// What a refusal for memory proposes, a line that ends with a line break: the
/// options nearest to those given under which a device needs at most `budget`
/// bytes, found by estimates and then by compiling a few of them. `step`: of
/// phase `step`; `plan`: what was refused, of which `report` is.
std::string findFit(mlir::ModuleOp step, const Options &options,
                    const planning::Plan &plan,
                    const std::vector<ConsideredPlan> &considered,
                    const planning::Machine &machine,
                    const planning::MachineFacts &facts, const Target &backend,
                    const Report &report, double budget);

} // namespace zcc

#endif
