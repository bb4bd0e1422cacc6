// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/Annotation.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

std::optional<Annotation> Annotation::parse(ArrayAttr attr) {
  Annotation annotation;
  for (Attribute dim : attr) {
    auto list = dyn_cast<ArrayAttr>(dim);
    if (!list)
      return std::nullopt;
    DimAnnotation &entry = annotation.dims.emplace_back();
    for (Attribute a : list) {
      auto name = dyn_cast<StringAttr>(a);
      if (!name)
        return std::nullopt;
      if (name.getValue() == "?")
        entry.open = true;
      else
        entry.axes.push_back(name.str());
    }
  }
  return annotation;
}

bool Annotation::isOpen() const {
  return llvm::any_of(dims,
                      [](const DimAnnotation &entry) { return entry.open; });
}

FailureOr<Placement> distribute::placeAnnotation(const MeshAxes &mesh,
                                                 const DimUnits &units, Value v,
                                                 const Annotation &annotation,
                                                 EmitAnnotation emit) {
  Placement placement(train::shapeOf(v));
  // `lead`: the first dims of the annotation, which are those of a stack and
  // not of its parts.
  size_t lead = annotation.dims.size() - placement.dims.size();
  SmallVector<int> used(mesh.size(), -1);
  for (auto [d, entry] : llvm::enumerate(annotation.dims)) {
    for (const std::string &name : entry.axes) {
      std::optional<AxisList> axes = mesh.findAll(name);
      if (!axes) {
        emit() << "the mesh has no axis '" << name << "'";
        return failure();
      }
      for (unsigned axis : *axes) {
        if (mesh.isTemporal(axis)) {
          emit() << "axis '" << name << "' divides time, not a value";
          return failure();
        }
        if (mesh.isPipe(axis)) {
          emit() << "axis '" << name
                 << "' holds the stages of the pipeline, it divides no value; "
                    "--stage says what is on which";
          return failure();
        }
        if (used[axis] >= 0) {
          emit() << "axis '" << name << "' shards dims " << used[axis]
                 << " and " << d;
          return failure();
        }
        used[axis] = d;
      }
      if (d < lead) {
        emit() << "not yet: dim " << d
               << " of a stack that is split into its layers is sharded "
                  "over '"
               << name << "'";
        return failure();
      }
      for (unsigned axis : *axes)
        if (mesh.sizeOf(axis) > 1)
          placement.dims[d - lead].push_back(axis);
    }
    if (d >= lead)
      placement.extents[d - lead] =
          mesh.pad(train::shapeOf(v)[d - lead], units.of(v, d - lead),
                   placement.dims[d - lead]);
  }
  return placement;
}

FailureOr<AxisList> distribute::findReplicated(const MeshAxes &mesh,
                                               ArrayAttr names,
                                               const Placement &placement,
                                               EmitAnnotation emit) {
  AxisList all;
  if (!names)
    return all;
  for (auto name : names.getAsRange<StringAttr>()) {
    std::optional<AxisList> axes = mesh.findAll(name.getValue());
    if (!axes) {
      emit() << "the mesh has no axis '" << name.getValue() << "'";
      return failure();
    }
    for (unsigned axis : *axes)
      if (int d = placement.whereIs(axis); d >= 0) {
        emit() << "axis '" << name.getValue() << "' shards dim " << d
               << " and is replicated";
        return failure();
      }
    all.append(*axes);
  }
  return all;
}
