// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seeds of a step while they are made: where its arguments live so far, and
// who said so. Annotations write them first (SeedAnnotations.h), then the roles
// of axes (SeedRoles.h), which leave alone what is annotated.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_STEPSEEDS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_STEPSEEDS_H

#include "passes/Distribute/Place/ExplainOrigins.h"
#include "passes/Distribute/Place/Roles.h"

namespace zcc::dist {

class StepSeeds {
public:
  // Arguments are whole, parameters open.
  StepSeeds(mlir::func::FuncOp func, const MeshAxes &mesh, const Units &units,
            StepSharding &step);

  llvm::StringRef kindOf(mlir::BlockArgument argument) const;
  bool isParameter(mlir::BlockArgument argument) const {
    return kindOf(argument) == "parameter";
  }

  // Where an argument lives.
  const Placement &at(mlir::Value argument) const {
    return step.seeds.find(argument)->second;
  }
  void place(mlir::Value argument, Placement placement);
  // Shards dim `d` over more axes, after (before) those that it has.
  void give(mlir::Value argument, unsigned d, llvm::ArrayRef<unsigned> axes,
            const Origin &why);
  void prepend(mlir::Value argument, unsigned d, unsigned axis);
  // Propagation gives it no further axes.
  void close(mlir::Value argument) { step.open.erase(argument); }

  // What an annotation says stays.
  void setAnnotated(mlir::Value argument) { annotated.insert(argument); }
  bool isAnnotated(mlir::Value argument) const {
    return annotated.contains(argument);
  }

  // Who sharded an argument or op over these axes, if somebody asks.
  void note(mlir::Value argument, llvm::ArrayRef<unsigned> axes,
            const Origin &origin);
  void note(mlir::Operation *op, const OpSharding &sharding,
            const Origin &origin);

  mlir::func::FuncOp func;
  const MeshAxes &mesh;
  const Units &units;
  StepSharding &step;

private:
  llvm::DenseSet<mlir::Value> annotated;
};

} // namespace zcc::dist

#endif
