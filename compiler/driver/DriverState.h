// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compile() (Driver.h) keeps while it runs the phases: Driver.cpp runs
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

// Says so, and gives the exit status.
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
  // What memory planning has found of the module.
  struct Need {
    MemoryReport worst; // of a device of the stage that needs most
    size_t stage;       // that one
    std::vector<double> peaks; // by stage
    double memory;             // of a device, all of it
    int64_t microbatches;

    double peak() const { return static_cast<double>(worst.peak); }
    double excess() const { return peak() - memory; }
    bool fits() const { return excess() <= 0; }
  };
  // nullopt: nothing is planned.
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
  // Notes what was compiled.
  template <typename Search>
  void noteStages(StageSearch<Search> &search, const Need &need);
  bool mayReplaceTasks() const;
  Phase replaceTasks();
  // The module, and how it was made, if it is the best of a search so far.
  void noteTry(bool isBest);
  void takeLeanest();
  mlir::FailureOr<bool> tryFaster(double memory, double seconds);
  mlir::FailureOr<bool> trySmaller(double wanted, double memory);
  int checkMemory();
  int checkPlaces();
  int drawMemory();
  int writeReport();

  // A plan and what it was compiled to, put aside while another is tried.
  struct Compiled {
    mlir::OwningOpRef<mlir::ModuleOp> module, explained;
    planning::Plan plan, decided;
    std::vector<ConsideredPlan> considered;
    ResidualBudget residuals;
    double seconds; // of a step
  };
  Compiled putAside(double seconds);
  void restore(std::optional<Compiled> &from);
  void shardAgain();

  CompileRequest request;
  Options &options;
  std::optional<llvm::DefaultThreadPool> threads; // if not all cores
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Target> target; // once the options are known
  planning::Machine machine;
  planning::MachineFacts facts;
  // Asked for; from a file, or chosen, once the step is placed.
  planning::Plan plan;
  planning::Plan decided; // with what phase `sharded` decided, if it is wanted
  std::string explanation;
  // Where a plan is chosen, or may be compiled again: the module of phase
  // `step`, without a plan unless that is of a file.
  mlir::OwningOpRef<mlir::ModuleOp> step;
  mlir::OwningOpRef<mlir::ModuleOp> explained; // with the plan
  std::optional<PlanTrials> trials;
  std::vector<ConsideredPlan> considered; // where a plan was chosen
  bool placed = false;                    // the module has its plan
  int compiles = 0;                       // to phase `planned`
  double withheld = 0;       // bytes of a device that passes may not use
  double withheldBefore = 0; // orders for memory alone
  // How much is kept for the backward pass under --remat=auto: of the plan at
  // hand, its module of phase `partitioned` where that is at hand, and the best
  // try so far.
  ResidualBudget residuals;
  std::optional<StageSearch<ResidualSearch>> residualSearch;
  std::optional<OffloadSearch> offloadSearch;
  std::optional<StageSearch<LeastSearch>>
      leastSearch; // once nothing else has helped
  mlir::OwningOpRef<mlir::ModuleOp> partitioned, leanest;
  ResidualBudget leanestResiduals;
  // One that fits, while another one is tried.
  std::optional<Compiled> spare;
  Report report; // facts of the module, once the phases have run
  std::vector<PredictedSpan> spans; // of the step, if a trace is wanted
  ActionTimes times;                // of the step, if its memory is drawn
  std::vector<std::pair<std::string, double>> seconds;
  OutputFiles files; // all or none
};

} // namespace zcc

#endif
