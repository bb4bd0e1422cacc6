// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of compile() (Driver.h) while it runs the phases: Driver.cpp runs
// them, DriverPlan.cpp gives the step a plan that fits, DriverOutputs.cpp
// writes files.
#ifndef ZCC_COMPILER_DRIVER_DRIVERSTATE_H
#define ZCC_COMPILER_DRIVER_DRIVERSTATE_H

#include "compiler/driver/Driver.h"
#include "compiler/planner/fit/LeastSearch.h"
#include "compiler/planner/fit/OffloadSearch.h"
#include "compiler/driver/OutputFile.h"
#include "compiler/planner/search/PlanTrials.h"
#include "compiler/planner/fit/ResidualSearch.h"
#include "compiler/planner/fit/StageSearch.h"
#include "compiler/emission/Report.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"

namespace zcc {

// Prints the error and returns the exit status.
int fail(const llvm::Twine &message);

class Driver {
public:
  explicit Driver(CompileRequest request);

  int run();

private:
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &file);
  std::string takeOptions();
  int takeMachine();
  int64_t countDevices();
  void takeFacts();
  void stamp(Phase phase);
  void takeActions(std::vector<std::string> rows);
  mlir::LogicalResult runPhase(Phase phase);
  std::string print(mlir::ModuleOp op);
  int writeExecutable();
  std::string checkRequest() const;
  int prepare();
  int runPhases();
  mlir::LogicalResult finishPhase(Phase phase);
  mlir::FailureOr<Phase> shardOrTake();
  int placePlan();
  mlir::LogicalResult
  choosePlan(double memory,
             double within = std::numeric_limits<double>::infinity());
  // The result of memory planning for the module.
  struct Need {
    MemoryReport worst;        // a device of the stage that needs most
    size_t stage;              // the number of that stage
    std::vector<double> peaks; // by stage
    double memory;             // the whole memory of a device, in bytes
    int64_t microbatches;

    double peak() const { return static_cast<double>(worst.peak); }
    double excess() const { return peak() - memory; }
    bool fits() const { return excess() <= 0; }
  };
  // Returns nullopt if memory is not planned.
  mlir::FailureOr<std::optional<Need>> findNeed();
  mlir::FailureOr<std::optional<Phase>> tryLess();
  mlir::FailureOr<std::optional<Phase>> keepLess(const Need &need);
  mlir::FailureOr<std::optional<Phase>> planAgain(const Need &need);
  mlir::FailureOr<std::optional<Phase>> offloadMore(const Need &need);
  mlir::FailureOr<std::optional<Phase>> orderLess(const Need &need);
  mlir::FailureOr<std::optional<Phase>> findLeast(const Need &need);
  mlir::FailureOr<std::optional<Phase>> storeNarrower(const Need &need);
  bool mayOffload();
  void searchResiduals(const Need &need);
  // Tells the search what was compiled.
  template <typename Search>
  void noteStages(StageSearch<Search> &search, const Need &need);
  bool mayReplaceTasks() const;
  Phase replaceTasks();
  // Remembers the module and its residuals if it is the best of a search so
  // far.
  void noteTry(bool isBest);
  void takeLeanest();
  mlir::FailureOr<bool> tryFaster(double memory, double seconds);
  mlir::FailureOr<bool> trySmaller(double wanted, double memory);
  int checkMemory();
  int checkPlaces();
  int drawMemory();
  int writeReport();

  // A plan and its compiled module, which are put aside while another plan is
  // tried.
  struct Compiled {
    mlir::OwningOpRef<mlir::ModuleOp> module, explained;
    planning::Plan plan, decided;
    std::vector<ConsideredPlan> considered;
    ResidualBudget residuals;
    double seconds; // predicted seconds of a step
  };
  Compiled putAside(double seconds);
  void restore(std::optional<Compiled> &from);
  void shardAgain();

  CompileRequest request;
  Options &options;
  // Set if not all cores are used.
  std::optional<llvm::DefaultThreadPool> threads;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Target> target; // set once the options are known
  planning::Machine machine;
  planning::MachineFacts facts;
  // The plan that the options ask for; once the step is placed, the one from a
  // file or the chosen one.
  planning::Plan plan;
  // The plan with the decisions of phase `sharded`, if needed.
  planning::Plan decided;
  std::string explanation;
  // The module of phase `step`, if a plan is chosen or may be compiled again.
  // It has no plan, unless that comes from a file.
  mlir::OwningOpRef<mlir::ModuleOp> step;
  // Phase `step` with the plan, for --explain.
  mlir::OwningOpRef<mlir::ModuleOp> explained;
  std::optional<PlanTrials> trials;
  // The plans of the search, if one was chosen.
  std::vector<ConsideredPlan> considered;
  bool placed = false;                    // the module has its plan
  int compiles = 0;                       // compilations to phase `planned`
  double withheld = 0; // bytes per device that passes may not use
  // `withheld` before steps were ordered to minimize memory
  double withheldBefore = 0;
  // The residuals that are kept under --remat=auto for the current plan;
  // `partitioned` is its module of that phase, if available; `leanest` and
  // `leanestResiduals` are those of the best try so far.
  ResidualBudget residuals;
  std::optional<StageSearch<ResidualSearch>> residualSearch;
  std::optional<OffloadSearch> offloadSearch;
  std::optional<StageSearch<LeastSearch>>
      leastSearch; // set once nothing else has helped
  mlir::OwningOpRef<mlir::ModuleOp> partitioned, leanest;
  ResidualBudget leanestResiduals;
  // A plan that fits, while another one is tried.
  std::optional<Compiled> spare;
  Report report; // facts of the module, after the phases
  // spans of the step, if a trace is requested
  std::vector<PredictedSpan> spans;
  ActionTimes times; // times of actions, if memory is drawn
  std::vector<std::pair<std::string, double>> seconds;
  OutputFiles files; // written all or none
};

} // namespace zcc

#endif
