// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the mesh that the options ask for into the module.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Placement.h"
#include "llvm/ADT/StringSet.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_PLACEMESH
#include "passes/Distribute/Passes.h.inc"

namespace {
struct PlaceMesh : impl::PlaceMeshBase<PlaceMesh> {
  using PlaceMeshBase::PlaceMeshBase;

  LogicalResult parse(SmallVectorImpl<Attribute> &list) {
    Location loc = getOperation().getLoc();
    llvm::StringSet<> seen;
    for (StringRef text : axes) {
      auto [name, number] = text.contains('=')
                                ? text.split('=')
                                : std::make_pair(StringRef("data"), text);
      int64_t size;
      if (number.getAsInteger(10, size) || size < 1)
        return emitError(loc)
               << "mesh axis '" << text
               << "': expected NAME=SIZE with a size of at least 1";
      if (name == "pipe" && size > 1)
        return emitError(loc) << "not yet: mesh axis 'pipe'";
      if (name == "micro")
        return emitError(loc)
               << "mesh axis 'micro': microbatches are no devices";
      if (!seen.insert(name).second)
        return emitError(loc) << "mesh axis '" << name << "' stands twice";
      list.push_back(AxisAttr::get(&getContext(), name, size, false));
    }
    // The mesh that the text was written for, where the options name none.
    auto names = getOperation()->getAttrOfType<ArrayAttr>("zcc.mesh_axes");
    auto sizes =
        getOperation()->getAttrOfType<DenseI64ArrayAttr>("zcc.mesh_sizes");
    if (axes.empty() && names && sizes &&
        names.size() == static_cast<size_t>(sizes.size()) && !names.empty()) {
      for (auto [name, size] : llvm::zip_equal(names, sizes.asArrayRef()))
        if (auto text = dyn_cast<StringAttr>(name); text && size > 0)
          list.push_back(AxisAttr::get(&getContext(), text.getValue(), size,
                                       false));
    } else if (axes.empty())
      list.push_back(AxisAttr::get(&getContext(), "data", 1, false));
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Attribute> list;
    if (microbatches > 1)
      list.push_back(AxisAttr::get(&getContext(), "micro", microbatches, true));
    if (failed(parse(list)))
      return signalPassFailure();
    ArrayAttr wanted = ArrayAttr::get(&getContext(), list);
    if (MeshOp mesh = getMesh(module)) {
      if ((!axes.empty() || microbatches > 1) && mesh.getAxes() != wanted) {
        mesh.emitError("the text has the mesh ")
            << mesh.getAxes() << ", the options ask for " << wanted;
        return signalPassFailure();
      }
      return;
    }
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    MeshOp::create(b, module.getLoc(), meshName, wanted);
  }
};
} // namespace
} // namespace zcc
