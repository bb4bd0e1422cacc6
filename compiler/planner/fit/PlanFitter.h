// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives a step a plan that fits a device's memory. The plan is that of a file,
// of named axes, or one that the search chooses. Memory planning finds its
// bytes; if these are too many, measures follow, the cheapest first: values are
// computed again, another plan is chosen, values move to the host's memory, the
// step is ordered for memory alone, and at last values are stored in narrower
// types.
#ifndef ZCC_COMPILER_PLANNER_FIT_PLANFITTER_H
#define ZCC_COMPILER_PLANNER_FIT_PLANFITTER_H

#include "compiler/emission/Report.h"
#include "compiler/phases/Compile.h"
#include "compiler/planner/fit/LeastSearch.h"
#include "compiler/planner/fit/NextPlan.h"
#include "compiler/planner/fit/OffloadSearch.h"
#include "compiler/planner/fit/ResidualSearch.h"
#include "compiler/planner/fit/StageSearch.h"
#include "compiler/planner/search/PlanSimulations.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zcc::planner {

/// The results that a fit is to have, beside the plan.
struct FitRequest {
  /// The phase that is wanted; `sharded` to `planned`.
  Phase to = Phase::planned;
  /// A file with a plan that is followed, or "".
  std::string planFile;
  /// Set if the result is to have the plan as it was decided, its action
  /// tables, or the module that explanations read.
  bool wantsDecided = false, wantsActions = false, wantsExplained = false;
  /// Called with the module of each phase that is reached, also of plans that
  /// are given up later; a failure ends the fit. None: the phases of a
  /// simulated plan need not be run again.
  std::function<mlir::LogicalResult(Phase, mlir::ModuleOp)> onPhase;
};

/// A step that was compiled by a plan, and how the plan was found.
struct FittedStep {
  /// The module of the phase that was asked for, its plan, and its limits.
  StepCompilation compiled;
  /// The plan with what phase `sharded` decided, where it was asked for.
  planning::Plan decided;
  /// The module of phase `step`, where the plan was chosen or the step may be
  /// refused; null else. It has no plan unless a file gave one.
  mlir::OwningOpRef<mlir::ModuleOp> step;
  /// The module of phase `step` with its plan, where it was asked for.
  mlir::OwningOpRef<mlir::ModuleOp> explained;
  /// The plans that the search looked at; empty where none was chosen.
  std::vector<ConsideredPlan> considered;
};

class PlanFitter {
public:
  /// `start`: a module of phase `step`, or of a later one that a text has
  /// reached, which is compiled on by its own plan.
  PlanFitter(const CompileContext &context, FitRequest request,
             StepCompilation start);

  /// Compiles to the phase that was asked for. Passes report errors; those of
  /// the plan's file and of the machine are in getErrors(), a line each.
  mlir::LogicalResult run();
  const std::string &getErrors() const { return errors; }
  /// The result of run(), once.
  FittedStep take() { return std::move(fitted); }

private:
  // The memory that the module needs, as memory planning has found it.
  struct Need {
    MemoryReport worst;        // of a device of the stage that needs most
    size_t stage;              // that one
    std::vector<double> peaks; // by stage
    double memory;             // of a device, all of it
    int64_t microbatches;

    double peak() const { return static_cast<double>(worst.peak); }
    double excess() const { return peak() - memory; }
    bool fits() const { return excess() <= 0; }
  };
  // A plan and what it was compiled to, put aside while another is tried.
  struct Spare {
    StepCompilation compiled;
    mlir::OwningOpRef<mlir::ModuleOp> explained;
    planning::Plan decided;
    std::vector<ConsideredPlan> considered;
    double seconds; // of a step
  };
  // A measure against too much memory. It prepares the compilation that is to
  // be tried next and returns true, or has nothing to try.
  using Measure = mlir::FailureOr<bool> (PlanFitter::*)(const Need &need);

  mlir::LogicalResult refuse(const std::string &message);

  // Choice of a plan.
  mlir::LogicalResult placePlan();
  mlir::LogicalResult
  choosePlan(double memory,
             double within = std::numeric_limits<double>::infinity());
  mlir::FailureOr<bool> planAgain(const Need &need);
  mlir::FailureOr<bool> chooseFaster(double memory, double seconds);
  mlir::FailureOr<bool> chooseSmaller(double wanted, double memory);
  mlir::LogicalResult shard();
  Spare putAside(double seconds);
  void restore(std::optional<Spare> &from);
  // Begins with other limits. The memory that is withheld stays withheld.
  void setLimits(MemoryLimits limits);
  // The next try is the same plan in other memory.
  void shardAgain();

  // Measures that leave the plan as it is.
  mlir::FailureOr<std::optional<Need>> findNeed();
  mlir::FailureOr<bool> tryLess();
  mlir::FailureOr<bool> keepLess(const Need &need);
  mlir::FailureOr<bool> offloadMore(const Need &need);
  mlir::FailureOr<bool> orderLess(const Need &need);
  mlir::FailureOr<bool> findLeast(const Need &need);
  mlir::FailureOr<bool> storeNarrower(const Need &need);
  bool mayOffload() const;
  bool mayCompileAgain() const;
  // Returns true if memory planning may ask for other residuals.
  bool mayReplaceTasks() const;
  void replaceTasks();
  void searchResiduals(const Need &need);
  template <typename Search>
  void noteStages(StageSearch<Search> &search, const Need &need);
  void noteTry(bool isBest);
  void takeLeanest();

  planning::MachineFacts facts() const {
    return findFacts(context.machine, *current().module, current().plan,
                     current().limits.withheld);
  }
  double wholeMemory() const {
    return facts().deviceMemory + current().limits.withheld;
  }
  StepCompilation &current() { return fitted.compiled; }
  const StepCompilation &current() const { return fitted.compiled; }

  CompileContext context;
  FitRequest request;
  FittedStep fitted;
  std::string errors;
  bool placed = false; // the step has its plan
  std::optional<PlanSimulations> simulations; // where the plan is chosen
  std::optional<Spare> spare; // fits, while another one is tried
  int compiles = 0;           // to phase `planned`
  double withheldBefore = 0;  // the step was ordered for memory alone
  std::optional<StageSearch<ResidualSearch>> residualSearch;
  std::optional<OffloadSearch> offloadSearch;
  std::optional<StageSearch<LeastSearch>>
      leastSearch; // once nothing else has helped
  // The best try of a search so far.
  mlir::OwningOpRef<mlir::ModuleOp> leanest;
  MemoryLimits leanestLimits;
  MemoryDecisions leanestDecisions;
};

} // namespace zcc::planner

#endif
