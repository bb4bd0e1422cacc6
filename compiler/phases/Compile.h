// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function that runs phases on a step by a plan. The driver, the search for
// plans, the fit to the memory and the explanations all compile with it.
#ifndef ZCC_COMPILER_PHASES_COMPILE_H
#define ZCC_COMPILER_PHASES_COMPILE_H

#include "compiler/backend/Target.h"
#include "compiler/phases/Options.h"
#include "compiler/phases/Phases.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/Pipeline/Decisions.h"
#include "passes/Pipeline/Pipeline.h"
#include "planning/Machine.h"
#include "planning/Plan.h"
#include <string>
#include <utility>
#include <vector>

namespace zcc {

/// The inputs of a compilation that are the same for every plan. The objects
/// outlive whatever compiles with them.
struct CompileContext {
  const Options &options;
  const planning::Machine &machine;
  const Target &target;
};

/// Seconds of wall time that each phase took, in the order in which they ran.
using PhaseSeconds = std::vector<std::pair<std::string, double>>;

/// A module on its way through the phases, with the plan that it follows.
struct StepCompilation {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The phase that the module has reached.
  Phase phase = Phase::step;
  planning::Plan plan;
  /// Limits that passes keep beside the plan. From phase `tasks` on they are
  /// those that the passes settled on.
  MemoryLimits limits;
  /// The decisions of the passes of phase `tasks`.
  MemoryDecisions decisions;

  /// If set, compileTo() puts a clone of phase `partitioned` aside, from which
  /// the same plan is compiled again with other limits.
  bool keepsPartitioned = false;
  mlir::OwningOpRef<mlir::ModuleOp> partitioned;
  /// If set, compileTo() writes down the action tables of phase `tasks`.
  bool wantsActions = false;
  std::vector<std::string> actions; // a row a stage
  PhaseSeconds seconds;

  /// A compilation of `module`, which has reached `phase`, by the same plan and
  /// limits.
  StepCompilation restartWith(mlir::OwningOpRef<mlir::ModuleOp> module,
                              Phase phase) const;
};

/// The number of devices that a module of any phase is for: those of its mesh,
/// or of the plan before it has one.
int64_t countDevices(mlir::ModuleOp module, const planning::Plan &plan);

/// The facts of the machine that passes read, with the memory of a device that
/// the plan and `withheld` bytes (MemoryLimits) leave them.
planning::MachineFacts findFacts(const planning::Machine &machine,
                                 mlir::ModuleOp module,
                                 const planning::Plan &plan, double withheld);

/// Writes into the module the phase that it reached, the options that were read
/// on the way there, and from `sharded` on the machine that it is compiled for,
/// so that its text can be resumed without them.
void stampPhase(const CompileContext &context, mlir::ModuleOp module,
                Phase phase);

/// Says if compileTo() runs MLIR's verifier after each phase. The phases' own
/// verifiers run in any case. A search that simulates a plan leaves it out, and
/// verifies the module that it takes.
enum class OpVerifier { Run, LeaveOut };

/// Runs the phases that follow on the compilation's own, up to and with
/// `phase` (`planned` at most). The module carries the name of the phase that
/// it reached. Passes report errors; the module is of no use then.
mlir::LogicalResult compileTo(const CompileContext &context,
                              StepCompilation &step, Phase phase,
                              OpVerifier verifier = OpVerifier::Run);

} // namespace zcc

#endif
