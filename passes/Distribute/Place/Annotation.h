// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One annotation of a sharding, from the text or from `--shard`: the axes of
// each dim, and the placement that this means on a mesh.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_ANNOTATION_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_ANNOTATION_H

#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/Sharding/DimUnits.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "planning/Plan.h"

namespace zcc::distribute {

using DimAnnotation = planning::PlanAnnotation::Dim;

struct Annotation {
  std::vector<DimAnnotation> dims;

  // [["data"], [], ["?"]]; nullopt if it is something else.
  static std::optional<Annotation> parse(mlir::ArrayAttr attr);

  bool isOpen() const;
};

// Begins the message of an error.
using EmitAnnotation = llvm::function_ref<mlir::InFlightDiagnostic()>;

// Returns the placement that an annotation gives a value; fails after `emit`
// has reported why. If the annotation has more dims than the value, its first
// dims are those of the stack that the value is a part of.
mlir::FailureOr<Placement> placeAnnotation(const MeshAxes &mesh,
                                           const DimUnits &units, mlir::Value v,
                                           const Annotation &annotation,
                                           EmitAnnotation emit);

// Returns the axes that may not shard a value with this placement. `names` may
// be null.
mlir::FailureOr<AxisList> findReplicated(const MeshAxes &mesh,
                                         mlir::ArrayAttr names,
                                         const Placement &placement,
                                         EmitAnnotation emit);

} // namespace zcc::distribute

#endif
