// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attribute `dist.plan` of a module, from phase `sharded` on: a dictionary
// of those fields of the step's plan (plan.proto) that were asked for or
// decided. The mesh
// and the microbatches are not in it: they stand in the dist.mesh. The pins are
// not either: they stand in the shardings.
#ifndef ZCC_PASSES_DISTRIBUTE_PLANATTRIBUTE_H
#define ZCC_PASSES_DISTRIBUTE_PLANATTRIBUTE_H

#include "planning/Plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace zcc::distribute {

// Copies the mesh and the microbatches of the module into the plan, if the
// module has a mesh.
void takeMesh(mlir::ModuleOp module, planning::Plan &plan);

void setPlan(mlir::ModuleOp module, const planning::Plan &plan);
// Returns the plan of the module, with the mesh of the module. All fields are
// open if there is no attribute. Reports an error if the attribute is no plan:
// the text may have been edited.
mlir::FailureOr<planning::Plan> getPlan(mlir::ModuleOp module);

} // namespace zcc::distribute

#endif
