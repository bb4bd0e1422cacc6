// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best mixture of several shardings of one step on one mesh: op by op and
// parameter by parameter one of them, as an integer program (ShardingSolver.h).
// Ops of repeated layers choose together, so its size does not grow with them.
#ifndef ZCC_PASSES_DISTRIBUTE_CHOOSE_MIXPLANS_H
#define ZCC_PASSES_DISTRIBUTE_CHOOSE_MIXPLANS_H

#include "compiler/planning/ShardingProblem.h"
#include "passes/Distribute/Place/DecideSharding.h"
#include "passes/Distribute/Place/StepCost.h"

namespace zcc::dist {

// What chooses together: an op, or a parameter with its state and its update.
// Units that look alike, choose among alike strategies and have alike
// neighbors are one class, one node of the problem.
class PlanMixture {
public:
  PlanMixture(mlir::func::FuncOp func, const MeshAxes &mesh,
              const StepCost &cost,
              llvm::ArrayRef<const DecidedSharding *> plans);

  // With a capacity for what is held over the step.
  planning::ShardingProblem makeProblem(double capacity) const;
  // Per op and argument the plan it takes, by a choice of the problem's.
  // Nothing if all take the same: that plan is the answer.
  struct Mixture {
    llvm::DenseMap<mlir::Operation *, unsigned> ops;
    llvm::DenseMap<mlir::Value, unsigned> arguments;
  };
  std::optional<Mixture>
  read(const planning::ShardingChoice &choice) const;

  size_t numUnits() const { return units.size(); }
  size_t numClasses() const { return classes.size(); }

private:
  struct Unit {
    llvm::SmallVector<mlir::Operation *, 1> ops;
    llvm::SmallVector<mlir::BlockArgument, 1> arguments;
    llvm::SmallVector<mlir::Value, 2> values;    // that it makes
    llvm::SmallVector<mlir::OpOperand *, 3> uses; // that it reads
    llvm::SmallVector<unsigned, 4> strategies;   // by plan
    unsigned numStrategies = 0;
  };
  struct Class {
    unsigned first; // a unit of it
    unsigned count = 0;
  };

  void makeUnits(mlir::func::FuncOp func);
  void findStrategies();
  void findClasses();
  unsigned planOf(const Unit &unit, unsigned strategy) const;
  double costOf(const Unit &unit, unsigned plan) const;
  double memoryOf(const Unit &unit, unsigned plan) const;
  double times(mlir::Value v, mlir::OpOperand &use, unsigned plan) const;
  // Once gathered, which the plan that the parameter takes says.
  bool isKept(mlir::Value v, unsigned plan) const;

  const MeshAxes &mesh;
  const StepCost &cost;
  llvm::SmallVector<PlacedStep> plans;
  std::vector<Unit> units;
  std::vector<unsigned> classOf; // by unit
  std::vector<Class> classes;
  llvm::DenseMap<mlir::Value, std::pair<unsigned, unsigned>>
      makers; // unit, number of the value
  llvm::DenseMap<mlir::OpOperand *, std::pair<unsigned, unsigned>> readers;
};

} // namespace zcc::dist

#endif
