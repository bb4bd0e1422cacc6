// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers for people: why a plan, a value or a collective is as it is, and
// which options would fit if a plan does not.
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

/// Explains each of `names` ("plan", or names of values). `step` is the module
/// of phase `step`, which is modified; `plan` is the plan that it was compiled
/// by; `considered` are the other plans of the search, if there was one;
/// `program` is the compiled module, with its `report`. Returns an error
/// message, or "" and the text.
std::string explain(mlir::ModuleOp step, const std::vector<std::string> &names,
                    const Options &options, const planning::Plan &plan,
                    const std::vector<ConsideredPlan> &considered,
                    const planning::Machine &machine,
                    const planning::MachineFacts &facts, mlir::ModuleOp program,
                    const Report &report, const MemoryExplainer &memory,
                    std::string &text);

/// Returns true if devices execute so many more operations than the model has
/// that the user should know: repeated ones, padding, or those that find
/// indices in parts.
bool doesMuchMore(const Report &report);
/// Warns about that work: how much it is, along which axes, its largest ops,
/// and options that divide it. `step` is the module of phase `step`, which is
/// modified.
void warnWork(mlir::ModuleOp step, const Options &options,
              const planning::Plan &plan, const planning::Machine &machine,
              const planning::MachineFacts &facts, const Report &report);

/// Returns the proposal for an error about memory, as a line with a line break:
/// the options most similar to the given ones under which a device needs at
/// most `budget` bytes. They are found by estimates and then by compiling a few
/// of them. `step` is the module of phase `step`; `plan` is the plan that does
/// not fit, with its `report`.
std::string findFit(mlir::ModuleOp step, const Options &options,
                    const planning::Plan &plan,
                    const std::vector<ConsideredPlan> &considered,
                    const planning::Machine &machine,
                    const planning::MachineFacts &facts, const Target &backend,
                    const Report &report, double budget);

} // namespace zcc

#endif
