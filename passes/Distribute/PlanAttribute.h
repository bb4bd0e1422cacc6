// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `dist.plan`: what was decided for a step, on its module from `sharded` on. A
// dictionary of the fields of a plan that were decided or asked for; its mesh
// and microbatches are the dist.mesh, its pins are shardings.
#ifndef ZCC_PASSES_DISTRIBUTE_PLANATTRIBUTE_H
#define ZCC_PASSES_DISTRIBUTE_PLANATTRIBUTE_H

#include "compiler/planning/Plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace zcc::dist {

// Takes the mesh and the microbatches of the module, if it has a mesh.
void takeMesh(mlir::ModuleOp module, planning::Plan &plan);

void setPlan(mlir::ModuleOp module, const planning::Plan &plan);
// With the module's mesh; all is open where nothing is said. Reports what is no
// plan: the text may have been edited.
mlir::FailureOr<planning::Plan> getPlan(mlir::ModuleOp module);

} // namespace zcc::dist

#endif
