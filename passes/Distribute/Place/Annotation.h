// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One annotation of a sharding, of the text or of `--shard`: the axes of each
// dim; and what it says on a mesh.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_ANNOTATION_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_ANNOTATION_H

#include "compiler/planning/Plan.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Distribute/Place/Placement.h"
#include "passes/Distribute/Place/Units.h"

namespace zcc::dist {

using DimAnnotation = planning::PlanAnnotation::Dim;

struct Annotation {
  std::vector<DimAnnotation> dims;

  // [["data"], [], ["?"]]; nullopt if it is something else.
  static std::optional<Annotation> parse(mlir::ArrayAttr attr);

  bool isOpen() const;
};

// Begins the message of an error.
using EmitAnnotation = llvm::function_ref<mlir::InFlightDiagnostic()>;

// Where an annotation places a value; failure after `emit` has reported. The
// first dims of an annotation of more dims than the value has are those of the
// stack of which it is a part.
mlir::FailureOr<Placement> placeAnnotation(const MeshAxes &mesh,
                                           const Units &units, mlir::Value v,
                                           const Annotation &annotation,
                                           EmitAnnotation emit);

// The axes that may not shard what is placed so; `names` may be null.
mlir::FailureOr<AxisList> findReplicated(const MeshAxes &mesh,
                                         mlir::ArrayAttr names,
                                         const Placement &placement,
                                         EmitAnnotation emit);

} // namespace zcc::dist

#endif
