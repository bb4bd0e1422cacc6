// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seeds of a step while they are made: where its arguments live so far, and
// who decided that. Annotations write them first (SeedAnnotations.h), then the
// roles of axes (SeedRoles.h), which leave annotated arguments alone.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_STEPSEEDS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_STEPSEEDS_H

#include "passes/Distribute/Place/ExplainOrigins.h"
#include "passes/Distribute/Place/Roles.h"

namespace zcc::distribute {

class StepSeeds {
public:
  // At first all arguments are whole, and parameters are open.
  StepSeeds(mlir::func::FuncOp func, const MeshAxes &mesh,
            const DimUnits &units, StepSharding &step);

  // Returns where an argument lives.
  const Placement &at(mlir::Value argument) const {
    return step.seeds.find(argument)->second;
  }
  void place(mlir::Value argument, Placement placement);
  // give() shards dim `d` over more axes, after those that it has; prepend()
  // before them.
  void give(mlir::Value argument, unsigned d, llvm::ArrayRef<unsigned> axes,
            const Origin &why);
  void prepend(mlir::Value argument, unsigned d, unsigned axis);
  // Closes the argument: propagation gives it no further axes.
  void close(mlir::Value argument) { step.open.erase(argument); }

  // Marks the argument as annotated: roles leave it as it is.
  void setAnnotated(mlir::Value argument) { annotated.insert(argument); }
  bool isAnnotated(mlir::Value argument) const {
    return annotated.contains(argument);
  }

  // Notes who sharded an argument or op over these axes, if somebody asks.
  void note(mlir::Value argument, llvm::ArrayRef<unsigned> axes,
            const Origin &origin);
  void note(mlir::Operation *op, const OpSharding &sharding,
            const Origin &origin);

  mlir::func::FuncOp func;
  const MeshAxes &mesh;
  const DimUnits &units;
  StepSharding &step;

private:
  llvm::DenseSet<mlir::Value> annotated;
};

} // namespace zcc::distribute

#endif
