// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the best mixture of several shardings of one step on one mesh. Each op
// and each parameter takes one of them; an integer program chooses
// (ShardingSolver.h). Ops of repeated layers choose together, so that its size
// does not grow with the number of layers.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_MIXPLANS_H
#define ZCC_COMPILER_PLANNER_SEARCH_MIXPLANS_H

#include "passes/Distribute/Estimate/StepCost.h"
#include "passes/Distribute/Place/DecideSharding.h"
#include "planning/ShardingProblem.h"

namespace zcc::planner {

// A unit chooses as one: it is an op, or a parameter with its state and its
// update. Units are one class, which is one node of the problem, if they look
// alike, choose among like strategies and have like neighbors.
class PlanMixture {
public:
  PlanMixture(mlir::func::FuncOp func, const distribute::MeshAxes &mesh,
              const distribute::StepCost &cost,
              llvm::ArrayRef<const distribute::DecidedSharding *> plans);

  // Makes the problem. `capacity`: bytes for the values that a device holds
  // over the whole step.
  planning::ShardingProblem makeProblem(double capacity) const;
  // Reads the solver's choice: for each op and argument the number of the plan
  // that it takes. Nothing if all take the same plan: then that plan is the
  // answer.
  struct Mixture {
    llvm::DenseMap<mlir::Operation *, unsigned> ops;
    llvm::DenseMap<mlir::Value, unsigned> arguments;
  };
  std::optional<Mixture>
  read(const planning::ShardingChoice &choice) const;


private:
  struct Unit {
    llvm::SmallVector<mlir::Operation *, 1> ops;
    llvm::SmallVector<mlir::BlockArgument, 1> arguments;
    llvm::SmallVector<mlir::Value, 2> values;    // that the unit makes
    llvm::SmallVector<mlir::OpOperand *, 3> uses; // that the unit reads
    llvm::SmallVector<unsigned, 4> strategies;   // the strategy of each plan
    unsigned numStrategies = 0;
  };
  struct Class {
    unsigned first; // one of its units
    unsigned count = 0;
  };

  void makeUnits(mlir::func::FuncOp func);
  void findStrategies();
  void findClasses();
  unsigned planOf(const Unit &unit, unsigned strategy) const;
  double costOf(const Unit &unit, unsigned plan) const;
  double memoryOf(const Unit &unit, unsigned plan) const;
  double times(mlir::Value v, mlir::OpOperand &use, unsigned plan) const;
  // Returns true if the parameter is kept once it is gathered, which the plan
  // that it takes says.
  bool isKept(mlir::Value v, unsigned plan) const;

  const distribute::MeshAxes &mesh;
  const distribute::StepCost &cost;
  llvm::SmallVector<distribute::PlacedStep> plans;
  std::vector<Unit> units;
  std::vector<unsigned> classOf; // by unit
  std::vector<Class> classes;
  llvm::DenseMap<mlir::Value, std::pair<unsigned, unsigned>>
      makers; // unit, number of the value
  llvm::DenseMap<mlir::OpOperand *, std::pair<unsigned, unsigned>> readers;
};

} // namespace zcc::planner

#endif
