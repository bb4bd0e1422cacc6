// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers for people: why a plan, a value or a collective is as it is, and
// which options would fit if a plan does not.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAIN_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAIN_H

#include "compiler/emission/Page.h"
#include "compiler/emission/Report.h"
#include "compiler/phases/Compile.h"
#include "compiler/planner/fit/PlanFitter.h"

namespace zcc::planner {

/// Explains each of `names` ("plan", "traffic", or a glob of the names of
/// values) of a step that was fitted with what explanations read
/// (FitRequest::wantsExplained). `report` is of the compiled program. Returns
/// an error message, or "" and the text.
std::string explain(const CompileContext &context, const FittedStep &fitted,
                    const std::vector<std::string> &names, const Report &report,
                    std::string &text);

/// Explains the plan and every parameter, input and line of such a step, as
/// explain() does. Alternatives are tried for the first values of all.
std::string explainAll(const CompileContext &context, const FittedStep &fitted,
                       const Report &report, ExplainedValues &out);

/// Returns whether devices execute so much more than the model's operations
/// that the user is told: each other's, on padding, or to find indices in
/// parts.
bool doesMuchMore(const Report &report);
/// Warns of that: how much it is, along which axes, the largest parts, and the
/// options that divide it.
void warnWork(const CompileContext &context, const FittedStep &fitted,
              const Report &report);

/// Returns what a refusal for memory proposes, a line that ends with a line
/// break: the options nearest to those given under which a device needs at most
/// `budget` bytes, found by estimates and then by compiling a few of them.
/// `report` is of the program that was refused.
std::string findFit(const CompileContext &context, const FittedStep &fitted,
                    const Report &report, double budget);

} // namespace zcc::planner

#endif
