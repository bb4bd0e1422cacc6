// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/StepSeeds.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

StepSeeds::StepSeeds(func::FuncOp func, const MeshAxes &mesh,
                     const DimUnits &units, StepSharding &step)
    : func(func), mesh(mesh), units(units), step(step) {
  for (BlockArgument argument : func.getArguments()) {
    step.seeds.try_emplace(argument, Placement(train::shapeOf(argument)));
    if (isParameter(argument))
      step.open.insert(argument);
  }
}

void StepSeeds::place(Value argument, Placement placement) {
  step.seeds.find(argument)->second = std::move(placement);
}

void StepSeeds::give(Value argument, unsigned d, ArrayRef<unsigned> axes,
                     const Origin &why) {
  note(argument, axes, why);
  Placement &own = step.seeds.find(argument)->second;
  own.dims[d].append(axes.begin(), axes.end());
  own.extents[d] =
      mesh.pad(train::shapeOf(argument)[d], units.of(argument, d), own.dims[d]);
}

void StepSeeds::prepend(Value argument, unsigned d, unsigned axis) {
  Placement &own = step.seeds.find(argument)->second;
  own.dims[d].insert(own.dims[d].begin(), axis);
  own.extents[d] =
      mesh.pad(train::shapeOf(argument)[d], units.of(argument, d), own.dims[d]);
}

void StepSeeds::note(Value argument, ArrayRef<unsigned> axes,
                     const Origin &origin) {
  if (step.origins)
    for (unsigned axis : axes)
      step.origins->note(argument, axis, origin);
}

void StepSeeds::note(Operation *op, const OpSharding &sharding,
                     const Origin &origin) {
  if (step.origins)
    for (unsigned axis = 0; axis < mesh.size(); ++axis)
      if (sharding.uses(axis))
        step.origins->note(op, axis, origin);
}
