// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decision that follows when memory planning has found what a plan needs.
#ifndef ZCC_COMPILER_PLANNER_FIT_NEXTPLAN_H
#define ZCC_COMPILER_PLANNER_FIT_NEXTPLAN_H

namespace zcc::planner {

/// Describes a plan that was compiled to phase `planned`, and the plans that
/// were compiled before it.
struct PlanOutcome {
  /// Bytes of a device's whole memory.
  double memory = 0;
  /// Bytes that the plan needs beyond it; negative where some are free.
  double excess = 0;
  /// Bytes of gathered parameters that stay for the whole step, and of those
  /// that are gathered again for the backward pass. zcc may move bytes from
  /// either to the other.
  double kept = 0, notKept = 0;
  /// A plan that fits is put aside.
  bool hasSpare = false;
  /// The search chose the plan, so that it may choose another one.
  bool chosen = false;
  /// By the estimates another plan would be faster, but did not fit.
  bool limited = false;
  /// Compilations to phase `planned` so far, with this one.
  int compiles = 1;
};

enum class NextPlan {
  Accept,         // this plan is compiled further, or refused
  TakeFaster,     // of this plan and the spare one
  TakeSpare,      // this plan does not fit, the spare one does
  KeepMore,       // the same plan, with more gathered parameters kept
  KeepLess,       // the same plan, with fewer of them kept
  ChooseFaster,   // another plan, whose corrected estimate fits now
  ChooseSmaller,  // another plan that needs less memory
};

/// Decides what is compiled next. A plan that fits is improved once.
NextPlan decideNextPlan(const PlanOutcome &outcome);

} // namespace zcc::planner

#endif
